// The load/store unit, loosely timed.
#pragma once

#include "sc_models/sm/ldst_unit.h"

namespace tessera {

/// Serves an instruction in one call: each request goes to the L1 as one b_transport with the delay
/// at which it would be sent, and comes back with the time its data is there.
class LdstUnitLt : public LdstUnit {
public:
    LdstUnitLt(sc_core::sc_module_name name, SmId sm, const SmPlan& plan,
               const Surroundings& around);

private:
    struct Reply {
        Cycle accepted, done;
    };

    Service serve(const WarpAccess& access, Cycle start) override;
    Cycle fetch_program(const LoadFilter::Program& program) override;
    Cycle load_fragment(const WarpAccess& access, BankScheduler& slots);
    Cycle load_filtered(const WarpAccess& access, BankScheduler& slots);
    /// Loads the rows of one unit of a filtered fragment that no earlier unit has loaded.
    Cycle load_unit(const WarpAccess& access, std::uint32_t unit, BankScheduler& slots);
    void take_slots(std::uint32_t unit, BankScheduler& slots);
    Cycle global_access(const WarpAccess& access, BankScheduler& slots);
    Cycle lane_access(const WarpAccess& access, BankScheduler& slots);
    /// One request to the L1, at most one line; waits in `slots` for banks and MSHRs.
    Reply request(tlm::tlm_command command, Address address, std::uint32_t bytes, std::byte* data,
                  BankScheduler& slots);

    LtTime lt_time_;
    tlm::tlm_generic_payload payload_;
    AccessInfo* info_ = nullptr;  ///< owned by payload_
    std::array<std::byte, 512> scratch_{};
    bool bypass_l1_ = false;                         ///< of the access under way
    AtomicKind atomic_ = AtomicKind::kNone;          ///< of the access under way
    std::uint32_t stream_ = 0;                       ///< of its next request
    std::array<Cycle, kFragmentRows> row_done_{};    ///< of the load under way; 0: not asked for
    std::array<bool, kFragmentRows> row_slotted_{};  ///< took an issue slot
    Rows filtered_rows_;
    std::array<std::uint32_t, kFragmentRows> row_bank_{};
    std::array<std::byte, std::size_t{kFragmentRows} * kFragmentRowBytes> rows_{};  ///< their data
};

}  // namespace tessera
