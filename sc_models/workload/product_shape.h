// Description of a matrix product's result for checkers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sc_models/common/types.h"
#include "sc_models/isa/mma_shape.h"

namespace tessera {

/// D of m x n floats at `d`, the product over k (a multiple of 16), rows `pitch` floats apart: D
/// may be a part of the columns of a larger matrix.
struct ProductShape {
    std::uint64_t m = 0, n = 0, k = 0;  ///< k in units of 2 bytes
    Address d = 0;
    std::uint64_t pitch = 0;
    /// Whether the launch computes element (row, column); constant within blocks of 16x16 (of each
    /// group, if the product has several).
    std::function<bool(std::uint64_t row, std::uint64_t column)> makes;
    /// k per part, summed separately before the parts are added, first to last; 0: k is not
    /// divided.
    std::uint64_t part_k = 0;
    /// C, zero if empty, and whether sums start from it; otherwise it is added to them at the end.
    std::function<float(std::uint64_t row, std::uint64_t column)> c{};
    bool begins_with_c = false;
    bool halves = false;      ///< D holds halves (format_of `operands`); sums are rounded to them
    bool by_columns = false;  ///< rows and columns are those of the transposed matrices
    /// First element of a row of D, if rows are not `pitch` apart.
    std::function<std::uint64_t(std::uint64_t row)> element{};
    OperandType operands = OperandType::kFp16;  ///< integers: D is INT32, without C and epilogue
    /// Epilogue of a sum, after C and before rounding; null: none.
    std::function<float(float sum, std::uint64_t row, std::uint64_t column)> epilogue{};
    /// The bytes of D that INT32 sums become; null: D is INT32.
    std::function<std::int32_t(std::uint32_t sum, std::uint64_t row, std::uint64_t column)>
        requantization{};
    bool has_unsigned_bytes = false;  ///< the bytes of D are UINT8
    /// Bytes of D as something else computed them; nothing: unknown.
    std::function<std::optional<std::int32_t>(std::uint64_t row, std::uint64_t column)> known{};
};

}  // namespace tessera
