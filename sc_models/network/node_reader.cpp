#include "sc_models/network/node_reader.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/onnx_tensors.h"
#include "sc_models/network/operator_sets.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/unsupported_operator.h"

namespace tessera::network {
namespace {

constexpr int kDeepest = 64;  // chosen; functions that call each other never end

bool is_onnx(const std::string& domain) {
    return domain.empty() || domain == "ai.onnx";
}

bool is_control_flow(const onnx::NodeProto& proto) {
    return is_onnx(proto.domain()) && (proto.op_type() == "If" || proto.op_type() == "Loop");
}

std::string name_with_domain(const onnx::NodeProto& proto) {
    return (is_onnx(proto.domain()) ? "" : proto.domain() + ".") + proto.op_type();
}

std::string place_text(const Node& node) {
    return "node " + in_quotes(node.name) + " (" + node.operation + "): ";
}

/// Adds to `names` what nodes of a subgraph read that none of them makes.
void add_captured(const onnx::GraphProto& body, std::set<std::string>& names) {
    std::set<std::string> own, read;
    for (const auto& input : body.input()) own.insert(input.name());
    for (const auto& tensor : body.initializer()) own.insert(tensor.name());
    for (const auto& output : body.output()) read.insert(output.name());
    for (const onnx::NodeProto& node : body.node()) {
        read.insert(node.input().begin(), node.input().end());
        own.insert(node.output().begin(), node.output().end());
        for (const auto& attribute : node.attribute()) {
            if (attribute.has_g()) add_captured(attribute.g(), read);
        }
    }
    std::copy_if(read.begin(), read.end(), std::inserter(names, names.end()),
                 [&](const std::string& name) { return !name.empty() && own.count(name) == 0; });
}

/// The set of ONNX's operators that a function is written in.
std::int64_t operator_set_of(const onnx::FunctionProto& function, std::int64_t otherwise) {
    for (const auto& imported : function.opset_import()) {
        if (is_onnx(imported.domain())) return imported.version();
    }
    return otherwise;
}

}  // namespace

const ValueId* Scope::find(const std::string& name) const {
    const auto found = ids.find(name);
    if (found != ids.end()) return &found->second;
    return outer == nullptr ? nullptr : outer->find(name);
}

NodeReader::NodeReader(Graph& graph, const onnx::ModelProto& model, const std::string& folder,
                       const OnnxOptions& options, StatedTypes& types)
    : graph_(graph), model_(model), folder_(folder), options_(options), types_(types) {
    for (const onnx::FunctionProto& function : model.functions()) {
        functions_.emplace(Function(function.domain(), function.name()), &function);
    }
}

const onnx::FunctionProto* NodeReader::function_of(const onnx::NodeProto& proto) const {
    const auto found = functions_.find(Function(proto.domain(), proto.op_type()));
    return found == functions_.end() ? nullptr : found->second;
}

void NodeReader::count_unsupported(const Protos& protos, std::int64_t operator_set,
                                   std::set<Function>& seen,
                                   std::map<std::string, int>& counts) const {
    for (const onnx::NodeProto& node : protos) {
        if (const onnx::FunctionProto* function = function_of(node)) {
            if (!seen.emplace(node.domain(), node.op_type()).second) continue;
            count_unsupported(function->node(), operator_set_of(*function, operator_set), seen,
                              counts);
            continue;
        }
        const bool ours = is_onnx(node.domain());
        const bool defined = ours && operator_definition(node.op_type(), operator_set) != nullptr;
        if (ours && !defined && !options_.keep_unsupported) {
            throw ConfigError("node " + in_quotes(node.name()) + ": operator set " +
                              std::to_string(operator_set) + " has no operator " +
                              in_quotes(node.op_type()));
        }
        if (is_control_flow(node) || (defined && find_operator(node.op_type()) != nullptr)) {
            continue;
        }
        ++counts[name_with_domain(node)];
    }
}

void NodeReader::refuse_unsupported(const Protos& protos, std::int64_t operator_set) const {
    std::map<std::string, int> counts;
    std::set<Function> seen;
    count_unsupported(protos, operator_set, seen, counts);
    if (counts.empty() || options_.keep_unsupported) return;
    std::string list;
    for (const auto& [name, count] : counts) {
        list += (list.empty() ? "" : ", ") + in_quotes(name) + " (" + std::to_string(count) +
                (count == 1 ? " node)" : " nodes)");
    }
    throw ConfigError("operators that are not supported: " + list +
                      "; docs/onnx_operators.md lists those that are, and --skip-unsupported "
                      "leaves others out");
}

ValueId NodeReader::add(Scope& scope, const std::string& name, TensorType type,
                        std::shared_ptr<const Tensor> constant) {
    if (scope.ids.count(name) != 0) {
        throw ConfigError("tensor " + in_quotes(scope.prefix + name) + " is made twice");
    }
    const ValueId id = graph_.add({scope.prefix + name, std::move(type), std::move(constant)});
    scope.ids.emplace(name, id);
    return id;
}

/// Assigns ids to all outputs first, because nodes may be in any order.
void NodeReader::name_outputs(const Protos& protos, Scope& scope) {
    for (const onnx::NodeProto& node : protos) {
        for (const std::string& output : node.output()) {
            if (output.empty() || scope.bound.erase(output) != 0) continue;
            add(scope, output, {}, nullptr);
        }
    }
}

std::string NodeReader::unique_name(const onnx::NodeProto& proto, const Scope& scope, int index) {
    std::string name =
        scope.prefix +
        (proto.name().empty() ? proto.op_type() + "_" + std::to_string(index) : proto.name());
    while (!names_.insert(name).second) name += "_" + std::to_string(index);
    return name;
}

std::vector<Node> NodeReader::read(const Protos& protos, const std::shared_ptr<Scope>& scope) {
    name_outputs(protos, *scope);
    std::vector<Node> nodes;
    for (int i = 0; i < protos.size(); ++i) {
        const onnx::NodeProto& proto = with_attributes(protos[i], *scope);
        const std::string name = unique_name(proto, *scope, i);
        if (const onnx::FunctionProto* function = function_of(proto)) {
            std::vector<Node> body = call(*function, proto, name, scope);
            std::move(body.begin(), body.end(), std::back_inserter(nodes));
        } else {
            nodes.push_back(read_node(proto, name, scope));
        }
    }
    return nodes;
}

/// A node whose attributes may be those of the call of a function: one that the call does not have
/// is omitted.
const onnx::NodeProto& NodeReader::with_attributes(const onnx::NodeProto& proto,
                                                   const Scope& scope) {
    const auto refers = [](const onnx::AttributeProto& one) {
        return !one.ref_attr_name().empty();
    };
    if (std::none_of(proto.attribute().begin(), proto.attribute().end(), refers)) return proto;
    onnx::NodeProto& copy = copies_.emplace_back(proto);
    copy.clear_attribute();
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
        if (!refers(attribute)) {
            *copy.add_attribute() = attribute;
            continue;
        }
        if (scope.attributes == nullptr) continue;
        const auto given = scope.attributes->find(attribute.ref_attr_name());
        if (given == scope.attributes->end()) continue;
        onnx::AttributeProto& added = *copy.add_attribute();
        added = given->second;
        added.set_name(attribute.name());
    }
    return copy;
}

std::vector<Node> NodeReader::call(const onnx::FunctionProto& function,
                                   const onnx::NodeProto& proto, const std::string& name,
                                   const std::shared_ptr<Scope>& scope) {
    const std::string place = "node " + in_quotes(name) + " (" + name_with_domain(proto) + "): ";
    auto inner = std::make_shared<Scope>();
    inner->depth = scope->depth + 1;
    if (inner->depth > kDeepest) {
        throw ConfigError(place + "functions call each other in more than " +
                          std::to_string(kDeepest) + " levels");
    }
    if (proto.input_size() > function.input_size() ||
        proto.output_size() > function.output_size()) {
        throw ConfigError(place + "got " + std::to_string(proto.input_size()) + " inputs and " +
                          std::to_string(proto.output_size()) + " outputs, expected at most " +
                          std::to_string(function.input_size()) + " and " +
                          std::to_string(function.output_size()));
    }
    inner->prefix = name + "/";
    inner->operator_set = operator_set_of(function, scope->operator_set);
    auto given = std::make_shared<Scope::Given>();
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
        given->emplace(attribute.name(), attribute);
    }
    inner->attributes = std::move(given);
    Node operands;
    operands.name = name;
    operands.operation = name_with_domain(proto);
    read_operands(proto, *scope, operands);
    for (int i = 0; i < function.input_size(); ++i) {
        const auto input = static_cast<std::size_t>(i);
        inner->ids[function.input(i)] =
            input < operands.inputs.size() ? operands.inputs[input] : ValueId();
    }
    const std::vector<std::string> outputs(function.output().begin(), function.output().end());
    return read_body(function.node(), outputs, operands.outputs, inner);
}

std::vector<Node> NodeReader::read_body(const Protos& protos,
                                        const std::vector<std::string>& outputs,
                                        const std::vector<ValueId>& ids,
                                        const std::shared_ptr<Scope>& scope) {
    std::set<std::string> made;
    for (const onnx::NodeProto& node : protos) {
        made.insert(node.output().begin(), node.output().end());
    }
    std::vector<std::pair<std::string, ValueId>> copied;
    for (std::size_t i = 0; i < outputs.size() && i < ids.size(); ++i) {
        if (!ids[i].valid()) continue;
        const bool binds = made.count(outputs[i]) != 0 && scope->ids.count(outputs[i]) == 0;
        if (binds) {
            scope->ids.emplace(outputs[i], ids[i]);
            scope->bound.insert(outputs[i]);
        } else {
            copied.emplace_back(outputs[i], ids[i]);
        }
    }
    std::vector<Node> nodes = read(protos, scope);
    for (const auto& [name, id] : copied) {
        const ValueId* from = scope->find(name);
        if (from == nullptr || !from->valid()) {
            throw ConfigError("output " + in_quotes(scope->prefix + name) + ": nothing makes it");
        }
        nodes.push_back({scope->prefix + name, "Identity", 1, {}, {*from}, {id}});
    }
    std::swap(graph_.nodes, nodes);
    sort_topologically(graph_);
    std::swap(graph_.nodes, nodes);
    return nodes;
}

const NodeReader::Place* NodeReader::place_of(const Node& node) const {
    if (node.operation != "If" && node.operation != "Loop") return nullptr;
    return &places_.at(node.name);
}

Node NodeReader::read_node(const onnx::NodeProto& proto, const std::string& name,
                           const std::shared_ptr<Scope>& scope) {
    Node node;
    node.name = name;
    node.operation = proto.op_type();
    const bool ours = is_onnx(proto.domain());
    const onnx::OpSchema* definition =
        ours ? operator_definition(proto.op_type(), scope->operator_set) : nullptr;
    const bool flows = is_control_flow(proto);
    if (definition == nullptr || (!flows && find_operator(proto.op_type()) == nullptr)) {
        read_stated_outputs(proto, *scope, node);
        return node;
    }
    node.version = definition->SinceVersion();
    try {
        definition->Verify(proto);
    } catch (const std::exception& error) {
        const std::string what = error.what();
        throw ConfigError(place_text(node) + what.substr(0, what.find('\n')));
    }
    read_operands(proto, *scope, node);
    if (!flows) {
        try {
            read_attributes(proto, *definition, node.attributes);
        } catch (const ConfigError& error) {
            rethrow_at(place_text(node), error);
        }
        return node;
    }
    std::set<std::string> captured;
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
        if (attribute.has_g()) add_captured(attribute.g(), captured);
    }
    for (const std::string& one : captured) {
        const ValueId* found = scope->find(one);
        if (found != nullptr && found->valid()) node.inputs.push_back(*found);
    }
    places_[node.name] = {&proto, scope};
    return node;
}

void NodeReader::read_operands(const onnx::NodeProto& proto, const Scope& scope, Node& node) const {
    for (const std::string& input : proto.input()) {
        const ValueId* found = input.empty() ? nullptr : scope.find(input);
        if (!input.empty() && found == nullptr) {
            throw ConfigError(place_text(node) + "input " + in_quotes(input) +
                              ": nothing makes it");
        }
        node.inputs.push_back(found == nullptr ? ValueId() : *found);
    }
    for (const std::string& output : proto.output()) {
        node.outputs.push_back(output.empty() ? ValueId() : scope.ids.at(output));
    }
}

void NodeReader::read_attributes(const onnx::NodeProto& proto, const onnx::OpSchema& definition,
                                 Attributes& attributes) const {
    for (const auto& [name, attribute] : definition.attributes()) {
        if (attribute.default_value.type() == onnx::AttributeProto::UNDEFINED) continue;
        attributes.set(name, attribute_of(attribute.default_value));
    }
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
        try {
            attributes.set(attribute.name(), attribute_of(attribute));
        } catch (const ConfigError& error) {
            rethrow_at("attribute " + in_quotes(attribute.name()) + ": ", error);
        }
    }
}

Attribute NodeReader::attribute_of(const onnx::AttributeProto& proto) const {
    switch (proto.type()) {
        case onnx::AttributeProto::INT:
            return static_cast<std::int64_t>(proto.i());
        case onnx::AttributeProto::FLOAT:
            return proto.f();
        case onnx::AttributeProto::STRING:
            return proto.s();
        case onnx::AttributeProto::INTS:
            return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
        case onnx::AttributeProto::FLOATS:
            return std::vector<float>(proto.floats().begin(), proto.floats().end());
        case onnx::AttributeProto::STRINGS:
            return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
        case onnx::AttributeProto::TENSOR:
            return std::make_shared<const Tensor>(tensor_of(proto.t(), folder_));
        default:
            throw ConfigError("its type is not supported, expected numbers, texts or a tensor");
    }
}

/// A node of an operator that is not supported: its outputs have the types that the file states.
void NodeReader::read_stated_outputs(const onnx::NodeProto& proto, const Scope& scope, Node& node) {
    node.operation = name_with_domain(proto);
    read_operands(proto, scope, node);
    std::vector<TensorType> types;
    for (const std::string& output : proto.output()) {
        if (output.empty()) {
            types.emplace_back();
            continue;
        }
        const auto stated = scope.stated.find(output);
        const std::string place = place_text(node) + "output " + in_quotes(output);
        if (stated == scope.stated.end()) {
            throw ConfigError(place +
                              ": the operator is not supported, and the file does not state this "
                              "tensor's shape; expected it in value_info, where "
                              "onnx.shape_inference and exporters write it");
        }
        types.push_back(types_.type_of(*stated->second, output, place));
    }
    make_unsupported(node, types);
}

}  // namespace tessera::network
