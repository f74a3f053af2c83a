// What the assistant warp of an SM does next.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sc_models/config/opportunistic_config.h"
#include "sc_models/memory/core/block_watch.h"
#include "sc_models/opportunistic/precompute_table.h"
#include "sc_models/opportunistic/vector_values.h"
#include "sc_models/workload/lane_layout.h"

namespace tessera {

/// An operation that another SM has assigned to this one (or that was refused and came back).
struct Assignment {
    VectorOperation operation;
    std::uint64_t id = 0;  ///< the sender's
    SmId source;
    Cycle arrived = 0;
};

/// One operation of the assistant warp.
struct AssistantJob {
    struct Target {
        PrecomputeTable::Index entry;
        std::uint32_t generation;
    };
    VectorOperation operation;
    std::vector<Target> targets;  ///< a prediction: where results go, a lane each if scalar
    bool assigned = false;        ///< `assignment` holds
    bool computed = false;        ///< the precompute table had the result already
    Assignment assignment;
    VectorValues::Lanes results{};         ///< if computed
    std::unique_ptr<LaneLayout> gathered;  ///< lanes of scalar entries, if they were gathered
};

/// Queue of assigned operations, depth assign_queue_entries, and the choice of what to do:
/// assignments in the order of their arrival, then the oldest entry of the precompute table whose
/// operands are all in the L1 (opportunistic computing, III-A to III-C). Of scalar entries up to 32
/// that are ready share the lanes of one operation.
class AssistantWork {
public:
    AssistantWork(const OpportunisticConfig& config, const BlockPresence& cache);

    [[nodiscard]] bool full() const { return assigned_.size() >= config_.assign_queue_entries; }
    [[nodiscard]] std::size_t assigned() const { return assigned_.size(); }
    void assign(const Assignment& assignment) { assigned_.push_back(assignment); }

    /// The first cycle, not before `now`, at which choose() may succeed if nothing else happens;
    /// kNever: none. `predictions`: whether entries of the table count.
    [[nodiscard]] Cycle wanted(const PrecomputeTable& table, bool predictions, Cycle now);
    /// Chooses at `now`. False if there is nothing that can be done.
    bool choose(PrecomputeTable& table, bool predictions, Cycle now, AssistantJob& job);
    /// The table has a new entry, or the L1 has asked for a sector: look again.
    void look_again() { searched_ = false; }

private:
    bool choose_prediction(PrecomputeTable& table, Cycle now, AssistantJob& job);
    void gather(PrecomputeTable& table, PrecomputeTable::Index first, Cycle now, AssistantJob& job);

    const OpportunisticConfig& config_;
    const BlockPresence& cache_;
    std::deque<Assignment> assigned_;
    bool searched_ = true;     ///< nothing has changed since retry_at_ was found
    Cycle retry_at_ = kNever;  ///< the first operands that are on their way
};

}  // namespace tessera
