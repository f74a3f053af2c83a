// Work queue and job selection of an SM's assistant warp.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sc_models/memory/core/block_watch.h"
#include "sc_models/opportunistic/keys/opportunistic_config.h"
#include "sc_models/opportunistic/precompute_port.h"
#include "sc_models/opportunistic/vector_values.h"
#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {

/// An operation that another SM has assigned to this one, or that was refused and returned.
struct Assignment {
    VectorOperation operation;
    std::uint64_t id = 0;  ///< sender's id
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
    std::vector<Target> targets;  ///< predictions: destinations of the results, one per lane if
                                  ///< scalar
    bool assigned = false;        ///< `assignment` is valid
    bool computed = false;        ///< the precompute table already had the result
    Assignment assignment;
    VectorValues::Lanes results{};         ///< valid if `computed`
    std::unique_ptr<LaneLayout> gathered;  ///< layout of gathered scalar entries
};

/// Queue of assigned operations, depth assign_queue_entries, and the selection of the next job:
/// assignments in order of arrival, then the oldest entry of the precompute table with all operands
/// in the L1 (opportunistic computing, III-A to III-C). Up to 32 ready scalar entries share the
/// lanes of one operation.
class AssistantWork {
public:
    AssistantWork(const OpportunisticConfig& config, const BlockPresence& cache);

    [[nodiscard]] bool full() const { return assigned_.size() >= config_.assign_queue_entries; }
    [[nodiscard]] std::size_t assigned() const { return assigned_.size(); }
    void assign(const Assignment& assignment) { assigned_.push_back(assignment); }

    /// The first cycle, not before `now`, at which choose() may succeed if nothing else happens;
    /// kNever: none. `predictions`: whether entries of the table count.
    [[nodiscard]] Cycle wanted(const PrecomputePort& table, bool predictions, Cycle now);
    /// Selects a job at `now`; returns false if none is ready.
    bool choose(PrecomputePort& table, bool predictions, Cycle now, AssistantJob& job);
    /// Invalidates the last search: the table has a new entry, or the L1 has requested a sector.
    void recheck() { searched_ = false; }

private:
    bool choose_prediction(PrecomputePort& table, Cycle now, AssistantJob& job);
    void gather(PrecomputePort& table, PrecomputeTable::Index first, Cycle now, AssistantJob& job);

    const OpportunisticConfig& config_;
    const BlockPresence& cache_;
    std::deque<Assignment> assigned_;
    bool searched_ = true;     ///< retry_at_ is up to date
    Cycle retry_at_ = kNever;  ///< arrival of the first operands in flight
};

}  // namespace tessera
