// Operators on one element and their instruction costs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera {

/// Warp instructions per 32 elements.
struct OperatorCost {
    std::uint32_t fp32 = 0;  ///< of the FP32 lanes
    std::uint32_t sfu = 0;   ///< of the special-function units: MUFU
};

[[nodiscard]] constexpr OperatorCost operator+(OperatorCost a, OperatorCost b) {
    return {a.fp32 + b.fp32, a.sfu + b.sfu};
}

/// Results of the preceding passes over one row or window.
using PassResults = const float*;

inline constexpr std::size_t kMostPasses = 2;
inline constexpr std::size_t kMaxPassResults = 2;
inline constexpr std::size_t kMostStates = 3;

/// A running sum (or maximum, ...): as many numbers as the pass's `states`. Welford's algorithm has
/// mean, squares and count.
using PassState = std::array<float, kMostStates>;

/// A sum (or maximum, ...) over the elements of a row or a window.
struct TensorPass {
    PassState first{};  ///< initial state
    std::function<PassState(const PassState& sum, float x, PassResults)> step;
    std::function<PassState(const PassState&, const PassState&)> join;  ///< joins two sums
    /// Writes the pass's own results among all `ends` of the formula.
    std::function<void(const PassState& sum, float count, float* ends)> end;
    OperatorCost step_cost, join_cost, end_cost;
    /// Cost in addition to step_cost, once for all results of a lane that take their element from
    /// the same row.
    OperatorCost row_cost;
    std::uint32_t states = 1;
};

/// An operator in FP32: passes over a row, in order, and a result computed from `operands` elements
/// and the ends of the passes. Operations are rounded one by one, in the order written.
struct TensorFormula {
    std::vector<TensorPass> passes;   ///< at most kMostPasses
    std::uint32_t operands = 1;       ///< number that the result reads,
    std::uint32_t first_operand = 0;  ///< starting with this one of the part's operands
    std::function<float(const float* x, PassResults)> result;
    OperatorCost cost;       ///< per result
    bool maps = true;        ///< one result per element, not only one per row
    float outside = 0;       ///< value of a position beyond the operand
    std::uint32_t ends = 0;  ///< numbers left by all passes, at most kMaxPassResults
};
inline constexpr std::uint32_t kMostMapOperands = 7;

/// Number of passes of a kernel over its rows: as many as the numerics need, or one.
enum class PassCount { kAsNeeded, kOne };

/// Returns the formula of a checked operation. kOne: reductions and row-wise operators have one
/// pass, with a larger PassState (Milakov and Gimelshein, Online normalizer calculation for
/// softmax, 2018).
[[nodiscard]] TensorFormula formula_of(const TensorOperation& operation,
                                       PassCount passes = PassCount::kAsNeeded);

}  // namespace tessera
