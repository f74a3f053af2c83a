// Driver of the rename table behind its pins.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "sc_models/cosim/rename_table_rtl.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/stall_check.h"
#include "testbenches/rename_table/rename_driver.h"

namespace tessera::testbench {

/// Drives the pins of the rename table cycle by cycle, with stalls at its output. Ends of mappings
/// and new mappings have pins of their own, so a mapping and the end issued before it may enter in
/// one cycle.
class ClockedRenameDriver final : public sc_core::sc_module, public RenameDriver {
public:
    using Block = ClockedBlock<RenameTableRtl::Inputs, RenameTableRtl::Outputs>;
    ClockedRenameDriver(const sc_core::sc_module_name& name, Session& session,
                        std::unique_ptr<Block> block);

    /// Returns whether the sizes are within the RTL's, whose free list begins in ascending order.
    [[nodiscard]] bool supports(const RenameOrganisation& organisation) const override;
    /// New mappings, shared ones and ends.
    [[nodiscard]] bool supports(RenameOperation::Kind kind) const override;
    void program(const RenameOrganisation& organisation) override;
    void issue(const RenameOperation& operation, Cycle at) override;
    /// Operations of a table that is stuck for kMaxCycles remain without a result.
    void drain() override;

private:
    using Rtl = RenameTableRtl;
    static constexpr Cycle kMaxCycles = 10'000;
    struct Planned {
        RenameOperation operation;
        Cycle at;
    };
    /// State of a unit, by the rules of the RTL's caller (rtl/rename_table/README.md).
    enum class UnitState : std::uint8_t {
        kSettled,
        kEnding,  ///< offered or under way
        kEnded    ///< needs a mapping, or an end of it, before its next end
    };
    /// Operations offered in a cycle.
    struct Offer {
        const Planned* end = nullptr;
        const Planned* map = nullptr;
        bool unmaps = false;  ///< the mapping is to no unit, since the next end needs it
    };

    void run();
    void step(Cycle now);
    [[nodiscard]] Offer choose(Cycle now) const;
    [[nodiscard]] bool mappable(const RenameOperation& operation) const {
        return states_[operation.architectural] != UnitState::kEnding;
    }
    [[nodiscard]] Rtl::Inputs inputs_of(const Offer& offer);
    /// Reports what the table did in a cycle, in the order in which its contents change.
    void report(const Offer& offer, const Rtl::Inputs& in, const Rtl::Outputs& out, Cycle now);
    void report_end(const Rtl::Outputs& out, Cycle now);

    Session& session_;
    const std::unique_ptr<Block> block_;
    StallCheck stalls_;
    const Coverage::Bin beside_, map_waits_;
    std::deque<Planned> planned_;
    struct Ending {
        std::uint32_t unit;
        Cycle begin;
    };
    std::deque<Ending> ending_;  ///< units under way
    std::vector<UnitState> states_;
    std::uint32_t dropped_ = RenameResult::kNone;  ///< unit that lost a reference a cycle ago
    std::uint64_t shares_ = 0;
    sc_core::sc_event issued_;
    Cycle next_ = 0;   ///< cycle of the next step, at the earliest
    Cycle moved_ = 0;  ///< last cycle in which the table took or gave something
};

}  // namespace tessera::testbench
