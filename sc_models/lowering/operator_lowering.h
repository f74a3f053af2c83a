// Lowering of non-GEMM nodes of a network to operations of the machine's kernels.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/operators.h"
#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera {

/// A tensor that an operation produces.
struct MadeTensor {
    network::Shape shape;
    bool channels_last = false;
};

/// Takes an operation on placed tensors and returns the placed results, which must agree with the
/// operation's own.
using OperationSink = std::function<std::vector<PlacedTensor>(
    const std::string& name, const TensorOperation& operation,
    const std::vector<PlacedTensor>& operands, const std::vector<MadeTensor>& results)>;

/// Alpha and beta of a TensorOperation of one operand, derived from a node's attributes and bounds.
[[nodiscard]] std::pair<float, float> attributes_of(TensorOperator op,
                                                    const network::OperatorCall& call);

/// Returns `tensor` in another layout; adds an operation only if elements move.
[[nodiscard]] PlacedTensor in_layout(const PlacedTensor& tensor, bool channels_last,
                                     const OperationSink& sink);

/// Passes to `sink` the operations of a node whose operands have the placement in `inputs` (omitted
/// ones are empty, integers and truth values are halves), and returns its results, channels last or
/// not according to `channels_last` if both are possible. Fails through `call` if no operation
/// exists.
[[nodiscard]] std::vector<PlacedTensor> lower_operator(const network::OperatorCall& call,
                                                       const std::vector<PlacedTensor>& inputs,
                                                       bool channels_last,
                                                       const OperationSink& sink);

}  // namespace tessera
