// Files in which an ONNX model keeps weights beside itself.
#pragma once

#include <set>
#include <string>

namespace tessera::network {

/// Locations of the model's external data, as it states them: relative to its folder. The model
/// must be one that read_onnx() reads. Throws ConfigError if it cannot be read.
[[nodiscard]] std::set<std::string> external_files(const std::string& model);

}  // namespace tessera::network
