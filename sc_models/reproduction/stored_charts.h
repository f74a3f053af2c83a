// Charts drawn again from stored results.
#pragma once

#include <filesystem>
#include <string>

namespace tessera {

/// The chart of a correlation.json of `tessera correlate`, or of a figure of an atlas.json of
/// `tessera atlas`, as an SVG file of its own. `figure` is the id of one of the atlas's figures;
/// empty: the first. Throws ConfigError if the file is neither, or lacks the figure.
[[nodiscard]] std::string stored_chart(const std::filesystem::path& file,
                                       const std::string& figure);

}  // namespace tessera
