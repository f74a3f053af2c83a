// Style sheets and scripts of pages, embedded into the program (cmake/TesseraEmbed.cmake).
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Contents of a file of assets/ ("page.css"). Throws std::out_of_range for a file that
/// CMakeLists.txt does not list.
[[nodiscard]] std::string_view page_asset(std::string_view name);

}  // namespace tessera
