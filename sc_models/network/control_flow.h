// If and Loop, replaced by the nodes that run.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/network/node_reader.h"

namespace tessera::network {

/// Replaces each If by the branch that is taken, and each Loop by its iterations, where constants
/// and shapes decide them.
class ControlFlow {
public:
    ControlFlow(Graph& graph, NodeReader& reader, const std::string& folder)
        : graph_(graph), reader_(reader), folder_(folder) {}

    /// Nodes in place of an If or Loop whose inputs are typed and folded: those of the branch that
    /// is taken, or of the next iteration with the rest of the loop behind them. Throws ConfigError
    /// for a condition or a trip count that is not constant, for more than 4096 iterations
    /// (chosen), and for operators that are not supported.
    [[nodiscard]] std::vector<Node> expand(const Node& node, const NodeReader::Place& place);

private:
    /// A Loop that has run some iterations.
    struct Progress {
        std::int64_t iteration = 0;
        std::int64_t trips = 0;
        ValueId condition;  ///< not valid: true
        std::vector<ValueId> carried;
        std::vector<std::vector<ValueId>> scans;  ///< by scan output, one for each iteration
    };

    [[nodiscard]] std::vector<Node> expand_if(const Node& node, const NodeReader::Place& place);
    [[nodiscard]] std::vector<Node> expand_loop(const Node& node, const NodeReader::Place& place);
    [[nodiscard]] Progress begin_loop(const Node& node, const NodeReader::Place& place) const;
    [[nodiscard]] std::vector<Node> iterate(const Node& node, const NodeReader::Place& place,
                                            Progress& progress);
    [[nodiscard]] std::vector<Node> finish_loop(const Node& node, const Progress& progress);

    [[nodiscard]] std::shared_ptr<Scope> scope_of(const NodeReader::Place& place,
                                                  const onnx::GraphProto& body,
                                                  const std::string& prefix);
    /// The only element of a constant of the node; throws if it is not constant.
    [[nodiscard]] std::int64_t known(const Node& node, ValueId id, const char* what) const;
    ValueId add_constant(const std::string& name, Tensor tensor);

    Graph& graph_;
    NodeReader& reader_;
    const std::string& folder_;
    std::map<std::string, Progress> loops_;  ///< by name of the node
    std::map<const onnx::TensorProto*, ValueId> constants_;
};

}  // namespace tessera::network
