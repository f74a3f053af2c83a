// Reader of networks in ONNX files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sc_models/network/executor.h"
#include "sc_models/network/graph.h"

namespace tessera::network {

/// Supported operator sets; others are refused.
inline constexpr std::int64_t kOldestOperatorSet = 7, kNewestOperatorSet = 23;

/// Settings for parts that a file leaves open.
struct OnnxOptions {
    /// Dimensions with a name in the file ("batch"), or without one ("input.0": dimension 0 of that
    /// input).
    std::map<std::string, std::int64_t> sides{};
    /// Shapes of inputs, for open dimensions that are not in `sides`.
    std::map<std::string, Shape> input_shapes{};
    /// Inputs to be constants, because shapes depend on them.
    std::map<std::string, Tensor> fixed_inputs{};
    FoldingLimits folding{};
    /// Whether nodes of operators that are not supported stay in the graph, as nodes of
    /// "Unsupported" (unsupported_operator.h), if the file states the shapes of their outputs.
    bool keep_unsupported = false;
};

/// Reads a model with its external weights, which lie in or below the folder of the model, and
/// makes a graph of it: checked against ONNX's definitions of its operators, attributes defaulted,
/// nodes sorted and named, types inferred, constants folded, unread nodes removed. Functions of the
/// model are inlined. An If becomes the branch that is taken, and a Loop its iterations; constants
/// and shapes have to decide them.
///
/// Throws ConfigError, one line that starts with the file, for a file that is not an ONNX model,
/// another operator set, unknown operators, control flow that values of the run decide, attributes
/// and numbers of operands that ONNX does not
/// allow, tensors with no producer or two, cycles, weights that are missing, of another size than
/// their shape, or not finite, dimensions that stay open, and everything infer_types refuses.
///
/// `as_written`, if given, receives the graph of the file's own nodes, sorted and typed: no node is
/// folded. Functions and control flow are replaced in it, too. Values have the same ids in both
/// graphs.
[[nodiscard]] Graph read_onnx(const std::string& path, const OnnxOptions& options = {},
                              Graph* as_written = nullptr);

/// Parses a model in memory; `name` stands for the file in errors, and `folder` holds external
/// weights, "" for none.
[[nodiscard]] Graph parse_onnx(std::string_view bytes, const std::string& name,
                               const std::string& folder, const OnnxOptions& options = {},
                               Graph* as_written = nullptr);

}  // namespace tessera::network
