// Nodes of a network that are no products, as operations of the machine's kernels.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/operators.h"
#include "sc_models/workload/tensor_operation.h"

namespace tessera {

/// A tensor that an operation makes.
struct MadeTensor {
    network::Shape shape;
    bool channels_last = false;
};

/// Takes an operation on placed tensors, and returns the placed results, which the operation's own
/// must agree with.
using OperationSink = std::function<std::vector<PlacedTensor>(
    const std::string& name, const TensorOperation& operation,
    const std::vector<PlacedTensor>& operands, const std::vector<MadeTensor>& results)>;

/// Alpha and beta of a TensorOperation of one operand, from a node's attributes and bounds.
[[nodiscard]] std::pair<float, float> attributes_of(TensorOperator op,
                                                    const network::OperatorCall& call);

/// `tensor` in another layout: an operation if there is something to move.
[[nodiscard]] PlacedTensor in_layout(const PlacedTensor& tensor, bool channels_last,
                                     const OperationSink& sink);

/// Gives `sink` the operations of a node whose operands lie as `inputs` say (those that are left
/// out are empty, integers and truth values are halves), and returns its results, channels last or
/// not as `channels_last` says where both are possible. Fails through `call` for what there is no
/// operation for.
[[nodiscard]] std::vector<PlacedTensor> lower_operator(const network::OperatorCall& call,
                                                       const std::vector<PlacedTensor>& inputs,
                                                       bool channels_last,
                                                       const OperationSink& sink);

}  // namespace tessera
