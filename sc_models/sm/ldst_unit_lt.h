// The load/store unit, loosely timed.
#pragma once

#include <vector>

#include "sc_models/sm/ldst_unit.h"
#include "sc_models/tlm/run_ahead.h"

namespace tessera {

/// Serves an instruction in one call: each request goes to the L1 as one b_transport with the delay
/// at which it would be sent, and comes back with the time its data is there.
///
/// In a turn that runs ahead of SystemC's time (RunAhead) that may be a promise: then the sub-core
/// is told later (LdstClient::ldst_answered), as it is by the approximately-timed unit.
class LdstUnitLt : public LdstUnit {
public:
    LdstUnitLt(sc_core::sc_module_name name, SmId sm, const SmPlan& plan,
               const Surroundings& around);

    /// The SM's turns may run ahead of SystemC's time; once, before the simulation starts.
    void attach(RunAhead& ahead) { ahead_ = &ahead; }
    /// All promises of the L1 are cycles: tells the filter and the sub-cores.
    void settle();

private:
    struct Reply {
        Cycle accepted;
        Cycle done;  ///< 0: not known, it is in awaited_
    };
    /// What an access waits for in a turn that runs ahead: a promise of the L1, or one of
    /// open_units_.
    struct Awaited {
        std::uint32_t number;
        bool is_unit;
    };
    /// A unit of which the filter has yet to be told when its data is there.
    struct OpenUnit {
        PhysRegId phys;
        Cycle ready = 0;                 ///< not before
        std::size_t first = 0, end = 0;  ///< of unit_promises_
    };
    /// An access of which the sub-core has yet to be told when it is over.
    struct OpenAccess {
        SubCoreId sub_core;
        LdstClient::Answer answer;       ///< not done before
        std::size_t first = 0, end = 0;  ///< of awaited_
    };

    /// So many requests ahead the L1 is told of one.
    static constexpr std::uint32_t kAnnounced = 3;

    Service serve_global(const WarpAccess& access, Cycle start) override;
    Cycle fetch_program(const LoadFilter::Program& program) override;
    Cycle load_fragment(const WarpAccess& access, BankScheduler& slots);
    Cycle load_filtered(const WarpAccess& access, BankScheduler& slots);
    /// Loads the rows of one unit of a filtered fragment that no earlier unit has loaded.
    Cycle load_unit(const WarpAccess& access, std::uint32_t unit, BankScheduler& slots);
    void take_slots(std::uint32_t unit, BankScheduler& slots);
    void forget_settled();
    void settle_units();
    void expect_unit(PhysRegId phys, Cycle ready, std::size_t first);
    void await_unit(PhysRegId phys);
    [[nodiscard]] Cycle close(const WarpAccess& access, Cycle done, std::size_t first);
    [[nodiscard]] Cycle latest_answer(std::size_t first, std::size_t end) const;
    Cycle global_access(const WarpAccess& access, BankScheduler& slots);
    Cycle lane_access(const WarpAccess& access, BankScheduler& slots);
    /// One request to the L1, at most one line; waits in `slots` for banks and MSHRs.
    Reply request(tlm::tlm_command command, Address address, std::uint32_t bytes, std::byte* data,
                  BankScheduler& slots);

    LtTime lt_time_;
    tlm::tlm_generic_payload payload_;
    AccessInfo* info_ = nullptr;  ///< owned by payload_
    std::array<std::byte, 512> scratch_{};
    bool bypass_l1_ = false;                 ///< of the access under way
    AtomicKind atomic_ = AtomicKind::kNone;  ///< of the access under way
    std::uint32_t stream_ = 0;               ///< of its next request
    /// Of the load under way; 0: not asked for; kNever: row_promise_ has it.
    std::array<Cycle, kFragmentRows> row_done_{};
    std::array<std::uint32_t, kFragmentRows> row_promise_{};
    std::array<bool, kFragmentRows> row_slotted_{};  ///< took an issue slot
    Rows filtered_rows_;
    std::array<std::uint32_t, kFragmentRows> row_bank_{};
    std::array<std::byte, std::size_t{kFragmentRows} * kFragmentRowBytes> rows_{};  ///< their data

    RunAhead* ahead_ = nullptr;  ///< null: no turn runs ahead
    // Of the turn:
    std::vector<Awaited> awaited_;
    std::vector<std::uint32_t> unit_promises_;
    std::vector<OpenUnit> open_units_;
    std::vector<OpenAccess> open_accesses_;
    std::size_t settled_units_ = 0;  ///< of open_units_
};

}  // namespace tessera
