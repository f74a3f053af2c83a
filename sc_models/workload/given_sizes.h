// Sizes of a given layer's tensors against those of what is computed.
#pragma once

#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {

/// Compares the tensors of `config.given_layer` that are known (activations, weights, result,
/// operands of the epilogue and of a tensor operation) with the workload, so that nothing reads
/// beyond one of them. Throws FileError naming the first tensor of another size, and for a layer
/// of another kind than the workload.
void check_given_sizes(const WorkloadConfig& config);

/// The same for operands of a checked tensor operation.
void check_operand_sizes(const TensorOperation& operation,
                         const std::vector<GivenLayer::Elements>& operands);

}  // namespace tessera
