// A layer's pass as a pass of another layer that a kernel knows.
#pragma once

#include "sc_models/config/workload_config.h"

namespace tessera {

/// A transposed layer is the gradient of the input of a convolution with a stride, whose filters
/// are the layer's channels. The configuration with that convolution and its pass; of layers that
/// are not transposed, as it is. Throws ConfigError where nothing is left of the output.
[[nodiscard]] WorkloadConfig without_transposition(WorkloadConfig config);

/// Kernels that lower their input compute a layer's output. The configuration with a layer whose
/// output is that of workload.pass: for the gradient of the input a convolution over the output's
/// gradient with the filters turned round, transposed where the layer has a stride. Throws
/// ConfigError where there is none: gradients of filters, filters that are not square (padding is
/// the same on all sides), and strides that leave input pixels over.
[[nodiscard]] WorkloadConfig lowered_pass(WorkloadConfig config);

}  // namespace tessera
