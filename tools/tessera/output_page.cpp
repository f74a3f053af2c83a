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
    expect_beginning_or_nothing(page, what, "<!doctype html", "HTML page");
}

void expect_beginning_or_nothing(const fs::path& page, std::string_view what,
                                 std::string_view beginning, std::string_view kind) {
    if (!fs::exists(page)) return;
    if (!fs::is_regular_file(page)) {
        throw ConfigError(fmt::format("{}: {} is there and is no file, expected another one", what,
                                      page.string()));
    }
    if (fs::file_size(page) == 0) return;
    std::ifstream in(page, std::ios::binary);
    std::string begin(beginning.size(), ' ');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    std::transform(begin.begin(), begin.end(), begin.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (begin == beginning) return;
    throw ConfigError(fmt::format("{}: {} is there and is no {}, expected another file", what,
                                  page.string(), kind));
}

}  // namespace tessera
