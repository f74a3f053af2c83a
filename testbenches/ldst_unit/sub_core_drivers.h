// Sub-cores that issue planned memory instructions to an LDST unit.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/sm/ldst_unit.h"
#include "sc_models/sm/ldst_unit_at.h"
#include "sc_models/sm/unit_socket.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tlm/carrier_pool.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/ldst_unit/naive_ldst.h"
#include "testbenches/ldst_unit/warp_operation.h"

namespace tessera::testbench {

/// Interface through which the drivers report the progress of an instruction, named by its position
/// in the plan.
class IssueObserver {
public:
    virtual ~IssueObserver() = default;
    /// Sub-core `sub_core` has been granted the unit, out of `requests`; the first of them has been
    /// ready since `ready`. Its instruction reaches the unit next.
    virtual void on_issue(std::size_t index, Cycle ready,
                          const std::vector<ArbiterRequest>& requests) = 0;
    /// The unit has sent all requests of the instruction.
    virtual void on_sent(std::size_t index) = 0;
    virtual void on_done(std::size_t index, Cycle at) = 0;
};

/// One driver a sub-core. Instructions of a sub-core issue in the order of the plan, each not
/// before its cycle, nor before earlier loads have filled the registers that it names.
class SubCoreDrivers : public sc_core::sc_module, public LdstListener {
public:
    std::vector<std::unique_ptr<UnitSocket>> to_ldst;  ///< by sub-core
    sc_core::sc_port<LdstRequests> to_arbiter{"to_arbiter"};

    /// `config` and `observer` must outlive it.
    SubCoreDrivers(const sc_core::sc_module_name& name, const ClockDomain& clock,
                   const Config& config, bool approximately_timed, IssueObserver& observer);
    SubCoreDrivers(const SubCoreDrivers&) = delete;
    SubCoreDrivers& operator=(const SubCoreDrivers&) = delete;

    /// Local time of the SM, which the unit reads.
    [[nodiscard]] LocalTime& time() { return time_; }
    /// Binds the sockets and the arbiter; once.
    void connect(LdstUnit& unit, LinkBinder& links);
    /// Adds an instruction to the plan of its sub-core; returns its position in the whole plan.
    std::size_t plan(const WarpOperation& operation);
    [[nodiscard]] const WarpOperation& operation(std::size_t index) const {
        return planned_[index].operation;
    }
    [[nodiscard]] std::size_t planned() const { return planned_.size(); }
    /// Returns the first cycle at which the unit takes another instruction.
    [[nodiscard]] Cycle free_at() const { return to_arbiter->free_at(); }
    [[nodiscard]] std::size_t done() const { return done_; }
    /// Returns the warp slot of the SM.
    [[nodiscard]] WarpId warp_of(std::uint32_t sub_core, std::uint32_t warp) const {
        return WarpId(sub_core * slots_ + warp);
    }
    [[nodiscard]] WarpId warp_of(const WarpOperation& operation) const {
        return warp_of(operation.sub_core, operation.warp);
    }

    SC_HAS_PROCESS(SubCoreDrivers);

private:
    using Pool = CarrierPool<WarpAccess>;
    struct Planned {
        WarpOperation operation;
        std::unique_ptr<WarpMemoryInstruction> instruction;
        std::vector<unsigned char> data;  ///< of the payload
    };
    /// Side of a sub-core towards the arbiter.
    struct Client : LdstClient {
        SubCoreDrivers* owner = nullptr;
        std::uint32_t sub_core = 0;
        std::deque<std::size_t> queue;  ///< positions in the plan
        Cycle next_issue = 0;
        std::optional<std::uint32_t> last_warp;

        [[nodiscard]] std::optional<LdstRequest> ldst_request(Cycle now) const override {
            if (owner->ready(*this) > now) return std::nullopt;
            return LdstRequest{!owner->continues(*this), owner->age(*this)};
        }
        void on_ldst_grant(Cycle now) override { owner->issue(*this, now); }
    };
    using RegisterTimes = std::vector<Cycle>;  ///< cycle from which each register may be named

    void run();
    void schedule();
    void issue(Client& client, Cycle now);
    void end(std::size_t index, Cycle at);
    void receive(tlm::tlm_generic_payload& payload);
    void on_ldst_free() override;
    [[nodiscard]] Cycle ready(const Client& client) const;
    [[nodiscard]] bool continues(const Client& client) const;
    [[nodiscard]] std::uint64_t age(const Client& client) const;
    [[nodiscard]] std::vector<ArbiterRequest> requests(Cycle now) const;
    [[nodiscard]] RegisterTimes& registers(const WarpOperation& operation) {
        return registers_[operation.sub_core * kWarpsPerSubCore + operation.warp];
    }

    const ClockDomain clock_;
    const AccessGranularity granularity_;
    const std::uint32_t slots_;  ///< warp slots of a sub-core
    IssueObserver& observer_;
    LocalTime time_;
    LdstUnit* unit_ = nullptr;
    Pool pool_;
    std::vector<Client> clients_;
    std::deque<Planned> planned_;
    std::vector<RegisterTimes> registers_;  ///< by warp
    std::deque<std::size_t> flying_;        ///< instructions whose end the unit reports later
    std::optional<std::size_t> sending_;    ///< instruction that the unit still sends
    Cycle stores_done_ = 0;                 ///< kNever: a store is in flight
    std::size_t stores_flying_ = 0;
    std::size_t done_ = 0;
    sc_core::sc_event wake_;
};

}  // namespace tessera::testbench
