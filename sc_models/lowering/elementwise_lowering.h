// Lowering of operators that work element by element.
#pragma once

#include "sc_models/lowering/operator_family.h"

namespace tessera {

/// Operators of elements, with broadcasting.
class ElementwiseLowering : public OperatorFamily {
public:
    using OperatorFamily::OperatorFamily;

    [[nodiscard]] PlacedTensor unary(Op op) const;
    /// Converts integers to real numbers by a copy.
    [[nodiscard]] PlacedTensor cast() const;
    [[nodiscard]] PlacedTensor binary(Op op) const;
    /// Combines all inputs, as many per kernel as it takes; for a mean the last kernel divides by
    /// their number.
    [[nodiscard]] PlacedTensor several(Op op) const;
    [[nodiscard]] PlacedTensor where() const;
    /// QuantizeLinear or DequantizeLinear, whose scale and zero point are broadcast.
    [[nodiscard]] PlacedTensor quantization(Op op) const;
    /// QLinearAdd, by one kernel with all scales and zero points as arguments.
    [[nodiscard]] PlacedTensor sum_of_bytes() const;
    /// The result is a state of the recurrent network.
    [[nodiscard]] PlacedTensor recurrent_step(Op op) const;
    /// Sets elements outside the triangle to 0.
    [[nodiscard]] PlacedTensor triangle() const;
    [[nodiscard]] PlacedTensor chain(Op op) const;

private:
    /// Combines tensors with broadcasting: missing leading sides count as 1.
    [[nodiscard]] PlacedTensor combined(Op op, const Tensors& tensors, float alpha = 0) const;
};

}  // namespace tessera
