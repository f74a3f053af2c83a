// Checks of a given layer's tensor sizes against the workload.
#pragma once

#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {

/// Compares the known tensors of `config.given_layer` (activations, weights, result, operands of
/// the epilogue and of a tensor operation) with the workload, so that no read exceeds one of them.
/// Throws FileError naming the first tensor of another size, and for a layer of another kind than
/// the workload.
void check_given_sizes(const WorkloadConfig& config);

/// Performs the same check for operands of a checked tensor operation.
void check_operand_sizes(const TensorOperation& operation,
                         const std::vector<GivenLayer::Elements>& operands);

}  // namespace tessera
