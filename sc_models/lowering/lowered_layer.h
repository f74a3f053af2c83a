// A node of a network as layers that a machine runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/lowering/layouts.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/graph.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {

/// One kernel's work, and what it needs: a convolution, a product, or an operator that is none.
struct LoweredLayer {
    enum class Kind { kConvolution, kProduct, kOperator };

    Kind kind = Kind::kOperator;
    std::string operation;  ///< ONNX's name, or what a conversion is for
    std::string shape;      ///< for people: "8x56x56x64, 64 of 3x3"
    LayerConfig layer;      ///< kConvolution
    LayerPass pass = LayerPass::kForward;
    bool is_batch = false;  ///< kConvolution: a batch of products, one a group
    GemmShapeConfig gemm;   ///< kProduct
    GivenLayer given;
    double flop = 0;
    std::uint64_t bytes = 0;  ///< of operands and results, each once
    /// Zeros of activations and weights (of an operator: of its first two operands), as fractions;
    /// negative: not known.
    double zeros_a = -1, zeros_b = -1;
};

/// Whether bias and epilogue of a product are done by its kernel, as far as that is possible, or by
/// kernels of their own.
enum class EpilogueStyle { kFused, kApart };

/// The layers that a node of a graph of halves (store_as_halves()) becomes, in the order in which
/// they run; none for a node that is free. With the
/// values of all its operands from `tensor_of`, the layers have theirs, and the last one's result
/// is compared with the network's own (network::run_node); otherwise only constants are looked at.
///
/// Tensors are halves. Convolutions take NHWC; products have their right matrix, and filters theirs
/// in memory as kernels want it. A batch of products is a convolution of 1x1 in groups. A
/// convolution with padding of another size behind than before gets its input padded first; of a
/// transposed one the result is cut. Slices of volumes become images.
///
/// Throws NoKernelError, naming node and reason, for what no kernel here computes.
[[nodiscard]] std::vector<LoweredLayer> lower(const network::Graph& graph,
                                              const network::Node& node, const Layouts& layouts,
                                              const network::TensorOf& tensor_of,
                                              EpilogueStyle style);

/// A convolution for people: "8x56x56x64, 64 of 3x3".
[[nodiscard]] std::string layer_text(const LayerConfig& layer);

/// The layer as a file of configuration (part: workload) that refers to the file of its tensors,
/// beside it, with this digest. `name` is the layer's in results.
[[nodiscard]] std::string layer_yaml(const LoweredLayer& layer, const std::string& name,
                                     const std::string& tensors, const std::string& digest);

}  // namespace tessera
