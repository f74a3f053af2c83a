// Activity of the papers' mechanisms in a run, with a key figure for each.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"
#include "sc_models/mechanism/mechanism_figures.h"

namespace tessera {

/// Event counts of all mechanisms, summed over kernels; in the order of the
/// mechanisms that have figures.
struct MechanismTotals {
    std::vector<MechanismCounts> counts;

    /// Adds the counts of the last kernel.
    void add(const Config& config, const StatGroup& statistics);
};

/// Enabled mechanisms in the papers' order, followed by blocks that are RTL.
[[nodiscard]] std::vector<MechanismFigure> mechanism_figures(const Config& config,
                                                             const MechanismTotals& totals);
/// Lines of all mechanisms in a kernel's summary, computed from its metrics.
[[nodiscard]] std::string mechanism_text(const nlohmann::ordered_json& metrics);

}  // namespace tessera
