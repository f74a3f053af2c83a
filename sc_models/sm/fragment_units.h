// Division of a fragment into the units of a load filter.
#pragma once

#include <cstdint>

#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Units of a 16x16 fragment, each of which occupies registers of its own: single rows, groups of 8
/// rows or all 16 rows, either of each octet copy separately or of both together. The units of
/// octet copy 0 come first.
class FragmentUnits {
public:
    /// `rows` is 1, 8 or 16. With `copies` 1 a unit covers the same rows of both octet copies.
    FragmentUnits(std::uint32_t rows, std::uint32_t copies)
        : rows_(rows), groups_(kFragmentRows / rows), count_(groups_ * copies) {}

    /// Number of units: 32, 16, 4, 2 or 1.
    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] std::uint32_t rows() const { return rows_; }
    /// Units of one octet copy.
    [[nodiscard]] std::uint32_t groups() const { return groups_; }
    /// Bytes of a unit in one octet copy.
    [[nodiscard]] std::uint32_t bytes() const { return rows_ * kFragmentRowBytes; }
    /// Index of the row group that a unit holds.
    [[nodiscard]] std::uint32_t group_of(std::uint32_t unit) const { return unit & (groups_ - 1); }
    [[nodiscard]] std::uint32_t first_row(std::uint32_t unit) const {
        return group_of(unit) * rows_;
    }
    /// The octet copy, 0 or 1, to which a unit belongs.
    [[nodiscard]] std::uint32_t copy_of(std::uint32_t unit) const { return unit < groups_ ? 0 : 1; }

private:
    std::uint32_t rows_, groups_, count_;
};

}  // namespace tessera
