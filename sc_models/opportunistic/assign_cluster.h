// A cluster of SMs around one assign table.
#pragma once

#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/noc/mesh_message.h"
#include "sc_models/opportunistic/assign_table.h"
#include "sc_models/opportunistic/opportunistic_config.h"
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
/// assign table, how many more assignments each member has room for, and the lane layouts that
/// messages name. The table lives at the first member.
class AssignCluster {
public:
    AssignCluster(const OpportunisticConfig& config, SmId first, StatGroup& statistics);

    void join(SmId sm, ClusterMember& member);
    [[nodiscard]] ClusterMember& member(SmId sm) {
        return *members_.at(sm.value() - first_.value());
    }
    [[nodiscard]] SmId home() const { return first_; }
    [[nodiscard]] AssignTable& table() { return table_; }

    /// The SM that has the pair, if the table knows one; checks that it does have it.
    [[nodiscard]] SmId lookup(const BlockPair& pair);
    /// Reserves room for an assignment at `sm`; false if there is none.
    [[nodiscard]] bool reserve(SmId sm);
    void release(SmId sm) { ++credits_[sm.value() - first_.value()]; }

    void remember(const LaneLayout& layout);
    [[nodiscard]] const LaneLayout& layout(std::uint32_t geometry) const {
        return *layouts_.at(geometry);
    }

    void start_kernel();
    void check(std::vector<std::string>& violations) const;

private:
    const OpportunisticConfig& config_;
    const SmId first_;
    AssignTable table_;
    std::vector<ClusterMember*> members_;
    std::vector<std::uint32_t> credits_;  ///< by member
    std::vector<const LaneLayout*> layouts_;
    std::uint64_t stale_ = 0, no_credit_ = 0;
};

}  // namespace tessera
