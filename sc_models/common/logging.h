// Logging through spdlog, with one logger and level per module.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

namespace tessera {

/// Modules with a logger; `logging.modules` sets the level of each.
inline constexpr std::string_view kLogModules[] = {"config", "gpu", "sm", "duplo", "memory", "run"};

/// Sets the default level and the levels of single modules. Throws ConfigError for an unknown level
/// or module.
void configure_logging(const std::string& level,
                       const std::vector<std::pair<std::string, std::string>>& modules);

/// A warning that a module logged.
struct LoggedWarning {
    std::string module, text;
};
/// Warnings of this process so far, in their order; those below a module's level are missing.
[[nodiscard]] std::vector<LoggedWarning> logged_warnings();

/// Logger of a module in kLogModules; writes to stderr.
[[nodiscard]] spdlog::logger& logger(std::string_view module);

}  // namespace tessera
