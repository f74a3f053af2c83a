// A node that is no product, on its way to operations. For the files of this folder that lower
// operators; everybody else calls lower_operator() of operator_lowering.h.
#pragma once

#include <cstddef>
#include <vector>

#include "sc_models/lowering/operator_lowering.h"
#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/operators.h"
#include "sc_models/workload/tensor_operation.h"

namespace tessera {

/// Makes the operations of one node; one object a node.
class OperatorLowering {
public:
    using Op = TensorOperator;
    using Tensors = std::vector<PlacedTensor>;

    OperatorLowering(const network::OperatorCall& call, const Tensors& inputs, bool channels_last,
                     const OperationSink& sink)
        : call_(call), inputs_(inputs), last_(channels_last), sink_(sink) {}

    [[nodiscard]] Tensors run() const;

private:
    // operator_lowering.cpp: operands and results

    /// An input, which must be there as real numbers.
    [[nodiscard]] const PlacedTensor& all(std::size_t input) const;
    /// The same in the layout of the result.
    [[nodiscard]] PlacedTensor real(std::size_t input) const;
    /// An input that may be integers or truth values, which are halves.
    [[nodiscard]] const PlacedTensor& number(std::size_t input) const;
    [[nodiscard]] PlacedTensor as_in_file(std::size_t input) const;
    PlacedTensor apply(const TensorOperation& operation, const Tensors& operands,
                       MadeTensor result) const;
    [[nodiscard]] static TensorOperation operation_on(Op op, const Tensors& operands);
    /// Of the shape and layout of its first operand.
    PlacedTensor same(const TensorOperation& operation, const Tensors& operands) const;

    // elementwise_lowering.cpp

    [[nodiscard]] PlacedTensor unary(Op op) const;
    /// Integers become real numbers by a copy.
    [[nodiscard]] PlacedTensor cast() const;
    [[nodiscard]] PlacedTensor swish() const;
    [[nodiscard]] PlacedTensor binary(Op op, const PlacedTensor& a, const PlacedTensor& b) const;
    /// With broadcasting: of tensors of fewer sides those in front are 1.
    [[nodiscard]] PlacedTensor combined(Op op, const Tensors& tensors, float alpha = 0) const;
    /// Of as many as a kernel takes, the last of which divides a mean by their number.
    [[nodiscard]] PlacedTensor several(Op op) const;
    [[nodiscard]] PlacedTensor where() const;
    /// The result is a state.
    [[nodiscard]] PlacedTensor recurrent_step(Op op) const;
    /// What is not of the triangle is 0.
    [[nodiscard]] PlacedTensor triangle() const;
    [[nodiscard]] PlacedTensor chain(Op op) const;

    // row_lowering.cpp: reductions, normalizations, pools

    [[nodiscard]] PlacedTensor lrn() const;
    /// Images of channels with a parameter for each.
    [[nodiscard]] PlacedTensor normalization(Op op) const;
    /// Mean and deviation, where somebody wants them, are kernels of their own.
    [[nodiscard]] Tensors layer_normalization() const;
    /// Up to operator set 12 everything from the axis on is one row.
    [[nodiscard]] PlacedTensor softmax(Op op) const;
    [[nodiscard]] PlacedTensor global(Op op) const;
    [[nodiscard]] PlacedTensor reduce(Op op) const;
    [[nodiscard]] PlacedTensor reduced_by(Op op, const std::vector<bool>& reduced, bool keep) const;
    [[nodiscard]] PlacedTensor pool(Op op) const;

    // movement_lowering.cpp: what only moves

    [[nodiscard]] PlacedTensor transposed(const PlacedTensor& x, const network::Shape& sides,
                                          const std::vector<std::size_t>& order) const;
    /// What lies channels last is moved once, not twice; where nothing moves, nothing is done.
    [[nodiscard]] PlacedTensor transpose() const;
    [[nodiscard]] PlacedTensor move_blocks() const;
    [[nodiscard]] PlacedTensor sliced(const PlacedTensor& x,
                                      const std::vector<network::SliceRange>& ranges) const;
    [[nodiscard]] PlacedTensor slice() const;
    /// An operation by indices, which are those of the node where they are known.
    [[nodiscard]] PlacedTensor by_indices(Op op, const PlacedTensor& x, std::size_t axis,
                                          const network::Shape& shape) const;
    [[nodiscard]] PlacedTensor gather_elements() const;
    /// One index that is known is a slice.
    [[nodiscard]] PlacedTensor gather() const;
    [[nodiscard]] PlacedTensor pad() const;
    [[nodiscard]] PlacedTensor concat() const;
    [[nodiscard]] Tensors split() const;
    [[nodiscard]] PlacedTensor expanded(const PlacedTensor& x, const network::Shape& shape) const;
    [[nodiscard]] PlacedTensor expand() const;
    /// Every side is a new one and the old one.
    [[nodiscard]] PlacedTensor tile() const;
    [[nodiscard]] PlacedTensor resize() const;
    [[nodiscard]] PlacedTensor resized(const PlacedTensor& x, const network::Sizing& sizing) const;

    const network::OperatorCall& call_;
    const Tensors& inputs_;
    const bool last_;
    const OperationSink& sink_;
};

}  // namespace tessera
