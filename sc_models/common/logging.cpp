#include "sc_models/common/logging.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 6> kLevels = {"trace", "debug", "info",
                                                     "warn",  "error", "off"};

spdlog::level::level_enum parse_level(std::string_view key, const std::string& text) {
    if (std::find(kLevels.begin(), kLevels.end(), text) == kLevels.end()) {
        throw ConfigError(fmt::format("{}: got '{}', expected one of {{{}}}", key, text,
                                      fmt::join(kLevels, ", ")));
    }
    return spdlog::level::from_str(text);
}

}  // namespace

void configure_logging(const std::string& level,
                       const std::vector<std::pair<std::string, std::string>>& modules) {
    const auto general = parse_level("logging.level", level);
    for (const std::string_view module : kLogModules) logger(module).set_level(general);
    for (const auto& [module, text] : modules) {
        if (std::find(std::begin(kLogModules), std::end(kLogModules), module) ==
            std::end(kLogModules)) {
            throw ConfigError(
                fmt::format("logging.modules.{}: unknown module, expected one of {{{}}}", module,
                            fmt::join(kLogModules, ", ")));
        }
        logger(module).set_level(parse_level("logging.modules." + module, text));
    }
}

spdlog::logger& logger(std::string_view module) {
    if (auto existing = spdlog::get(std::string(module))) return *existing;
    auto made = spdlog::stderr_color_mt(std::string(module));
    made->set_pattern("[%n] %^%l%$: %v");
    return *made;
}

}  // namespace tessera
