// YAML reader that returns located nodes; the only user of the YAML library.
#pragma once

#include <string>
#include <string_view>

#include "sc_models/config/engine/config_node.h"

namespace tessera {

/// Parses one YAML document. Anchors, aliases and merge keys (`<<`) are resolved. Duplicate keys in
/// a mapping, a second document, text that is not UTF-8, and excessive nesting or expansion are
/// refused. Empty text gives an empty node. Throws a located ConfigError that names `source`.
[[nodiscard]] ConfigNode parse_yaml(const std::string& text, const std::string& source);

/// Parses a file (or pipe) of at most one megabyte.
[[nodiscard]] ConfigNode parse_yaml_file(const std::string& path);

/// Parses `--set key.path=value`: the value is YAML and is nested under its key.
[[nodiscard]] ConfigNode parse_assignment(const std::string& assignment);

}  // namespace tessera
