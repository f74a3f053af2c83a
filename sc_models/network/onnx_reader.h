// Networks in ONNX files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sc_models/network/executor.h"
#include "sc_models/network/graph.h"

namespace tessera::network {

/// The operator sets that are read; others are refused.
inline constexpr std::int64_t kOldestOperatorSet = 7, kNewestOperatorSet = 17;

/// What a file leaves open.
struct OnnxOptions {
    /// Sides that have a name in the file ("batch"), or that have none ("input.0", the first side
    /// of that input).
    std::map<std::string, std::int64_t> sides{};
    /// Shapes of inputs, for sides that are open and are not in `sides`.
    std::map<std::string, Shape> input_shapes{};
    /// Inputs that are to be constants, because shapes depend on them.
    std::map<std::string, Tensor> fixed_inputs{};
    FoldingLimits folding{};
};

/// Reads a model with its external weights, which lie in or below the folder of the model, and
/// makes a graph of it: checked against ONNX's definitions of its operators, attributes defaulted,
/// nodes in order and named, types inferred, constants folded, nodes that nobody reads left out.
///
/// Throws ConfigError, one line that starts with the file, for what is not an ONNX model, another
/// operator set, unknown operators, attributes and numbers of operands that ONNX does not allow,
/// tensors that nobody makes or two nodes make, cycles, weights that are missing, of another size
/// than their shape says, or not finite, sides that stay open, and everything infer_types refuses.
///
/// `as_written`, if it is given, becomes the graph of the file's own nodes, in order and with their
/// types: no node is computed ahead. Both graphs have the same values by their ids.
[[nodiscard]] Graph read_onnx(const std::string& path, const OnnxOptions& options = {},
                              Graph* as_written = nullptr);

/// The same from memory; `name` is the file in errors, and `folder` where external weights are, ""
/// for nowhere.
[[nodiscard]] Graph parse_onnx(std::string_view bytes, const std::string& name,
                               const std::string& folder, const OnnxOptions& options = {},
                               Graph* as_written = nullptr);

}  // namespace tessera::network
