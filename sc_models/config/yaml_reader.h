// YAML text to located nodes; the only place that knows the YAML library.
#pragma once

#include <string>
#include <string_view>

#include "sc_models/config/config_node.h"

namespace tessera {

/// Parses one YAML document. Anchors, aliases and merge keys (`<<`) are resolved; a key that occurs
/// twice in one mapping, a second document, text that is not UTF-8, or nesting or expansion beyond
/// all reason is refused.
/// Empty text gives an empty node. Throws a located ConfigError that names `source`.
[[nodiscard]] ConfigNode parse_yaml(const std::string& text, const std::string& source);

/// The same for a file (or pipe) of at most a megabyte.
[[nodiscard]] ConfigNode parse_yaml_file(const std::string& path);

/// `--set key.path=value`: the value, which is YAML itself, nested under its key.
[[nodiscard]] ConfigNode parse_assignment(const std::string& assignment);

}  // namespace tessera
