#include "sc_models/network/control_flow.h"

#include <limits>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/onnx_tensors.h"

namespace tessera::network {
namespace {

constexpr std::int64_t kMostIterations = 4096;
constexpr int kVersion = 13;  // of Unsqueeze and Concat, which join the results of iterations

[[noreturn]] void fail(const Node& node, const std::string& what) {
    throw ConfigError("node " + in_quotes(node.name) + " (" + node.operation + "): " + what);
}

const onnx::GraphProto& body_of(const Node& node, const NodeReader::Place& place,
                                const std::string& attribute) {
    for (const onnx::AttributeProto& one : place.proto->attribute()) {
        if (one.name() == attribute && one.has_g()) return one.g();
    }
    fail(node, "got no " + attribute + ", expected a graph");
}

std::vector<std::string> outputs_of(const onnx::GraphProto& body) {
    std::vector<std::string> names;
    for (const auto& output : body.output()) names.push_back(output.name());
    return names;
}

}  // namespace

std::vector<Node> ControlFlow::expand(const Node& node, const NodeReader::Place& place) {
    return node.operation == "If" ? expand_if(node, place) : expand_loop(node, place);
}

std::int64_t ControlFlow::known(const Node& node, ValueId id, const char* what) const {
    if (!id.valid()) fail(node, std::string("got no ") + what);
    const Value& value = graph_.value(id);
    const std::string input = "input " + in_quotes(value.name) + ": ";
    if (value.constant == nullptr) {
        fail(node, input + "got a " + what +
                       " that is computed at run time, expected one that constants and shapes "
                       "decide");
    }
    if (is_real(value.type.type) || value.constant->elements() != 1) {
        fail(node, input + "got " + value.type.str() + ", expected one element of BOOL or INT64");
    }
    return value.constant->integers[0];
}

ValueId ControlFlow::add_constant(const std::string& name, Tensor tensor) {
    auto shared = std::make_shared<const Tensor>(std::move(tensor));
    const TensorType type = shared->type;
    return graph_.add({name, type, std::move(shared)});
}

std::shared_ptr<Scope> ControlFlow::scope_of(const NodeReader::Place& place,
                                             const onnx::GraphProto& body,
                                             const std::string& prefix) {
    reader_.refuse_unsupported(body.node(), place.scope->operator_set);
    auto scope = std::make_shared<Scope>();
    scope->outer = place.scope;
    scope->attributes = place.scope->attributes;
    scope->prefix = prefix;
    scope->operator_set = place.scope->operator_set;
    scope->depth = place.scope->depth + 1;
    for (const auto& info : body.value_info()) scope->stated[info.name()] = &info.type();
    for (const auto& info : body.output()) scope->stated[info.name()] = &info.type();
    for (const onnx::TensorProto& proto : body.initializer()) {
        auto found = constants_.find(&proto);
        if (found == constants_.end()) {
            found =
                constants_
                    .emplace(&proto, add_constant(prefix + proto.name(), tensor_of(proto, folder_)))
                    .first;
        }
        scope->ids[proto.name()] = found->second;
    }
    return scope;
}

std::vector<Node> ControlFlow::expand_if(const Node& node, const NodeReader::Place& place) {
    const bool holds = known(node, node.inputs.at(0), "condition") != 0;
    const onnx::GraphProto& body = body_of(node, place, holds ? "then_branch" : "else_branch");
    if (node.outputs.size() > static_cast<std::size_t>(body.output_size())) {
        fail(node, "got " + std::to_string(body.output_size()) +
                       " outputs of its branch, expected " + std::to_string(node.outputs.size()));
    }
    return reader_.read_body(body.node(), outputs_of(body), node.outputs,
                             scope_of(place, body, node.name + "/"));
}

std::vector<Node> ControlFlow::expand_loop(const Node& node, const NodeReader::Place& place) {
    const auto known_loop = loops_.find(node.name);
    Progress& progress = known_loop == loops_.end()
                             ? loops_.emplace(node.name, begin_loop(node, place)).first->second
                             : known_loop->second;
    stop_if_interrupted();
    const bool goes_on =
        progress.iteration < progress.trips &&
        (!progress.condition.valid() || known(node, progress.condition, "condition") != 0);
    if (!goes_on) return finish_loop(node, progress);
    if (progress.iteration == kMostIterations) {
        fail(node, "got more than " + std::to_string(kMostIterations) + " iterations");
    }
    return iterate(node, place, progress);
}

ControlFlow::Progress ControlFlow::begin_loop(const Node& node,
                                              const NodeReader::Place& place) const {
    constexpr int kCarriedFrom = 2;
    const onnx::GraphProto& body = body_of(node, place, "body");
    const int carried = place.proto->input_size() - kCarriedFrom;
    if (carried < 0 || body.input_size() != kCarriedFrom + carried ||
        body.output_size() < 1 + carried) {
        fail(node, "got a body of " + std::to_string(body.input_size()) + " inputs and " +
                       std::to_string(body.output_size()) + " outputs, expected " +
                       std::to_string(kCarriedFrom + carried) + " and at least " +
                       std::to_string(1 + carried));
    }
    Progress progress;
    progress.trips = node.inputs[0].valid() ? known(node, node.inputs[0], "trip count")
                                            : std::numeric_limits<std::int64_t>::max();
    progress.condition = node.inputs[1];
    progress.carried.assign(node.inputs.begin() + kCarriedFrom,
                            node.inputs.begin() + kCarriedFrom + carried);
    progress.scans.resize(static_cast<std::size_t>(body.output_size() - 1 - carried));
    return progress;
}

std::vector<Node> ControlFlow::iterate(const Node& node, const NodeReader::Place& place,
                                       Progress& progress) {
    const onnx::GraphProto& body = body_of(node, place, "body");
    const std::string prefix = node.name + "/" + std::to_string(progress.iteration) + "/";
    const std::shared_ptr<Scope> scope = scope_of(place, body, prefix);
    scope->ids[body.input(0).name()] =
        add_constant(prefix + body.input(0).name(), Tensor::of_integers({}, {progress.iteration}));
    scope->ids[body.input(1).name()] = add_constant(
        prefix + body.input(1).name(), Tensor::of_integers({}, {1}, ElementType::kBool));
    for (std::size_t i = 0; i < progress.carried.size(); ++i) {
        scope->ids[body.input(static_cast<int>(2 + i)).name()] = progress.carried[i];
    }
    std::vector<Node> nodes = reader_.read_body(body.node(), {}, {}, scope);
    std::vector<ValueId> made;
    for (const std::string& name : outputs_of(body)) {
        const ValueId* id = scope->find(name);
        if (id == nullptr || !id->valid()) {
            fail(node, "output " + in_quotes(name) + " of its body: nothing makes it");
        }
        made.push_back(*id);
    }
    progress.condition = made[0];
    for (std::size_t i = 0; i < progress.carried.size(); ++i) progress.carried[i] = made[1 + i];
    for (std::size_t i = 0; i < progress.scans.size(); ++i) {
        progress.scans[i].push_back(made[1 + progress.carried.size() + i]);
    }
    ++progress.iteration;
    nodes.push_back(node);
    return nodes;
}

std::vector<Node> ControlFlow::finish_loop(const Node& node, const Progress& progress) {
    std::vector<Node> nodes;
    const auto add = [&](const std::string& operation, std::vector<ValueId> inputs, ValueId output,
                         std::size_t number) {
        Node& one = nodes.emplace_back();
        one.name = node.name + "/" + operation + std::to_string(number);
        one.operation = operation;
        one.version = kVersion;
        one.inputs = std::move(inputs);
        one.outputs = {output};
        return nodes.size() - 1;
    };
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i].valid()) continue;
        if (i < progress.carried.size()) {
            if (!progress.carried[i].valid()) fail(node, "got no first value of a variable");
            add("Identity", {progress.carried[i]}, node.outputs[i], i);
            continue;
        }
        const std::vector<ValueId>& made = progress.scans.at(i - progress.carried.size());
        if (made.empty()) {
            fail(node, "got no iteration, expected some for its output " +
                           in_quotes(graph_.value(node.outputs[i]).name));
        }
        const ValueId first =
            add_constant(node.name + "/axes" + std::to_string(i), Tensor::of_integers({1}, {0}));
        std::vector<ValueId> rows;
        for (const ValueId one : made) {
            const std::string name = node.name + "/row" + std::to_string(graph_.values.size());
            rows.push_back(graph_.add({name, {}, nullptr}));
            add("Unsqueeze", {one, first}, rows.back(), graph_.values.size());
        }
        const std::size_t joined = add("Concat", rows, node.outputs[i], i);
        nodes[joined].attributes.set("axis", std::int64_t{0});
    }
    return nodes;
}

}  // namespace tessera::network
