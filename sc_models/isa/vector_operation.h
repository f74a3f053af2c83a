// Unit of work of a direct convolution: one filter row applied to one input row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sc_models/common/types.h"

namespace tessera {

class LaneLayout;

/// One vector operation of a warp (opportunistic computing, III-A): every lane multiplies `length`
/// neighbouring floats of the input by the same number of weights and adds the sum to its output.
/// Addresses are those of lane 0.
struct VectorOperation {
    Address input = 0, weights = 0, output = 0;
    const LaneLayout* layout = nullptr;  ///< of the kernel
    std::uint32_t length = 0;
    // Inputs of the prediction (Algorithm 1): the operation belongs to row `window_row` of the
    // filter, whose window steps down by `row_step` rows of the input, `windows_below` more times
    // in this thread. The weight vector of the row above lies `weight_row_bytes` before.
    std::uint32_t window_row = 0;
    std::uint32_t row_step = 1;
    std::uint32_t windows_below = 0;
    std::uint32_t weight_row_bytes = 0;
};

/// Executor of a vector operation; decided once, when its kVectorOp issues.
enum class VectorOutcome : std::uint8_t {
    kNormal,     ///< the warp itself
    kPredicted,  ///< the machine has the result, which the warp adds to its own
    kAssigned    ///< another SM, which also adds it to the output
};
inline constexpr std::size_t kVectorOutcomes = 3;

}  // namespace tessera
