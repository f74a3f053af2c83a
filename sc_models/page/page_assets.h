// Style and scripts of pages, which the build puts into the program (cmake/TesseraEmbed.cmake).
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// The text of a file of assets/ ("page.css"). Throws std::out_of_range for one that CMakeLists.txt
/// does not list.
[[nodiscard]] std::string_view page_asset(std::string_view name);

}  // namespace tessera
