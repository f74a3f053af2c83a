// Layers that a node of a network is lowered to.
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

/// Work of one kernel and its inputs: a convolution, a product, attention, or another operator.
struct LoweredLayer {
    enum class Kind { kConvolution, kProduct, kAttention, kOperator };

    Kind kind = Kind::kOperator;
    std::string operation;  ///< ONNX name, or the purpose of a conversion
    std::string shape;      ///< readable form: "8x56x56x64, 64 of 3x3"
    LayerConfig layer;      ///< kConvolution
    LayerPass pass = LayerPass::kForward;
    bool is_batch = false;      ///< kConvolution: a batch of products, one per group
    GemmShapeConfig gemm;       ///< kProduct
    AttentionConfig attention;  ///< kAttention
    GivenLayer given;
    double flop = 0;
    std::uint64_t bytes = 0;  ///< operands and results, each counted once
    /// Fraction of zeros in activations and weights (for an operator: in its first two operands);
    /// negative: unknown.
    double zeros_a = -1, zeros_b = -1;

    /// Whether it is a product or convolution, on which mechanisms act.
    [[nodiscard]] bool is_product() const {
        return kind == Kind::kConvolution || kind == Kind::kProduct;
    }
};

/// Whether a product's kernel applies bias and epilogue, if possible, or separate kernels do.
enum class EpilogueStyle { kFused, kApart };

/// Whether the host computes a node between kernels, in no time of the machine: it makes integers
/// of 32 or 64 bits or truth values only, and is neither a product or convolution nor an ArgMax or
/// ArgMin of real numbers, whose rows a kernel reads.
[[nodiscard]] bool is_for_host(const network::Graph& graph, const network::Node& node);

/// Lowers a node of a graph of halves (store_as_halves()) to layers, in execution order; none for a
/// node that is free. If `tensor_of` returns the values of all its operands, the layers have values
/// too, and the result of the last one is compared with the network's own (network::run_node);
/// otherwise only constants are used.
///
/// Tensors are halves. Convolutions take NHWC; filters and the right matrix of products have the
/// memory layout of their kernel. A batch of products is a convolution of 1x1 in groups. The input
/// of a convolution with different padding before and behind is padded first; the result of such a
/// transposed convolution is cropped. Slices of volumes become images.
///
/// Throws NoKernelError, naming node and reason, if no kernel computes the node.
[[nodiscard]] std::vector<LoweredLayer> lower(const network::Graph& graph,
                                              const network::Node& node, const Layouts& layouts,
                                              const network::TensorOf& tensor_of,
                                              EpilogueStyle style);

/// Describes a convolution: "8x56x56x64, 64 of 3x3".
[[nodiscard]] std::string layer_text(const LayerConfig& layer);

/// Returns the layer as a configuration file (part: workload) that refers to its tensor file in the
/// same folder, with this digest. `name` is the layer's name in results.
[[nodiscard]] std::string layer_yaml(const LoweredLayer& layer, const std::string& name,
                                     const std::string& tensors, const std::string& digest);

}  // namespace tessera
