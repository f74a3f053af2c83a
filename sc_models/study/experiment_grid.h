// Grid of an experiment: keys with several values, and variants for all combinations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/engine/config_node.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// A key and its values.
struct GridAxis {
    std::string key;
    SourceLocation location;  ///< of the key
    std::vector<ConfigNode> values;
};
using ExperimentGrid = std::vector<GridAxis>;

/// Characters allowed in names of variants, folders and columns.
inline constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+";

/// Reads `grid: {key: [value, ...]}`. Throws a located ConfigError for keys without values and for
/// duplicate values.
[[nodiscard]] ExperimentGrid read_grid(const ConfigNode& node, const std::string& path);

/// Number of combinations; a double because it may exceed every integer type.
[[nodiscard]] double points_in(const ExperimentGrid& grid);
/// All combinations of the grid's values, last key fastest; an empty grid has one empty
/// combination.
[[nodiscard]] std::vector<std::vector<ConfigNode::Member>> points_of(const ExperimentGrid& grid);

/// Name of `variant` at a point: "duplo" at 1024 and 0.5 is "duplo-1024-0_5".
[[nodiscard]] std::string name_at(const std::string& variant,
                                  const std::vector<ConfigNode::Member>& point);

}  // namespace tessera
