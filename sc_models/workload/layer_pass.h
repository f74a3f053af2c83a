// Conversion of a layer's pass to a pass of another layer that a kernel supports.
#pragma once

#include "sc_models/config/workload_config.h"

namespace tessera {

/// Returns the configuration without transposition: a transposed layer is the gradient of the input
/// of a strided convolution whose filters are the layer's channels. Layers that are not transposed
/// are returned unchanged. Throws ConfigError if the output is empty.
[[nodiscard]] WorkloadConfig without_transposition(WorkloadConfig config);

/// Returns the configuration with a layer whose output is that of workload.pass, for kernels that
/// lower their input: the gradient of the input becomes a convolution over the output's gradient
/// with the filters rotated, transposed if the layer has a stride. Throws ConfigError if there is
/// none: gradients of filters, filters that are not square (padding is equal on all sides), and
/// strides that leave input pixels over.
[[nodiscard]] WorkloadConfig lowered_pass(WorkloadConfig config);

}  // namespace tessera
