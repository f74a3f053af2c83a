// Nodes of a file as nodes of a graph; functions of the model are inlined.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/graph.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/stated_types.h"

namespace onnx {
class OpSchema;
}

namespace tessera::network {

/// Names that nodes of a graph, of a subgraph or of a function see.
struct Scope {
    using Given = std::map<std::string, onnx::AttributeProto>;

    std::map<std::string, ValueId> ids{};
    std::set<std::string> bound{};              ///< made here, but with an id of the outer scope
    std::shared_ptr<const Scope> outer{};       ///< around a subgraph
    std::shared_ptr<const Given> attributes{};  ///< of the call, in a function
    std::map<std::string, const onnx::TypeProto*> stated{};  ///< types in the file
    std::string prefix{};                                    ///< of names of nodes and tensors
    std::int64_t operator_set = 0;
    int depth = 0;  ///< of functions and subgraphs

    /// The tensor of this name here or in an outer scope, or null. An invalid id is an operand that
    /// the call of a function omits.
    [[nodiscard]] const ValueId* find(const std::string& name) const;
};

/// Reads nodes and their constants into a graph.
class NodeReader {
public:
    using Protos = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

    NodeReader(Graph& graph, const onnx::ModelProto& model, const std::string& folder,
               const OnnxOptions& options, StatedTypes& types);

    /// Throws ConfigError with all operators of the nodes that are not supported, and the number of
    /// nodes of each.
    void refuse_unsupported(const Protos& protos, std::int64_t operator_set) const;

    /// Adds a tensor of the scope. Throws ConfigError if the name is taken.
    ValueId add(Scope& scope, const std::string& name, TensorType type,
                std::shared_ptr<const Tensor> constant);

    /// Reads nodes in any order; tensors that they make are added to the scope. A call of a
    /// function becomes the nodes of the function.
    [[nodiscard]] std::vector<Node> read(const Protos& protos, const std::shared_ptr<Scope>& scope);

    /// Reads the nodes of a subgraph or a function in topological order, so that its outputs have
    /// these ids; an id that is not valid is not wanted.
    [[nodiscard]] std::vector<Node> read_body(const Protos& protos,
                                              const std::vector<std::string>& outputs,
                                              const std::vector<ValueId>& ids,
                                              const std::shared_ptr<Scope>& scope);

    /// Where an If or Loop stands in the file.
    struct Place {
        const onnx::NodeProto* proto = nullptr;
        std::shared_ptr<Scope> scope;
    };
    /// The place of an If or Loop; null for other nodes.
    [[nodiscard]] const Place* place_of(const Node& node) const;

private:
    using Function = std::pair<std::string, std::string>;  ///< domain and name

    [[nodiscard]] const onnx::FunctionProto* function_of(const onnx::NodeProto& proto) const;
    void count_unsupported(const Protos& protos, std::int64_t operator_set,
                           std::set<Function>& seen, std::map<std::string, int>& counts) const;
    [[nodiscard]] std::vector<Node> call(const onnx::FunctionProto& function,
                                         const onnx::NodeProto& proto, const std::string& name,
                                         const std::shared_ptr<Scope>& scope);
    void name_outputs(const Protos& protos, Scope& scope);
    [[nodiscard]] std::string unique_name(const onnx::NodeProto& proto, const Scope& scope,
                                          int index);
    [[nodiscard]] const onnx::NodeProto& with_attributes(const onnx::NodeProto& proto,
                                                         const Scope& scope);
    [[nodiscard]] Node read_node(const onnx::NodeProto& proto, const std::string& name,
                                 const std::shared_ptr<Scope>& scope);
    void read_operands(const onnx::NodeProto& proto, const Scope& scope, Node& node) const;
    void read_attributes(const onnx::NodeProto& proto, const onnx::OpSchema& definition,
                         Attributes& attributes) const;
    [[nodiscard]] Attribute attribute_of(const onnx::AttributeProto& proto) const;
    void read_stated_outputs(const onnx::NodeProto& proto, const Scope& scope, Node& node);

    Graph& graph_;
    const onnx::ModelProto& model_;
    const std::string& folder_;
    const OnnxOptions& options_;
    StatedTypes& types_;
    std::map<Function, const onnx::FunctionProto*> functions_;
    std::set<std::string> names_;
    std::deque<onnx::NodeProto> copies_;   ///< nodes of functions, with attributes of the call
    std::map<std::string, Place> places_;  ///< by name of the node
};

}  // namespace tessera::network
