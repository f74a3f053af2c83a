// How a filter of fragment loads cuts a fragment into units.
#pragma once

#include <cstdint>

#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// The units of a 16x16 fragment that lie in registers of their own: single rows, groups of 8 rows
/// or all 16, either of each octet copy apart or of both together. Those of octet copy 0 come
/// first.
class FragmentUnits {
public:
    /// `rows` is 1, 8 or 16. With one of `copies` a unit is the same rows of both octet copies.
    FragmentUnits(std::uint32_t rows, std::uint32_t copies)
        : rows_(rows), groups_(kFragmentRows / rows), count_(groups_ * copies) {}

    /// 32, 16, 4, 2 or 1.
    [[nodiscard]] std::uint32_t count() const { return count_; }
    [[nodiscard]] std::uint32_t rows() const { return rows_; }
    /// Units of one octet copy.
    [[nodiscard]] std::uint32_t groups() const { return groups_; }
    /// Of a unit, one octet copy of it counted.
    [[nodiscard]] std::uint32_t bytes() const { return rows_ * kFragmentRowBytes; }
    /// Which rows of the fragment a unit holds: those of its group.
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
