// Golden model and definition of attention.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/attention/flash_problem.h"

namespace tessera {

/// Operands of one row of queries: the row, and rows of keys and values by their number.
struct FlashOperands {
    const HalfBits* query = nullptr;
    std::function<const HalfBits*(std::uint32_t key)> key, value;
    const HalfBits* mask = nullptr;  ///< of the sequence, by key; null: none
};

/// The row of the result, bit by bit as the kernel computes it: tiles of keys from the last to the
/// first, dot products of four at a time, sums of weights in four lanes, and parts of the keys
/// joined. `row` counts within a head.
[[nodiscard]] std::vector<HalfBits> golden_row(const FlashProblem& problem, std::uint32_t row,
                                               const FlashOperands& operands);

/// An element of a row by definition, in double precision, and how far the golden model may be from
/// it.
struct AttentionReference {
    double value = 0, bound = 0;
};
/// The bound covers dot products of four products whose terms are cut off at 2^-23 of the largest,
/// scores' errors in exponentials, weights rounded to halves, and the rounding of the result.
[[nodiscard]] std::vector<AttentionReference> defined_row(const FlashProblem& problem,
                                                          std::uint32_t row,
                                                          const FlashOperands& operands);

}  // namespace tessera
