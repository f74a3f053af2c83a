#include "sc_models/opportunistic/assign_cluster.h"

#include <fmt/format.h>

namespace tessera {

AssignCluster::AssignCluster(const OpportunisticConfig& config, SmId first, StatGroup& statistics)
    : config_(config), first_(first), table_(config.at_entries) {
    const AssignTable::Counts& counts = table_.counts();
    statistics.counter("lookups", counts.lookups, "count", "look-ups of pairs of blocks");
    statistics.counter("hits", counts.hits, "count", "pairs that were found");
    statistics.counter("inserted", counts.inserted, "count", "pairs entered");
    statistics.counter("replaced", counts.replaced, "count", "pairs that made room");
    statistics.counter("invalidated", counts.invalidated, "count",
                       "pairs of which the L1 lost a block");
    statistics.counter("no_credit", no_credit_, "count",
                       "operations not assigned for want of room at the other SM");
    statistics.counter("stale_hits", stale_, "count",
                       "pairs found whose SM has lost a block of them");
}

void AssignCluster::join(SmId sm, ClusterMember& member) {
    const std::size_t index = sm.value() - first_.value();
    if (members_.size() <= index) members_.resize(index + 1);
    members_[index] = &member;
    credits_.assign(members_.size(), config_.assign_queue_entries);
}

SmId AssignCluster::lookup(const BlockPair& pair) {
    const SmId sm = table_.find(pair);
    if (sm.valid() && !(member(sm).holds(pair.input) && member(sm).holds(pair.weights))) ++stale_;
    return sm;
}

bool AssignCluster::reserve(SmId sm) {
    std::uint32_t& credits = credits_[sm.value() - first_.value()];
    if (!config_.credits) return true;
    if (credits == 0) {
        ++no_credit_;
        return false;
    }
    --credits;
    return true;
}

void AssignCluster::remember(const LaneLayout& layout) {
    if (layouts_.size() <= layout.id()) layouts_.resize(layout.id() + 1);
    layouts_[layout.id()] = &layout;
}

void AssignCluster::start_kernel() {
    table_.flush();
    layouts_.clear();
}

void AssignCluster::check(std::vector<std::string>& violations) const {
    if (stale_ > 0) {
        violations.push_back(
            fmt::format("assign table of SM {}: {} pairs were found whose SM had lost a block",
                        first_.value(), stale_));
    }
    const AssignTable::Counts& c = table_.counts();
    if (c.inserted != c.replaced + c.invalidated + c.flushed + table_.size()) {
        violations.push_back(fmt::format(
            "assign table of SM {}: {} pairs entered, {} left, {} "
            "there",
            first_.value(), c.inserted, c.replaced + c.invalidated + c.flushed, table_.size()));
    }
    for (std::size_t i = 0; i < credits_.size(); ++i) {
        if (!config_.credits || credits_[i] == config_.assign_queue_entries) continue;
        violations.push_back(fmt::format("assign table of SM {}: SM {} has {} of {} credits",
                                         first_.value(), first_.value() + i, credits_[i],
                                         config_.assign_queue_entries));
    }
}

}  // namespace tessera
