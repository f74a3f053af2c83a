#include "sc_models/network/unsupported_operator.h"

#include <utility>

#include "sc_models/network/operators.h"

namespace tessera::network {
namespace {

constexpr const char* kName = "Unsupported";
constexpr const char* kOperation = "operation";

std::string key_of(const char* what, std::size_t output) {
    return what + std::to_string(output);
}

std::vector<TensorType> infer_stated(const OperatorCall& call) {
    std::vector<TensorType> types;
    for (std::size_t i = 0; i < call.node->outputs.size(); ++i) {
        types.push_back({static_cast<ElementType>(call.attributes().integer(key_of("type", i))),
                         call.attributes().integers(key_of("shape", i))});
    }
    return types;
}

}  // namespace

void make_unsupported(Node& node, const std::vector<TensorType>& types) {
    node.attributes.set(kOperation, node.operation);
    for (std::size_t i = 0; i < types.size(); ++i) {
        node.attributes.set(key_of("type", i), static_cast<std::int64_t>(types[i].type));
        node.attributes.set(key_of("shape", i), types[i].shape);
    }
    node.operation = kName;
}

void restate_types(const Graph& graph, Node& node) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i].valid()) continue;
        const ElementType type = graph.value(node.outputs[i]).type.type;
        node.attributes.set(key_of("type", i), static_cast<std::int64_t>(type));
    }
}

std::string unsupported_operation(const Node& node) {
    return node.operation == kName ? node.attributes.text(kOperation) : std::string();
}

void refuse_values(const OperatorCall& call) {
    call.fail("operator '" + unsupported_operation(*call.node) +
              "' is not supported, so that no value behind it is known; expected a run without "
              "values (values: off, no sparse tensor core)");
}

std::vector<Operator> unsupported_operators() {
    return {{kName, WorkKind::kCopy, infer_stated, nullptr}};
}

}  // namespace tessera::network
