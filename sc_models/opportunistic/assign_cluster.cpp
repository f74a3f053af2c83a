#include "sc_models/opportunistic/assign_cluster.h"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tessera {

AssignCluster::AssignCluster(sc_core::sc_module_name name, const OpportunisticConfig& config,
                             SmId first, StatGroup& statistics,
                             std::unique_ptr<AssignDevice> device)
    : sc_module(name),
      config_(config),
      first_(first),
      table_module_("assign_table", config.at_entries, std::move(device)),
      table_(table_module_.port()) {
    table_module_.add_statistics(statistics);
    statistics.counter("no_credit", no_credit_, "count",
                       "operations not assigned for want of room at the other SM");
    statistics.counter("stale_hits", stale_, "count",
                       "pairs found whose SM has lost a block of them");
    statistics.counter("outrun", outrun_, "count",
                       "pairs found whose SM has lost a block of them, with the news under way");
    statistics.counter("drain_reports", drains_, "count",
                       "reports of how many assignments are not over at the end of an SM's work");
}

void AssignCluster::join(SmId sm, ClusterMember& member) {
    const std::size_t index = sm.value() - first_.value();
    if (members_.size() <= index) members_.resize(index + 1);
    members_[index] = &member;
    credits_.assign(members_.size(), config_.assign_queue_entries);
    reports_.assign(members_.size(), {});
}

SmId AssignCluster::lookup(const BlockPair& pair) {
    const SmId sm = table_.find(pair);
    if (!sm.valid()) return sm;
    for (const BlockNumber block : {pair.input, pair.weights}) {
        if (member(sm).holds(block)) continue;
        ++(loses(sm, block) ? outrun_ : stale_);
        break;
    }
    return sm;
}

bool AssignCluster::loses(SmId sm, BlockNumber block) const {
    return std::any_of(losses_.begin(), losses_.end(),
                       [&](const Loss& loss) { return loss.sm == sm && loss.block == block; });
}

void AssignCluster::lose(BlockNumber block, SmId sm) {
    const auto loss = std::find_if(losses_.begin(), losses_.end(), [&](const Loss& one) {
        return one.sm == sm && one.block == block;
    });
    if (loss == losses_.end()) throw std::logic_error("AssignCluster: nobody lost that block");
    losses_.erase(loss);
    table_.invalidate(block, sm);
}

void AssignCluster::drain(SmId sm, std::uint32_t outstanding) {
    ++drains_;
    Report& report = reports_[sm.value() - first_.value()];
    report.came = true;
    report.outstanding = outstanding;
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

void AssignCluster::remember(const VectorOperation& operation) {
    const LaneLayout& layout = *operation.layout;
    row_step_ = operation.row_step;
    weight_row_bytes_ = operation.weight_row_bytes;
    if (layouts_.size() <= layout.id()) layouts_.resize(layout.id() + 1);
    layouts_[layout.id()] = &layout;
}

void AssignCluster::start_kernel() {
    table_.flush();
    layouts_.clear();
    for (Report& report : reports_) report = {};
}

void AssignCluster::check(std::vector<std::string>& violations) const {
    if (stale_ > 0) {
        violations.push_back(
            fmt::format("assign table of SM {}: {} pairs were found whose SM had lost a block",
                        first_.value(), stale_));
    }
    table_module_.check(fmt::format("assign table of SM {}", first_.value()), violations);
    if (!losses_.empty()) {
        violations.push_back(fmt::format("assign table of SM {}: news of {} lost blocks never came",
                                         first_.value(), losses_.size()));
    }
    for (std::size_t i = 0; i < reports_.size(); ++i) {
        const Report& report = reports_[i];
        if (report.due == report.came && report.outstanding == 0) continue;
        violations.push_back(fmt::format("assign table of SM {}: SM {} {}", first_.value(),
                                         first_.value() + i,
                                         report.came ? fmt::format("last reported {} assignments "
                                                                   "that are not over",
                                                                   report.outstanding)
                                                     : "never reported the end of its work"));
    }
    for (std::size_t i = 0; i < credits_.size(); ++i) {
        if (!config_.credits || credits_[i] == config_.assign_queue_entries) continue;
        violations.push_back(fmt::format("assign table of SM {}: SM {} has {} of {} credits",
                                         first_.value(), first_.value() + i, credits_[i],
                                         config_.assign_queue_entries));
    }
}

}  // namespace tessera
