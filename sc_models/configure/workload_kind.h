// Derivation of the workload's kind from layer and mechanism.
#pragma once

#include <string>

#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Combines the pieces of `source` into one run, independent of their order. Adds the kind of the
/// workload, unless some piece sets it:
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
/// (Duplo is refused for a convolution with `pass`, for traces and for operators.) A mechanism file
/// of each of the three gives a composition. Throws a ConfigError that names both if a layer or a
/// mechanism would have no effect, if a part occurs twice, or if something is added to the
/// configuration of a whole run.
void settle_workload_kind(ConfigSource& source);

/// Kind of workload that computes the zeros of a layer's operands like other numbers; empty if the
/// layer has none.
[[nodiscard]] std::string kind_that_computes_zeros(const ConfigNode& layer);

/// Whether a layer is a product of two matrices.
[[nodiscard]] bool is_matrix_product(const ConfigNode& layer);

}  // namespace tessera
