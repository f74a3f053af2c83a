// Unit of an SM that carries out bulk copies (TMA).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/statistics.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sm/ldst_arbitration.h"
#include "sc_models/sm/unit_socket.h"
#include "sc_models/sm/warp_listener.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tlm/carrier_pool.h"

namespace tessera {

/// Connection of a client to the LDST unit.
struct LdstConnection {
    SubCoreId client;  ///< its number among the clients
    const ClockDomain& clock;
    bool approximately_timed = false;
};

/// Tensor memory accelerator of an SM. A warp hands it a box of a tensor (kBulkCopy) and goes on;
/// the unit copies boxes in order, from global to shared memory past the L1, and reports their
/// bytes to the CTA's arrival barrier. The first request of a box leaves `latency` cycles after its
/// issue.
///
/// It is a client of the LDST unit beside the sub-cores: each grant sends up to 512 bytes of a box,
/// which take the data path to shared memory for as many cycles as their sectors and wavefronts.
/// Rows that come with a partner's (multicast) are requested as well, but take nothing of the L2's
/// output. This stands for a cluster whose CTAs run in step.
/// Any number of requests may be in flight; where the L1 or the network delays one, the LDST unit
/// waits as it does for loads.
class BulkCopyUnit : public sc_core::sc_module, private LdstClient {
public:
    UnitSocket to_ldst;
    sc_core::sc_port<LdstRequests> to_arbiter{"to_arbiter"};  ///< of the LDST unit
    sc_core::sc_export<LdstClient> grants{"grants"};          ///< of the LDST unit's arbiter

    /// `latency` is in cycles; `listener` is notified of bytes.
    BulkCopyUnit(sc_core::sc_module_name name, const LdstConnection& ldst, Cycle latency,
                 WarpListener& listener, StatGroup& statistics);
    BulkCopyUnit(const BulkCopyUnit&) = delete;
    BulkCopyUnit& operator=(const BulkCopyUnit&) = delete;

    /// Prepares for a kernel whose CTAs have `barriers` arrival barriers each, in `ctas` slots.
    void start_kernel(std::uint32_t ctas, std::uint32_t barriers);
    /// Takes over a kBulkCopy that a warp of CTA slot `cta` issues at cycle `at`.
    void copy(const WarpInstruction& instruction, std::uint32_t cta, Cycle at);
    /// Appends a line for each box that is not copied.
    void describe_waiting(std::vector<std::string>& lines) const;

private:
    using Pool = CarrierPool<WarpAccess>;
    static constexpr std::uint32_t kAccessBytes = 512;

    struct Box {
        WarpInstruction instruction;
        std::uint32_t cta = 0;
        std::uint32_t row = 0;  ///< next to be sent
        Cycle ready = 0;        ///< first request
    };
    /// Accesses for a barrier whose responses are not known yet.
    struct Open {
        std::uint32_t accesses = 0, bytes = 0;
    };

    std::optional<LdstRequest> ldst_request(Cycle now) const override;
    void on_ldst_grant(Cycle now) override;
    void on_ldst_completed(const LdstCompletion& completion) override;
    void receive(tlm::tlm_generic_payload& payload);
    [[nodiscard]] Pool::Payload& fresh_payload();
    void request_next();
    [[nodiscard]] Open& open(std::uint32_t cta, std::uint32_t barrier) {
        return open_[std::size_t{cta} * barriers_ + barrier];
    }
    /// Ends an access of unknown response; returns the bytes to report, 0: not yet.
    [[nodiscard]] std::uint32_t end_access(std::uint32_t cta, std::uint32_t barrier);

    const SubCoreId id_;
    const Cycle latency_;
    WarpListener& listener_;
    std::deque<Box> boxes_;
    WarpInstruction access_;  ///< in service
    std::vector<Open> open_;  ///< by CTA slot and barrier
    std::uint32_t barriers_ = 0;
    std::uint64_t copies_ = 0, bytes_ = 0, accesses_ = 0;
    std::vector<unsigned char> data_;  ///< of all payloads, which nobody reads
    Pool pool_;
    Pool::Payload* payload_;  ///< of the next access
};

}  // namespace tessera
