// Lowering of operators that only move elements.
#pragma once

#include <cstddef>
#include <vector>

#include "sc_models/lowering/operator_family.h"

namespace tessera {

/// Transposition, slices, joins, padding, and resizing.
class MovementLowering : public OperatorFamily {
public:
    using OperatorFamily::OperatorFamily;

    /// Moves a channels-last tensor once, not twice; adds no operation if no element moves.
    [[nodiscard]] PlacedTensor transpose() const;
    [[nodiscard]] PlacedTensor move_blocks() const;
    [[nodiscard]] PlacedTensor slice() const;
    [[nodiscard]] PlacedTensor gather_elements() const;
    /// A single known index is lowered to a slice.
    [[nodiscard]] PlacedTensor gather() const;
    [[nodiscard]] PlacedTensor pad() const;
    [[nodiscard]] PlacedTensor concat() const;
    [[nodiscard]] Tensors split() const;
    [[nodiscard]] PlacedTensor expand() const;
    /// Splits every side into a new one and the old one.
    [[nodiscard]] PlacedTensor tile() const;
    [[nodiscard]] PlacedTensor resize() const;

private:
    /// An operation on elements of the operands' type.
    [[nodiscard]] static TensorOperation move_of(Op op, const Tensors& operands);
    [[nodiscard]] PlacedTensor transposed(const PlacedTensor& x, const network::Shape& sides,
                                          const std::vector<std::size_t>& order) const;
    [[nodiscard]] PlacedTensor sliced(const PlacedTensor& x,
                                      const std::vector<network::SliceRange>& ranges) const;
    /// Adds an operation by indices, taken from the node if they are known.
    [[nodiscard]] PlacedTensor by_indices(Op op, const PlacedTensor& x, std::size_t axis,
                                          const network::Shape& shape) const;
    [[nodiscard]] PlacedTensor resized(const PlacedTensor& x, const network::Sizing& sizing) const;
};

}  // namespace tessera
