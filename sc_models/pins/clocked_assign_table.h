// Cycle model of the RTL's assign table.
#pragma once

#include <cstdint>

#include "sc_models/cosim/assign_table_rtl.h"
#include "sc_models/opportunistic/assign_table.h"

namespace tessera {

/// Assign table (opportunistic computing, III-B) with the handshakes of rtl/assign_table: an
/// operation is taken in the cycle in which it is offered, or later by a cycle for each entry that
/// it invalidates; its answer appears in the cycle after and stays until it is taken.
class ClockedAssignTable {
public:
    using Rtl = AssignTableRtl;
    using Inputs = Rtl::Inputs;
    using Outputs = Rtl::Outputs;
    using Parameters = Rtl::Parameters;

    explicit ClockedAssignTable(const Parameters& parameters = {}) : parameters_(parameters) {}

    /// Outputs in a cycle with these inputs. What an answer does not have is 0.
    [[nodiscard]] Outputs outputs(const Inputs& in) const;
    /// Applies the rising edge.
    void edge(const Inputs& in);
    void reset();

    /// The table; entries that an invalidation under way removes have left it at once.
    [[nodiscard]] const AssignTable& core() const { return core_; }
    /// Whether there are entries.
    [[nodiscard]] bool ready() const { return ready_; }
    [[nodiscard]] std::uint32_t entries() const { return entries_; }
    /// Whether an operation is offered that changes the table at the next edge.
    [[nodiscard]] bool applies(const Inputs& in) const { return in.in_valid && may_apply(in); }
    /// Whether an invalidation has begun.
    [[nodiscard]] bool invalidates() const { return removed_ != 0; }
    /// Whether there is an answer.
    [[nodiscard]] bool answers() const { return valid_; }

private:
    [[nodiscard]] bool sets_up(const Inputs& in) const { return in.setup_valid && removed_ == 0; }
    [[nodiscard]] bool may_apply(const Inputs& in) const {
        return ready_ && (!valid_ || in.out_ready) && !sets_up(in);
    }
    /// Whether the operation of these inputs has an entry left to remove.
    [[nodiscard]] bool removes_one(const Inputs& in) const {
        if (in.op != Rtl::Op::kInvalidate) return false;
        return removed_ != 0 ? leaving_ != 0 : core_.contains(in.pair.input, SmId(in.sm));
    }
    void apply(const Inputs& in);

    Parameters parameters_;
    AssignTable core_{1};
    bool ready_ = false, error_ = false, valid_ = false;
    std::uint32_t entries_ = 0;
    std::uint32_t removed_ = 0, leaving_ = 0;  ///< entries of the invalidation under way
    Outputs answer_;
};

}  // namespace tessera
