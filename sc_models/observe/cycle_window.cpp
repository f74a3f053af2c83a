#include "sc_models/observe/cycle_window.h"

#include <fmt/format.h>
#include <charconv>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

bool parse_cycle(std::string_view text, Cycle& cycle) {
    if (text.empty()) return true;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, cycle);
    return error == std::errc() && stop == end;
}

}  // namespace

CycleWindow CycleWindow::parse(std::string_view text, std::string_view option) {
    CycleWindow window;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || !parse_cycle(text.substr(0, colon), window.begin) ||
        !parse_cycle(text.substr(colon + 1), window.end)) {
        throw ConfigError(fmt::format(
            "{}: got '{}', expected two core cycles A:B, either of which may be left out", option,
            text));
    }
    if (window.begin >= window.end) {
        throw ConfigError(
            fmt::format("{}: got '{}', expected a first cycle below the last", option, text));
    }
    return window;
}

std::string CycleWindow::text() const {
    return fmt::format("{}:{}", begin, end == kNever ? "" : fmt::to_string(end));
}

}  // namespace tessera
