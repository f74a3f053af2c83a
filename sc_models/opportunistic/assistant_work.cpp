#include "sc_models/opportunistic/assistant_work.h"

#include <algorithm>

#include "sc_models/opportunistic/operation_blocks.h"

namespace tessera {

AssistantWork::AssistantWork(const OpportunisticConfig& config, const BlockPresence& cache)
    : config_(config), cache_(cache) {}

Cycle AssistantWork::wanted(const PrecomputePort& table, bool predictions, Cycle now) {
    Cycle at = kNever;
    if (!assigned_.empty()) at = std::max(now, assigned_.front().arrived);
    if (predictions && table.some_wait()) {
        if (!searched_) return now;
        if (retry_at_ != kNever) at = std::min(at, std::max(now, retry_at_));
    }
    return at;
}

bool AssistantWork::choose(PrecomputePort& table, bool predictions, Cycle now, AssistantJob& job) {
    job.targets.clear();
    job.gathered.reset();
    job.assigned = job.computed = false;
    if (!assigned_.empty() && assigned_.front().arrived <= now) {
        job.assigned = true;
        job.assignment = assigned_.front();
        job.operation = job.assignment.operation;
        assigned_.pop_front();
        return true;
    }
    return predictions && choose_prediction(table, now, job);
}

bool AssistantWork::choose_prediction(PrecomputePort& table, Cycle now, AssistantJob& job) {
    Cycle earliest = kNever;
    for (auto index = table.first_pending(); index != PrecomputeTable::kNone;
         index = table.next_pending(index)) {
        const Cycle ready = operands_ready(table.operation(index), cache_);
        if (ready > now) {
            if (ready != BlockPresence::kOnItsWay) earliest = std::min(earliest, ready);
            continue;
        }
        if (config_.pt_granularity == PrecomputeGranularity::kScalar) {
            gather(table, index, now, job);
        } else {
            job.operation = table.operation(index);
            job.targets.push_back({index, table.start(index)});
        }
        return true;
    }
    searched_ = true;
    retry_at_ = earliest;
    return false;
}

/// Combines the entry with further ready entries of the same length, one per lane.
void AssistantWork::gather(PrecomputePort& table, PrecomputeTable::Index first, Cycle now,
                           AssistantJob& job) {
    const VectorOperation lead = table.operation(first);
    std::vector<VectorOperation> lanes;
    for (auto index = first;
         index != PrecomputeTable::kNone && lanes.size() < LaneLayout::kMaxLanes;) {
        const auto next = table.next_pending(index);
        const VectorOperation& operation = table.operation(index);
        if (operation.length == lead.length && operands_ready(operation, cache_) <= now) {
            lanes.push_back(operation);
            job.targets.push_back({index, table.start(index)});
        }
        index = next;
    }
    job.gathered = std::make_unique<LaneLayout>(0, static_cast<std::uint32_t>(lanes.size()),
                                                lead.layout->granularity());
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
        const auto offset = [](Address to, Address from) {
            return static_cast<std::int32_t>(static_cast<std::int64_t>(to - from));
        };
        job.gathered->set_offset(LaneLayout::Operand::kInput, lane,
                                 offset(lanes[lane].input, lead.input));
        job.gathered->set_offset(LaneLayout::Operand::kWeights, lane,
                                 offset(lanes[lane].weights, lead.weights));
    }
    job.operation = lead;
    job.operation.layout = job.gathered.get();
}

}  // namespace tessera
