// What operators do to one element, and how many instructions that takes.
#pragma once

#include <array>
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

[[nodiscard]] constexpr OperatorCost operator+(OperatorCost a, OperatorCost b) {
    return {a.fp32 + b.fp32, a.sfu + b.sfu};
}

/// Ends of the passes before, of one row or window.
using PassEnds = const float*;

inline constexpr std::size_t kMostPasses = 2;
inline constexpr std::size_t kMostEnds = 2;
inline constexpr std::size_t kMostStates = 3;

/// A running sum (or maximum, ...): as many numbers as the pass's `states`. Welford's has mean,
/// squares and count.
using PassState = std::array<float, kMostStates>;

/// A sum (or maximum, ...) over the elements of a row or a window.
struct TensorPass {
    PassState first{};  ///< of nothing
    std::function<PassState(const PassState& sum, float x, PassEnds)> step;
    std::function<PassState(const PassState&, const PassState&)> join;  ///< of two sums
    /// Writes the pass's own ends, of all `ends` of the formula.
    std::function<void(const PassState& sum, float count, float* ends)> end;
    OperatorCost step_cost, join_cost, end_cost;
    /// Besides step_cost, once for all results of a lane that take their element from the same row.
    OperatorCost row_cost;
    std::uint32_t states = 1;
};

/// An operator in FP32: passes over a row, the first first, and the result of `operands` elements
/// and the ends of the passes. Operations are rounded one by one, in the order that is written.
struct TensorFormula {
    std::vector<TensorPass> passes;   ///< at most kMostPasses
    std::uint32_t operands = 1;       ///< that the result takes for itself,
    std::uint32_t first_operand = 0;  ///< from this one of the part's on
    std::function<float(const float* x, PassEnds)> result;
    OperatorCost cost;       ///< of a result
    bool maps = true;        ///< a result for each element, not only one for a row
    float outside = 0;       ///< what a place beyond the operand counts as
    std::uint32_t ends = 0;  ///< numbers that all passes leave, at most kMostEnds
};
inline constexpr std::uint32_t kMostMapOperands = 7;

/// How a kernel goes over its rows: in as many passes as numerics want, or in one.
enum class PassCount { kAsNeeded, kOne };

/// Of a checked operation. kOne: reductions and row-wise operators have one pass, with a PassState
/// of more numbers (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018).
[[nodiscard]] TensorFormula formula_of(const TensorOperation& operation,
                                       PassCount passes = PassCount::kAsNeeded);

}  // namespace tessera
