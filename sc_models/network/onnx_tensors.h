// Conversion of tensors from ONNX files.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "sc_models/network/tensor.h"

namespace tessera::network {

/// Maps ONNX's type number (TensorProto.DataType) to a type. Throws ConfigError for unsupported
/// ones.
[[nodiscard]] ElementType element_type_of(std::int32_t number);

/// A tensor with its values, external ones from a file in or below `folder` ("" for none). Throws
/// ConfigError, without the tensor's name, for a type that is not supported, for missing or surplus
/// values, and for an external file that cannot be read. Allocates no more memory than the values
/// present need.
[[nodiscard]] Tensor tensor_of(const onnx::TensorProto& proto, const std::string& folder);

/// All bytes of a file. Throws ConfigError with the path.
[[nodiscard]] std::string bytes_of_file(const std::string& path);

}  // namespace tessera::network
