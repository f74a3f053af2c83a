// The configuration of a run as text: effective YAML, the list of keys, the hash.
#pragma once

#include <string>

#include "sc_models/common/config_source.h"
#include "sc_models/gpu/config.h"

namespace tessera {

/// Reads all pieces of `source`, settles the kind of the workload where none of them says it, and
/// validates the result. Throws ConfigError.
[[nodiscard]] Config load_config(ConfigSource& source);

/// Every key with its value, in schema order; reads back to an equal Config.
[[nodiscard]] std::string to_yaml(const Config& config);

/// The same as a file that says it is a whole run (part: run).
[[nodiscard]] std::string run_to_yaml(const Config& config);

/// Every key with its default, unit, allowed values and meaning, as aligned text.
[[nodiscard]] std::string list_config_keys();

/// 16 hex digits that depend on every key but those of `logging`, which cannot change a result.
[[nodiscard]] std::string config_hash(const Config& config);

}  // namespace tessera
