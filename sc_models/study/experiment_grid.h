// The grid of an experiment: keys, each with several values, and variants for all combinations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config_node.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// A key and the values it takes.
struct GridAxis {
    std::string key;
    SourceLocation location;  ///< of the key
    std::vector<ConfigNode> values;
};
using ExperimentGrid = std::vector<GridAxis>;

/// What names of variants, folders and columns consist of.
inline constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+";

/// Reads `grid: {key: [value, ...]}`. Throws a located ConfigError for keys without values and for
/// values that are there twice.
[[nodiscard]] ExperimentGrid read_grid(const ConfigNode& node, const std::string& path);

/// How many combinations of its values there are, which may be more than any integer holds.
[[nodiscard]] double points_in(const ExperimentGrid& grid);
/// Every combination of the grid's values, the last key fastest; one without any if it is empty.
[[nodiscard]] std::vector<std::vector<ConfigNode::Member>> points_of(const ExperimentGrid& grid);

/// The name of `variant` at a point: "duplo" at 1024 and 0.5 is "duplo-1024-0_5".
[[nodiscard]] std::string name_at(const std::string& variant,
                                  const std::vector<ConfigNode::Member>& point);

}  // namespace tessera
