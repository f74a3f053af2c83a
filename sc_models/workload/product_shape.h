// What a checker must know of a matrix product's result.
#pragma once

#include <cstdint>
#include <functional>

#include "sc_models/common/types.h"

namespace tessera {

/// D of m x n floats at `d`, the product over k (a multiple of 16), rows `pitch` floats apart: D
/// may be a part of the columns of a larger matrix.
struct ProductShape {
    std::uint64_t m = 0, n = 0, k = 0;
    Address d = 0;
    std::uint64_t pitch = 0;
    /// Whether the launch makes element (row, column); constant within blocks of 16x16 (of each
    /// group, if the product is that of several).
    std::function<bool(std::uint64_t row, std::uint64_t column)> makes;
    /// k of a part that is summed up by itself before the parts are added, first to last; 0: k is
    /// not divided.
    std::uint64_t part_k = 0;
    /// C, zero if nothing, and whether sums begin with it; otherwise it is added to them at the
    /// end.
    std::function<float(std::uint64_t row, std::uint64_t column)> c{};
    bool begins_with_c = false;
    bool halves = false;      ///< D holds halves, to which sums are rounded
    bool by_columns = false;  ///< rows and columns are those of the transposed matrices
    /// The element at which a row of D begins, where rows do not lie `pitch` apart.
    std::function<std::uint64_t(std::uint64_t row)> element{};
    /// What becomes of a sum behind C and before it is rounded; null: nothing.
    std::function<float(float sum, std::uint64_t row, std::uint64_t column)> epilogue{};
};

}  // namespace tessera
