// Kernels of a machine that compute several operators of a file in one.
#pragma once

namespace tessera::network {

/// The numbers that a machine multiplies where a network has quantised operands.
enum class ProductNumbers {
    kReal,     ///< halves, between conversions
    kIntegers  ///< INT8, or UINT8 and INT8, where is_integer_product()
};

/// Kernels that a machine has for a network.
struct MachineKernels {
    ProductNumbers numbers = ProductNumbers::kReal;
    bool attention = false;  ///< one kernel where is_fused_attention(), products and softmax if not
    bool bf16 = false;       ///< products of BF16
};

}  // namespace tessera::network
