// Which of the papers' mechanisms took part in a run, and what each came to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"

namespace tessera {

/// What the mechanisms did, summed over kernels.
struct MechanismCounts {
    std::uint64_t loads_of_a = 0, lhb_hits = 0;  ///< Duplo, in rename units
    std::uint64_t spwmmas = 0, ohmmas = 0, ohmmas_skipped = 0;
    std::uint64_t owmmas = 0;  ///< dense products of outer-product tensor cores
    std::uint64_t vector_operations = 0, predicted = 0, assigned = 0;

    /// Adds those of the kernel that has just run.
    void add(const Config& config, const StatGroup& statistics);
};

/// A mechanism that the configuration switches on.
struct MechanismFigure {
    std::string name;
    bool acted = false;
    std::string figure;  ///< its key figure, or why it had nothing to do
};

/// Those that are switched on, in the papers' order, with blocks that are RTL last.
[[nodiscard]] std::vector<MechanismFigure> mechanism_figures(const Config& config,
                                                             const MechanismCounts& counts);

}  // namespace tessera
