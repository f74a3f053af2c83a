// Base of the lowerings of operator families.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sc_models/lowering/operator_lowering.h"
#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/operator_details.h"
#include "sc_models/network/operators.h"
#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera {

/// Operands and results of one node that is no product, for the class of its operator family. Each
/// object serves one node; the arguments of the constructor must outlive it.
class OperatorFamily {
public:
    using Op = TensorOperator;
    using Tensors = std::vector<PlacedTensor>;

    /// Arguments as for lower_operator().
    OperatorFamily(const network::OperatorCall& call, const Tensors& inputs, bool channels_last,
                   const OperationSink& sink)
        : call_(call), inputs_(inputs), last_(channels_last), sink_(sink) {}

protected:
    /// Returns an input, which must exist and hold real numbers.
    [[nodiscard]] const PlacedTensor& all(std::size_t input) const;
    /// Returns the same input in the layout of the result.
    [[nodiscard]] PlacedTensor real(std::size_t input) const;
    /// Returns an input that may hold integers or truth values, stored as halves.
    [[nodiscard]] const PlacedTensor& number(std::size_t input) const;
    [[nodiscard]] PlacedTensor as_in_file(std::size_t input) const;
    /// Returns an input of real numbers or integers of 8 bits in the layout of the result.
    [[nodiscard]] PlacedTensor element(std::size_t input) const;
    [[nodiscard]] PlacedTensor element_in_file(std::size_t input) const;
    /// Gives an operation that moves elements the type of these, if it is not FP16.
    static void keep_type(TensorOperation& operation, const Tensors& operands);
    PlacedTensor apply(const TensorOperation& operation, const Tensors& operands,
                       MadeTensor result) const;
    /// Applies an operation in place of the node's, which the layer's name says ("TopK as Gather").
    PlacedTensor apply_as(const std::string& what, const TensorOperation& operation,
                          const Tensors& operands, MadeTensor result) const;
    [[nodiscard]] static TensorOperation operation_on(Op op, const Tensors& operands);
    /// Applies an operation whose result has the shape and layout of its first operand.
    PlacedTensor same(const TensorOperation& operation, const Tensors& operands) const;
    /// Broadcasts a tensor, as in the file, to a shape.
    [[nodiscard]] PlacedTensor expanded(const PlacedTensor& x, const network::Shape& shape) const;

    /// Returns an input of real numbers or integers of 8 bits.
    [[nodiscard]] const PlacedTensor& stored(std::size_t input) const;

    const network::OperatorCall& call_;
    const Tensors& inputs_;
    const bool last_;
    const OperationSink& sink_;
};

}  // namespace tessera
