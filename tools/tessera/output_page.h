// Pages and charts that commands write to a path of the user's choice.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera {

/// Throws ConfigError naming `what` if the file at `page` does not begin like an HTML page: a page
/// may overwrite another page, but not results named by mistake.
void expect_page_or_nothing(const std::filesystem::path& page, std::string_view what);
/// The same for a file of another kind, such as "SVG file", that begins with `beginning` in lower
/// case.
void expect_beginning_or_nothing(const std::filesystem::path& file, std::string_view what,
                                 std::string_view beginning, std::string_view kind);

}  // namespace tessera
