// Logging through spdlog, one logger a module, each with its own level.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

namespace tessera {

/// The modules that log; `logging.modules` sets the level of each.
inline constexpr std::string_view kLogModules[] = {"config", "gpu", "sm", "duplo", "memory", "run"};

/// Sets the default level and those of single modules. Throws ConfigError for an unknown level or
/// module.
void configure_logging(const std::string& level,
                       const std::vector<std::pair<std::string, std::string>>& modules);

/// The logger of a module of kLogModules; writes to stderr.
[[nodiscard]] spdlog::logger& logger(std::string_view module);

}  // namespace tessera
