// Tensors in files: .npy (NumPy) and .pb (an ONNX TensorProto).
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "sc_models/network/tensor.h"

namespace tessera::network {

/// Reads an array of NumPy's format 1.0 to 3.0, in C or Fortran order, little-endian f2, f4, i4, i8
/// or b1. Throws ConfigError naming the file, what it got and what is allowed. `name` is the file
/// in errors.
[[nodiscard]] Tensor read_npy(std::istream& in, const std::string& name);

/// The bytes of a .npy file with the tensor: format 1.0, C order, element types as in read_npy.
[[nodiscard]] std::string npy_bytes(const Tensor& tensor);

/// File name for the tensor NAME: letters, digits, '_', '-', '.' and '~' as they are, other bytes
/// as %XX, so that different tensors have different files; and ".npy".
[[nodiscard]] std::string npy_file_name(std::string_view tensor);

/// Reads a tensor file, .npy or .pb by its extension. Throws ConfigError naming the file.
[[nodiscard]] Tensor read_tensor_file(const std::string& path);

}  // namespace tessera::network
