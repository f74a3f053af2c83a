// Statistics of Duplo's detection units and the key figures derived from them.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "sc_models/common/statistics.h"
#include "sc_models/duplo/detection_unit.h"

namespace tessera {

/// Registers the counters of one detection unit.
void add_detection_statistics(StatGroup& group, const DetectionCounters& counters);

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
