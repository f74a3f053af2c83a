// Lowering of operators of rows and windows.
#pragma once

#include <vector>

#include "sc_models/lowering/operator_family.h"

namespace tessera {

/// Reductions, normalizations and pools.
class RowLowering : public OperatorFamily {
public:
    using OperatorFamily::OperatorFamily;

    [[nodiscard]] PlacedTensor lrn() const;
    /// Normalizes images with one parameter per channel.
    [[nodiscard]] PlacedTensor normalization(Op op) const;
    /// Mean and deviation, if used, have their own kernels.
    [[nodiscard]] Tensors layer_normalization() const;
    [[nodiscard]] PlacedTensor rms_normalization() const;
    /// Up to operator set 12, all sides from the axis on form one row.
    [[nodiscard]] PlacedTensor softmax(Op op) const;
    [[nodiscard]] PlacedTensor global(Op op) const;
    [[nodiscard]] PlacedTensor reduce(Op op) const;
    [[nodiscard]] PlacedTensor pool(Op op) const;

private:
    [[nodiscard]] PlacedTensor reduced_by(Op op, const std::vector<bool>& reduced, bool keep) const;
    /// A reduction along no axis: the function of each element, if it is not the element itself.
    [[nodiscard]] PlacedTensor of_single_elements(Op op, const PlacedTensor& x) const;
};

}  // namespace tessera
