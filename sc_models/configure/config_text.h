// Text forms of a run's configuration: effective YAML, list of keys, hash.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_entries.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Reads all pieces of `source`, derives the kind of the workload where no piece sets it, resolves
/// paths and validates the result. Throws ConfigError.
[[nodiscard]] Config load_config(ConfigSource& source);

/// Every key with its value, in schema order; reads back to an equal Config. Keys of `host` are
/// omitted, because they do not affect the results.
[[nodiscard]] std::string to_yaml(const Config& config);

/// to_yaml() with the header of a whole run (part: run).
[[nodiscard]] std::string run_to_yaml(const Config& config);
/// run_to_yaml() with the keys of `host`.
[[nodiscard]] std::string effective_yaml(const Config& config);

/// Keys with their defaults, units, allowed values and meanings: all, those of the section or key
/// `wanted` ("duplo", "duplo.lhb"), or those with this text in name or meaning. Throws ConfigError
/// if there is none.
[[nodiscard]] std::vector<ConfigEntry> find_config_keys(std::string_view wanted = {});

/// find_config_keys() as a table, or as paragraphs of lines of at most `width` characters.
[[nodiscard]] std::string list_config_keys(std::string_view wanted = {},
                                           std::optional<std::size_t> width = std::nullopt);

/// Whether the value of this key is the path of a file.
[[nodiscard]] bool is_path_key(std::string_view key);

/// Resolves a path relative to its origin: the folder of the YAML file that contains it, or the
/// working directory for `--set`. The result is absolute; empty if `path` is.
[[nodiscard]] std::string resolved_path(std::string_view key, const std::string& path,
                                        const SourceLocation& written);

/// Every key that config_hash() depends on, with its value.
[[nodiscard]] std::string hashed_yaml(const Config& config);

/// 16 hex digits that depend on every key except those of `logging` and `host`, which do not affect
/// results.
[[nodiscard]] std::string config_hash(const Config& config);

}  // namespace tessera
