// Activity of the papers' mechanisms in a run, with a key figure for each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"

namespace tessera {

/// Event counts of the mechanisms, summed over kernels.
struct MechanismCounts {
    std::uint64_t loads_of_a = 0, lhb_hits = 0;  ///< Duplo, in rename units
    std::uint64_t spwmmas = 0, ohmmas = 0, ohmmas_skipped = 0;
    std::uint64_t owmmas = 0;  ///< dense products of outer-product tensor cores
    std::uint64_t vector_operations = 0, predicted = 0, assigned = 0;

    /// Adds the counts of the last kernel.
    void add(const Config& config, const StatGroup& statistics);
};

/// An enabled mechanism.
struct MechanismFigure {
    std::string name;
    bool acted = false;
    std::string figure;  ///< its key figure, or why it did not act
};

/// Enabled mechanisms in the papers' order, followed by blocks that are RTL.
[[nodiscard]] std::vector<MechanismFigure> mechanism_figures(const Config& config,
                                                             const MechanismCounts& counts);

}  // namespace tessera
