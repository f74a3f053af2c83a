// Costs of an element's operations, and float functions used by formulas. Costs are chosen: the
// approximate cost of CUDA's FP32 functions on Volta, in FMNMX, FADD, FMUL and FFMA on the FP32
// lanes and MUFU on the special-function units (CUDA C++ Programming Guide, arithmetic
// instructions). Large tensors wait for DRAM and not for these.
#pragma once

#include <limits>

#include "sc_models/workload/operators/tensor_math.h"
#include "sc_models/workload/operators/tensor_operators.h"

namespace tessera {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr OperatorCost kOne = {1, 0};
inline constexpr OperatorCost kExp = {6, 1};       // ex2 with its range, two multiplications before
inline constexpr OperatorCost kLog = {8, 1};       // lg2 with its range
inline constexpr OperatorCost kDivision = {8, 1};  // reciprocal, two Newton steps and a check
inline constexpr OperatorCost kRoot = {6, 1};
inline constexpr OperatorCost kPolynomial = {20, 1};  // tanh, erf: two ranges
inline constexpr OperatorCost kCircle = {24, 0};      // sin, cos: reduction and a polynomial

[[nodiscard]] inline float exp_float(float x) {
    return static_cast<float>(exp_of(x));
}
[[nodiscard]] inline float log_float(float x) {
    return static_cast<float>(log_of(x));
}

/// Propagates NaNs, as ONNX's reference does.
[[nodiscard]] inline float larger(float a, float b) {
    return a > b || a != a ? a : b;
}
[[nodiscard]] inline float smaller(float a, float b) {
    return a < b || a != a ? a : b;
}

}  // namespace tessera
