#include "tools/tessera/output_page.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {

namespace fs = std::filesystem;

void expect_page_or_nothing(const fs::path& page, std::string_view what) {
    constexpr std::string_view kBegin = "<!doctype html";
    if (!fs::exists(page)) return;
    if (!fs::is_regular_file(page)) {
        throw ConfigError(fmt::format("{}: {} is there and is no file, expected another one", what,
                                      page.string()));
    }
    if (fs::file_size(page) == 0) return;
    std::ifstream in(page, std::ios::binary);
    std::string begin(kBegin.size(), ' ');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    std::transform(begin.begin(), begin.end(), begin.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (begin == kBegin) return;
    throw ConfigError(fmt::format("{}: {} is there and is no HTML page, expected another file",
                                  what, page.string()));
}

}  // namespace tessera
