// Load/store unit, loosely timed.
#pragma once

#include <vector>

#include "sc_models/sm/ldst_unit.h"
#include "sc_models/tlm/lt/look_ahead.h"

namespace tessera {

/// Serves an instruction in one call: each request goes to the L1 as one b_transport with the delay
/// of its send cycle, and returns with the time at which its data arrives.
///
/// In a quantum that runs ahead of SystemC's time (LookAhead) the response may be a future: the
/// sub-core is then notified later through LdstClient::on_ldst_completed().
class LdstUnitLt : public LdstUnit {
public:
    LdstUnitLt(sc_core::sc_module_name name, SmId sm, const SmPlan& plan,
               const LdstContext& context);

    /// Lets the SM's quanta run ahead of SystemC's time; once, before the simulation starts.
    void attach(LookAhead& ahead) { ahead_ = &ahead; }
    /// Resolves all futures of the L1 to cycles and notifies the filter and the sub-cores.
    void resolve();

private:
    struct Reply {
        Cycle accepted;
        Cycle done;  ///< 0: unknown, an entry of awaited_
    };
    /// A dependency of an access in a quantum that runs ahead: a future of the L1 or an entry of
    /// open_units_.
    struct Awaited {
        std::uint32_t number;
        bool is_unit;
    };
    /// A unit whose data arrival the filter has not been notified of yet.
    struct OpenUnit {
        PhysRegId phys;
        Cycle ready = 0;                 ///< earliest arrival
        std::size_t first = 0, end = 0;  ///< range in unit_futures_
    };
    /// An access whose completion the sub-core has not been notified of yet.
    struct OpenAccess {
        SubCoreId sub_core;
        LdstCompletion completion;       ///< its `done` is the earliest completion
        std::size_t first = 0, end = 0;  ///< range in awaited_
    };

    Service serve_global(const WarpAccess& access, Cycle start) override;
    Cycle fetch_program(const LoadFilter::Program& program) override;
    Cycle load_fragment(const WarpAccess& access, BankScheduler& slots);
    Cycle load_filtered(const WarpAccess& access, BankScheduler& slots);
    /// Loads the rows of one unit of a filtered fragment that no earlier unit has loaded.
    Cycle load_unit(const WarpAccess& access, std::uint32_t unit, BankScheduler& slots);
    void take_slots(std::uint32_t unit, BankScheduler& slots);
    void forget_resolved();
    void resolve_units();
    void expect_unit(PhysRegId phys, Cycle ready, std::size_t first);
    void await_unit(PhysRegId phys);
    [[nodiscard]] Cycle close(const WarpAccess& access, Cycle done, std::size_t first);
    [[nodiscard]] Cycle latest_answer(std::size_t first, std::size_t end) const;
    Cycle global_access(const WarpAccess& access, BankScheduler& slots);
    Cycle lane_access(const WarpAccess& access, BankScheduler& slots);
    /// Sends one request of at most one line to the L1; waits in `slots` for banks and MSHRs.
    Reply request(tlm::tlm_command command, Address address, std::uint32_t bytes, std::byte* data,
                  BankScheduler& slots);

    LtTime lt_time_;
    tlm::tlm_generic_payload payload_;
    AccessInfo* info_ = nullptr;  ///< owned by payload_
    std::array<std::byte, 512> scratch_{};
    bool bypass_l1_ = false;                 ///< of the access in service
    bool multicast_ = false;                 ///< of the access in service
    AtomicKind atomic_ = AtomicKind::kNone;  ///< of the access in service
    std::uint32_t stream_ = 0;               ///< stream of its next request
    /// Arrival of each row of the current load; 0: not requested; kNever: see row_future_.
    std::array<Cycle, kFragmentRows> row_done_{};
    std::array<std::uint32_t, kFragmentRows> row_future_{};
    std::array<bool, kFragmentRows> row_slotted_{};  ///< took an issue slot
    Rows filtered_rows_;
    std::array<std::uint32_t, kFragmentRows> row_bank_{};
    std::array<std::byte, std::size_t{kFragmentRows} * kFragmentRowBytes>
        rows_{};  ///< data of the rows

    LookAhead* ahead_ = nullptr;  ///< null: no quantum runs ahead
    // State of the current quantum.
    std::vector<Awaited> awaited_;
    std::vector<std::uint32_t> unit_futures_;
    std::vector<OpenUnit> open_units_;
    std::vector<OpenAccess> open_accesses_;
    std::size_t resolved_units_ = 0;  ///< leading entries of open_units_ that are resolved
};

}  // namespace tessera
