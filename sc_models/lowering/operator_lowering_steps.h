// Lowering of one non-GEMM node to operations. Only the files of this folder that lower operators
// include it; others call lower_operator() of operator_lowering.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/lowering/operator_lowering.h"
#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/operators.h"
#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera {

/// Creates the operations of one node; one object per node.
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

    /// Returns an input, which must exist and hold real numbers.
    [[nodiscard]] const PlacedTensor& all(std::size_t input) const;
    /// Returns the same input in the layout of the result.
    [[nodiscard]] PlacedTensor real(std::size_t input) const;
    /// Returns an input that may hold integers or truth values, stored as halves.
    [[nodiscard]] const PlacedTensor& number(std::size_t input) const;
    [[nodiscard]] PlacedTensor as_in_file(std::size_t input) const;
    PlacedTensor apply(const TensorOperation& operation, const Tensors& operands,
                       MadeTensor result) const;
    /// Applies an operation in place of the node's, which the layer's name says ("TopK as Gather").
    PlacedTensor apply_as(const std::string& what, const TensorOperation& operation,
                          const Tensors& operands, MadeTensor result) const;
    [[nodiscard]] static TensorOperation operation_on(Op op, const Tensors& operands);
    /// Applies an operation whose result has the shape and layout of its first operand.
    PlacedTensor same(const TensorOperation& operation, const Tensors& operands) const;

    // elementwise_lowering.cpp

    [[nodiscard]] PlacedTensor unary(Op op) const;
    /// Converts integers to real numbers by a copy.
    [[nodiscard]] PlacedTensor cast() const;
    [[nodiscard]] PlacedTensor swish() const;
    [[nodiscard]] PlacedTensor binary(Op op, const PlacedTensor& a, const PlacedTensor& b) const;
    /// Combines tensors with broadcasting: missing leading sides count as 1.
    [[nodiscard]] PlacedTensor combined(Op op, const Tensors& tensors, float alpha = 0) const;
    /// Combines all inputs, as many per kernel as it takes; for a mean the last kernel divides by
    /// their number.
    [[nodiscard]] PlacedTensor several(Op op) const;
    [[nodiscard]] PlacedTensor where() const;
    /// The result is a state of the recurrent network.
    [[nodiscard]] PlacedTensor recurrent_step(Op op) const;
    /// Sets elements outside the triangle to 0.
    [[nodiscard]] PlacedTensor triangle() const;
    [[nodiscard]] PlacedTensor chain(Op op) const;

    // row_lowering.cpp: reductions, normalizations, pools

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
    [[nodiscard]] PlacedTensor reduced_by(Op op, const std::vector<bool>& reduced, bool keep) const;
    /// A reduction along no axis: the function of each element, if it is not the element itself.
    [[nodiscard]] PlacedTensor of_single_elements(Op op, const PlacedTensor& x) const;
    [[nodiscard]] PlacedTensor pool(Op op) const;

    // movement_lowering.cpp: data movement

    [[nodiscard]] PlacedTensor transposed(const PlacedTensor& x, const network::Shape& sides,
                                          const std::vector<std::size_t>& order) const;
    /// Moves a channels-last tensor once, not twice; adds no operation if no element moves.
    [[nodiscard]] PlacedTensor transpose() const;
    [[nodiscard]] PlacedTensor move_blocks() const;
    [[nodiscard]] PlacedTensor sliced(const PlacedTensor& x,
                                      const std::vector<network::SliceRange>& ranges) const;
    [[nodiscard]] PlacedTensor slice() const;
    /// Adds an operation by indices, taken from the node if they are known.
    [[nodiscard]] PlacedTensor by_indices(Op op, const PlacedTensor& x, std::size_t axis,
                                          const network::Shape& shape) const;
    [[nodiscard]] PlacedTensor gather_elements() const;
    /// A single known index is lowered to a slice.
    [[nodiscard]] PlacedTensor gather() const;
    [[nodiscard]] PlacedTensor pad() const;
    [[nodiscard]] PlacedTensor concat() const;
    [[nodiscard]] Tensors split() const;
    [[nodiscard]] PlacedTensor expanded(const PlacedTensor& x, const network::Shape& shape) const;
    [[nodiscard]] PlacedTensor expand() const;
    /// Splits every side into a new one and the old one.
    [[nodiscard]] PlacedTensor tile() const;
    [[nodiscard]] PlacedTensor resize() const;
    [[nodiscard]] PlacedTensor resized(const PlacedTensor& x, const network::Sizing& sizing) const;

    // index_lowering.cpp: the host computes which elements there are, kernels move them. A result
    // without elements is the host's: kernels move as many bytes, not these values.

    /// Takes elements along an axis at known or unknown indices.
    [[nodiscard]] PlacedTensor picked(Op op, const PlacedTensor& x, std::size_t axis,
                                      const TensorShape& sizes,
                                      std::optional<std::vector<std::int64_t>> indices,
                                      const network::Shape& result) const;
    /// Computes the node's outputs on the host; empty if an input is unknown.
    [[nodiscard]] std::vector<network::Tensor> on_host() const;
    /// Reduces rows to their extremes; throws CheckError if the host's indices name others.
    [[nodiscard]] PlacedTensor arg_extreme() const;
    [[nodiscard]] PlacedTensor extremes(bool largest, std::size_t axis) const;
    /// Reads all rows, then takes the elements.
    [[nodiscard]] PlacedTensor top() const;
    [[nodiscard]] PlacedTensor copied() const;
    [[nodiscard]] PlacedTensor one_hot() const;
    [[nodiscard]] PlacedTensor gather_nd() const;
    [[nodiscard]] PlacedTensor scatter_nd() const;
    [[nodiscard]] PlacedTensor scatter_elements() const;
    /// Copies the data, then moves or combines as many rows as there are updates.
    [[nodiscard]] PlacedTensor scattered(std::optional<std::vector<std::int64_t>> places,
                                         std::int64_t rows, std::int64_t elements) const;
    /// Resizes to the result's sides, with as many taps.
    [[nodiscard]] PlacedTensor grid_sample() const;
    [[nodiscard]] PlacedTensor wrapped() const;

    const network::OperatorCall& call_;
    const Tensors& inputs_;
    const bool last_;
    const OperationSink& sink_;
};

}  // namespace tessera
