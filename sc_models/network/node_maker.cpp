#include "sc_models/network/node_maker.h"

#include <memory>

#include "sc_models/network/executor.h"
#include "sc_models/network/operators.h"

namespace tessera::network {

ValueId NodeMaker::make(const std::string& operation, std::vector<ValueId> inputs,
                        Attributes attributes, ValueId output) {
    constexpr int kVersion = 13;
    Node node;
    node.name = name_ + "." + operation + std::to_string(made_++);
    node.operation = operation;
    node.version = kVersion;
    node.attributes = std::move(attributes);
    node.inputs = std::move(inputs);
    node.outputs = {ValueId()};  // infer() checks the number of outputs
    const OperatorCall call =
        call_of(graph_, node, [this](ValueId id) { return graph_.value(id).constant.get(); });
    const TensorType type = find_operator(operation)->infer(call).at(0);
    if (!output.valid()) output = graph_.add({node.name, type, nullptr});
    node.outputs = {output};
    nodes_.push_back(std::move(node));
    return output;
}

ValueId NodeMaker::constant(Tensor tensor) {
    auto shared = std::make_shared<const Tensor>(std::move(tensor));
    const TensorType type = shared->type;
    return graph_.add({name_ + ".constant" + std::to_string(made_++), type, std::move(shared)});
}

ValueId NodeMaker::reshaped(ValueId id, const Shape& to, ValueId output) {
    const auto sides = static_cast<std::int64_t>(to.size());
    return make("Reshape", {id, constant(Tensor::of_integers({sides}, to))}, {}, output);
}

ValueId NodeMaker::transposed(ValueId id, std::vector<std::int64_t> order, ValueId output) {
    Attributes attributes;
    attributes.set("perm", std::move(order));
    return make("Transpose", {id}, attributes, output);
}

ValueId NodeMaker::rows(ValueId id, std::int64_t first, std::int64_t count) {
    Attributes attributes;
    attributes.set("first", first);
    attributes.set("count", count);
    return make("Rows", {id}, attributes);
}

ValueId NodeMaker::columns(ValueId id, std::int64_t first, std::int64_t count) {
    const auto side = [this](std::int64_t value) {
        return constant(Tensor::of_integers({1}, {value}));
    };
    return make("Slice", {id, side(first), side(first + count), side(1)});
}

ValueId NodeMaker::product(ValueId a, ValueId b, ValueId c) {
    Attributes attributes;
    attributes.set("transB", std::int64_t{1});
    std::vector<ValueId> inputs = {a, b};
    if (c.valid()) inputs.push_back(c);
    return make("Gemm", std::move(inputs), attributes);
}

}  // namespace tessera::network
