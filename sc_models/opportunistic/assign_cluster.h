// A cluster of SMs around one assign table.
#pragma once

#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/opportunistic_config.h"
#include "sc_models/isa/vector_operation.h"
#include "sc_models/noc/core/mesh_message.h"
#include "sc_models/opportunistic/assign_table.h"
#include "sc_models/workload/lane_layout.h"

namespace tessera {

/// What an SM of a cluster offers to the others.
class ClusterMember {
public:
    virtual ~ClusterMember() = default;
    /// Whether the SM's L1 has the block, expects it, or is about to ask for it.
    [[nodiscard]] virtual bool holds(BlockNumber block) const = 0;
    /// A message has arrived at cycle `at`.
    virtual void on_message(const MeshMessage& message, Cycle at) = 0;
};

/// Neighbouring SMs that assign operations to each other (opportunistic computing, III-B): their
/// assign table, how many more assignments each member has room for, what its members report at the
/// end of a kernel, and the lane layouts that messages name. All that lives at the first member.
class AssignCluster {
public:
    AssignCluster(const OpportunisticConfig& config, SmId first, StatGroup& statistics);

    void join(SmId sm, ClusterMember& member);
    [[nodiscard]] ClusterMember& member(SmId sm) {
        return *members_.at(sm.value() - first_.value());
    }
    [[nodiscard]] SmId home() const { return first_; }
    [[nodiscard]] AssignTable& table() { return table_; }

    /// The SM that has the pair, if the table knows one; checks that it does have it, or that the
    /// news of the loss is under way.
    [[nodiscard]] SmId lookup(const BlockPair& pair);
    /// `sm` has lost `block` and says so.
    void expect_loss(BlockNumber block, SmId sm) { losses_.push_back({sm, block}); }
    /// That has arrived.
    void lose(BlockNumber block, SmId sm);
    /// Reserves room for an assignment at `sm`; false if there is none.
    [[nodiscard]] bool reserve(SmId sm);
    void release(SmId sm, std::uint32_t credits) {
        credits_[sm.value() - first_.value()] += credits;
    }

    /// `sm` has work in this kernel, and will report when it has none left.
    void begin_work(SmId sm) { reports_[sm.value() - first_.value()].due = true; }
    /// That report: so many assignments of `sm` are not over.
    void drain(SmId sm, std::uint32_t outstanding);

    /// What all operations of a kernel have in common, and the layout of this one; not part of a
    /// message.
    void remember(const VectorOperation& operation);
    [[nodiscard]] std::uint32_t row_step() const { return row_step_; }
    [[nodiscard]] std::uint32_t weight_row_bytes() const { return weight_row_bytes_; }
    [[nodiscard]] const LaneLayout& layout(std::uint32_t geometry) const {
        return *layouts_.at(geometry);
    }

    void start_kernel();
    void check(std::vector<std::string>& violations) const;

private:
    /// Of a member, in this kernel.
    struct Report {
        bool due = false, came = false;
        std::uint32_t outstanding = 0;  ///< as the latest said
    };
    struct Loss {
        SmId sm;
        BlockNumber block = 0;
    };
    [[nodiscard]] bool loses(SmId sm, BlockNumber block) const;

    const OpportunisticConfig& config_;
    const SmId first_;
    AssignTable table_;
    std::vector<ClusterMember*> members_;
    std::vector<std::uint32_t> credits_;  ///< by member
    std::vector<Report> reports_;         ///< by member
    std::vector<Loss> losses_;            ///< on their way to the table
    std::vector<const LaneLayout*> layouts_;
    std::uint32_t row_step_ = 1, weight_row_bytes_ = 0;
    std::uint64_t stale_ = 0, outrun_ = 0, no_credit_ = 0, drains_ = 0;
};

}  // namespace tessera
