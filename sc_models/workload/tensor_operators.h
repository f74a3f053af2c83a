// What operators do to one element, and how many instructions that takes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sc_models/workload/tensor_operation.h"

namespace tessera {

/// Instructions of a warp for 32 elements.
struct OperatorCost {
    std::uint32_t fp32 = 0;  ///< of the FP32 lanes
    std::uint32_t sfu = 0;   ///< of the special-function units: MUFU
};

/// Ends of the passes before, of one row or window.
using PassEnds = const float*;

/// A sum (or maximum, ...) over the elements of a row or a window.
struct TensorPass {
    float first = 0;  ///< of nothing
    std::function<float(float sum, float x, PassEnds)> step;
    std::function<float(float, float)> join;  ///< of two sums, in either order
    std::function<float(float sum, float count, PassEnds)> end;
    OperatorCost step_cost, join_cost, end_cost;
};

/// An operator in FP32: passes over a row, the first first, and the result of `operands` elements
/// and the ends of the passes. Operations are rounded one by one, in the order that is written.
struct TensorFormula {
    std::vector<TensorPass> passes;   ///< at most kMostPasses
    std::uint32_t operands = 1;       ///< that the result takes for itself,
    std::uint32_t first_operand = 0;  ///< from this one of the part's on
    std::function<float(const float* x, PassEnds)> result;
    OperatorCost cost;  ///< of a result
    bool maps = true;   ///< a result for each element, not only one for a row
    float outside = 0;  ///< what a place beyond the operand counts as
};
inline constexpr std::size_t kMostPasses = 2;
inline constexpr std::uint32_t kMostMapOperands = 7;

/// Of a checked operation.
[[nodiscard]] TensorFormula formula_of(const TensorOperation& operation);

}  // namespace tessera
