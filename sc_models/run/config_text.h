// The configuration of a run as text: effective YAML, the list of keys, the hash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/config_entries.h"
#include "sc_models/config/config_source.h"

namespace tessera {

/// Reads all pieces of `source`, settles the kind of the workload where none of them says it,
/// resolves its paths and validates the result. Throws ConfigError.
[[nodiscard]] Config load_config(ConfigSource& source);

/// Every key with its value, in schema order; reads back to an equal Config. Those of `host` are
/// left out: they say how a machine simulates the run, and the run is the same without them.
[[nodiscard]] std::string to_yaml(const Config& config);

/// The same as a file that says it is a whole run (part: run).
[[nodiscard]] std::string run_to_yaml(const Config& config);
/// The same with the keys of `host`: all that is in force.
[[nodiscard]] std::string effective_yaml(const Config& config);

/// Keys with their defaults, units, allowed values and meanings: all, those of the section or key
/// `wanted` ("duplo", "duplo.lhb"), or those with that text in name or meaning. Throws ConfigError
/// if there is none.
[[nodiscard]] std::vector<ConfigEntry> find_config_keys(std::string_view wanted = {});

/// The same as aligned text.
[[nodiscard]] std::string list_config_keys(std::string_view wanted = {});

/// Whether the text of this key is the path of a file.
[[nodiscard]] bool is_path_key(std::string_view key);

/// A path as it was meant where it was written: relative to the folder of a YAML file that names
/// it, or to the working directory for `--set`. Absolute, so that it means the same from anywhere;
/// empty if `path` is.
[[nodiscard]] std::string resolved_path(std::string_view key, const std::string& path,
                                        const SourceLocation& written);

/// 16 hex digits that depend on every key but those of `logging` and `host`, which cannot change a
/// result.
[[nodiscard]] std::string config_hash(const Config& config);

}  // namespace tessera
