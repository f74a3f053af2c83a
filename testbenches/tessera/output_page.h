// HTML pages that commands write where the user says.
#pragma once

#include <filesystem>
#include <string_view>

namespace tessera {

/// Throws ConfigError naming `what` if a file is at `page` that does not begin as HTML pages do: a
/// page takes the place of another one, but not of results that are named by mistake.
void expect_page_or_nothing(const std::filesystem::path& page, std::string_view what);

}  // namespace tessera
