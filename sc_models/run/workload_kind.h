// Which kind of workload a run is: it follows from the layer and the mechanism.
#pragma once

#include <string>

#include "sc_models/config/config_source.h"

namespace tessera {

/// Makes the pieces of `source` one run, whatever the order in which they were given. Adds the
/// kind of the workload, unless some piece sets it:
///
/// | layer                   | without mechanism, Duplo | sparse             | opportunistic      |
/// |-------------------------|--------------------------|--------------------|--------------------|
/// | convolution             | convolution              | sparse_convolution | direct_convolution |
/// | convolution with `pass` | direct_convolution       | refused            | direct_convolution |
/// | product (m, n, k)       | gemm                     | sparse_gemm        | refused            |
/// | trace                   | trace                    | refused            | refused            |
/// | operator (tensor)       | tensor                   | refused            | refused            |
/// | none given              | convolution              | sparse_gemm        | direct_convolution |
///
/// (Duplo is refused for a convolution with `pass`, for traces and for operators.) A mechanism of
/// all three makes a composition. Throws a ConfigError that names both if a layer or a mechanism
/// would be thrown away, if there are two of a part, or if something is added to the configuration
/// of a whole run.
void settle_workload_kind(ConfigSource& source);

/// The kind of workload that computes the zeros of a layer's operands like any other number; empty:
/// it says of none.
[[nodiscard]] std::string kind_that_computes_zeros(const ConfigNode& layer);

/// Whether a layer is a product of two matrices.
[[nodiscard]] bool is_matrix_product(const ConfigNode& layer);

}  // namespace tessera
