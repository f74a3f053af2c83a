// Statistics of Duplo's detection units and the key figures derived from them.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "sc_models/common/counter_list.h"
#include "sc_models/common/statistics.h"
#include "sc_models/duplo/detection_unit.h"

namespace tessera {

/// Adds the counters of a detection unit's policy to `list`; those of its blocks are their
/// modules'.
void add_policy_counters(CounterList& list, const DetectionCounters& counters);
/// Registers the counters of a detection unit and its blocks in `group`, with the hit rate.
void register_detection_counters(const CounterList& list, StatGroup& group);

/// Counts, by result, of the units of all A-fragment loads of one kernel, over all SMs.
struct DetectionCounts {
    std::array<std::uint64_t, kHitClasses> hits{};
    std::uint64_t all_hits = 0, misses = 0, bypasses = 0;

    explicit DetectionCounts(const StatGroup& machine);
    /// Returns the loads of A, one for each rename unit.
    [[nodiscard]] std::uint64_t units() const { return all_hits + misses + bypasses; }
};

/// Adds the Duplo metrics listed in docs/results.md: hits as shares of all loads of A.
void add_duplo_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics);

}  // namespace tessera
