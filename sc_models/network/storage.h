// FP16 storage and pruning of a network's weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/machine_kernels.h"

namespace tessera::network {

/// Type of 16 bits in which a machine computes a graph: BFLOAT16 if a tensor has it and the machine
/// multiplies it, otherwise FLOAT16.
[[nodiscard]] ElementType half_type_of(const Graph& graph, const MachineKernels& kernels);

/// Converts all real numbers of the graph to `halves`, FLOAT16 or BFLOAT16. Constants are rounded
/// to the nearest one, values beyond the largest to that (masks of -3.4e38 stay finite). Tensors
/// that only determine a shape (scales of Resize) stay as they are, and so do constant scales of
/// QuantizeLinear, DequantizeLinear and operators of quantised tensors (QLinear...). Unrolls
/// recurrent operators and expands composite ones first.
void store_as_halves(Graph& graph, const MachineKernels& kernels = {},
                     ElementType halves = ElementType::kHalf);

/// Pruning rule: weights of least magnitude become zero.
struct Pruning {
    double fraction = 0;             ///< per tensor, 0 to 1; unused with `of`
    std::uint32_t kept = 0, of = 0;  ///< keep `kept` of every `of` consecutive inputs; 0: no N:M
                                     ///< rule
};
/// Parses "0.8" or "2:4"; nothing for "none". Throws ConfigError that names `key`.
[[nodiscard]] std::optional<Pruning> pruning_of(const std::string& text, const std::string& key);

/// Prunes the constant weights of convolutions and products. N:M pruning groups consecutive inputs
/// of one output: channels under a tap, rows of a MatMul's right matrix. Of equal magnitudes the
/// later ones are pruned. Returns the pruned tensors. Must be called before fuse().
std::vector<ValueId> prune(Graph& graph, const Pruning& pruning);

}  // namespace tessera::network
