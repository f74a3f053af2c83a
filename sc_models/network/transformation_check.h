// Check of a transformed network against the graph of its file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/tensor.h"

namespace tessera::network {

/// Counts and largest difference of check_transformation().
struct TransformationReport {
    std::size_t file_nodes = 0;     ///< nodes of the file that were executed
    std::size_t exact = 0;          ///< tensors that must be, and are, bitwise equal
    std::size_t bounded = 0;        ///< tensors of rewritten nodes, each within its bound
    double largest_share = 0;       ///< largest difference as a fraction of its bound
    std::size_t next_integers = 0;  ///< integers of rewritten nodes that are the next ones
    std::vector<Tensor> outputs{};  ///< of the file's graph

    /// One line without a newline.
    [[nodiscard]] std::string text() const;
};

/// Reports the number of the file's nodes that have run.
using CheckProgress = std::function<void(std::size_t node, std::size_t nodes)>;

/// Compares a graph with the one it was made of. `file` is the file's own graph (`as_written` of
/// read_onnx()), `transformed` has the same values by their ids, and others that only it has:
/// constants computed ahead, patterns recognised, BatchNormalization in weights, epilogues,
/// recurrent operators taken apart, in the types of the file (before store_as_halves()).
///
/// Executes `file` node by node for inputs in its order. Each node of `transformed`, and each step
/// of its epilogue, runs on the tensors of `file`, and what it makes is compared with the tensor of
/// that name there, so that no difference hides another. Type and shape have to be the same. Values
/// have to be equal bit by bit, except where nodes are rewritten:
///
/// - Gelu, Swish and HardSwish: 16 roundings of the operand.
/// - LayerNormalization: 16 roundings of the row's largest element, divided by the deviation.
/// - RMSNormalization: 16 roundings of the element, and those of the row's sum.
/// - Attention: 16 roundings, and those of both products' sums, of an upper bound of the scores, as
///   they change weights, times the largest value.
/// - BatchNormalization in weights, k products a sum: (2 x 8 sqrt(k) + 16) roundings of an upper
///   bound of the sum of the products' magnitudes (Higham and Mary's probabilistic bound, "A New
///   Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019).
/// - Recurrent and composite operators (expand_operators()) in steps: 2^12 roundings in FP32
///   (chosen: differences grow from step to step), 2^5 in FP16, of the largest element or of 1.
/// - Integers of QLinearMatMul and QLinearConv against products of real numbers between
/// conversions,
///   whichever of both is the file's: the next integer only where the quotient in real arithmetic
///   is nearer to the middle between both than (8 sqrt(k) + 16) roundings in FP32 of the sum of the
///   products' magnitudes, and half a unit of the sums if there is a bias.
///
/// A tensor is given up when its last reader has run. Throws CheckError that names the tensor, the
/// element, both values and the transformation; ConfigError for inputs of other types; Interrupted.
[[nodiscard]] TransformationReport check_transformation(const Graph& file, const Graph& transformed,
                                                        std::vector<Tensor> inputs,
                                                        const CheckProgress& progress = {});

/// Describes in one line the distance of an FP16 network's outputs from those of the file's graph;
/// empty if there are none. Throws CheckError for an output of another shape.
[[nodiscard]] std::string compare_outputs(const Graph& graph, const std::vector<Tensor>& of_file,
                                          const std::vector<Tensor>& of_halves);

}  // namespace tessera::network
