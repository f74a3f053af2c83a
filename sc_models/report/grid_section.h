// Charts of a sweep over the grid of its experiment.
#pragma once

#include <string>
#include <string_view>

#include "sc_models/results/summary.h"

namespace tessera {

/// Name of a variant for people: "duplo (entries=256, ways=4)" for "duplo-256-4" of a grid, the
/// name itself outside one. Keys lose the sections that they do not need to differ.
[[nodiscard]] std::string grid_label(const Summary& summary, const std::string& variant);

/// Heat maps of a column of the summary, for each variant with a grid. With one key of several
/// values the map has a row a layer. With two it has these on its sides, and a panel for the mean
/// and each layer; with more, a panel for the mean at each combination of the others. Empty if no
/// key has several values, or none of them a number in the column.
[[nodiscard]] std::string grid_charts(const Summary& summary, std::string_view column,
                                      const std::string& unit);

}  // namespace tessera
