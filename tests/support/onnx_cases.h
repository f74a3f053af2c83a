// The cases that ONNX's own test data has for each operator.
#pragma once

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/tensor_files.h"

namespace tessera::test {

/// A model with its inputs and outputs as tensor files.
struct OnnxCase {
    std::string name;
    std::filesystem::path folder;

    [[nodiscard]] std::filesystem::path model() const { return folder / "model.onnx"; }
    /// "input" or "output".
    [[nodiscard]] std::filesystem::path tensor(const std::string& side, int index) const {
        return folder / "test_data_set_0" / (side + "_" + std::to_string(index) + ".pb");
    }
    /// The file as it is, for data that the reader does not return.
    [[nodiscard]] onnx::ModelProto proto() const {
        onnx::ModelProto model_proto;
        std::ifstream in(model(), std::ios::binary);
        model_proto.ParseFromIstream(&in);
        return model_proto;
    }
};

/// Where Debian's libonnx-testdata has them.
inline const std::filesystem::path kOnnxTestData = "/usr/share/libonnx-testdata/data";

/// The folder of the cases that onnx_cases/make_onnx_cases.py writes when the tests are built.
inline constexpr const char* kOwnCases = "sets_9_to_23";

/// All cases of a folder of the test data, by name; none if it is not there.
inline std::vector<OnnxCase> onnx_cases(const std::string& kind) {
    std::vector<OnnxCase> cases;
    const std::filesystem::path folder =
        kind == kOwnCases ? std::filesystem::path(TESSERA_ONNX_CASES) : kOnnxTestData / kind;
    if (!std::filesystem::is_directory(folder)) return cases;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        cases.push_back({entry.path().filename().string(), entry.path()});
    }
    std::sort(cases.begin(), cases.end(),
              [](const OnnxCase& a, const OnnxCase& b) { return a.name < b.name; });
    return cases;
}

/// Whether a node is a call of one of the model's functions.
inline bool is_call(const onnx::ModelProto& model, const onnx::NodeProto& node) {
    return std::any_of(model.functions().begin(), model.functions().end(),
                       [&](const onnx::FunctionProto& function) {
                           return function.domain() == node.domain() &&
                                  function.name() == node.op_type();
                       });
}

inline bool is_control_flow(const onnx::NodeProto& node) {
    return node.op_type() == "If" || node.op_type() == "Loop";
}

/// Why a case is none of real numbers and supported operators; empty if it is one.
inline std::string reason_to_leave_out(const onnx::ModelProto& model) {
    for (const auto& imported : model.opset_import()) {
        if (!imported.domain().empty()) {
            if (model.functions_size() > 0) continue;
            return "domain " + imported.domain();
        }
        if (imported.version() < network::kOldestOperatorSet) {
            return "operator set " + std::to_string(imported.version());
        }
    }
    for (const onnx::ValueInfoProto& info : model.graph().input()) {
        if (!info.type().has_tensor_type()) return "inputs that are no tensors";
    }
    for (const onnx::NodeProto& node : model.graph().node()) {
        if (is_control_flow(node) || is_call(model, node)) continue;
        if (network::find_operator(node.op_type()) == nullptr) return "operator " + node.op_type();
    }
    return "";
}

/// Values that shapes depend on have to be constants: all that lead to such an operand.
inline std::set<std::string> shape_inputs(const onnx::ModelProto& model) {
    std::set<std::string> names;
    for (int n = model.graph().node_size(); n-- > 0;) {
        const onnx::NodeProto& node = model.graph().node(n);
        const network::Operator* operation = network::find_operator(node.op_type());
        const bool of_types_only = operation != nullptr && operation->of_types_only;
        const bool led_to = !of_types_only && names.count(node.output(0)) != 0;
        constexpr std::uint32_t kConditions = 3;  // trip count and condition
        const std::uint32_t deciding = is_control_flow(node)  ? kConditions
                                       : operation == nullptr ? 0
                                                              : operation->shape_inputs;
        for (int i = 0; i < node.input_size(); ++i) {
            const bool decides = ((deciding >> static_cast<unsigned>(i)) & 1U) != 0;
            if (led_to || decides) names.insert(node.input(i));
        }
    }
    return names;
}

/// Cases of older operator sets whose operators are defined in the same way in the oldest that is
/// read.
inline void raise_operator_set(onnx::ModelProto& model) {
    for (auto& imported : *model.mutable_opset_import()) {
        bool same = imported.version() < network::kOldestOperatorSet;
        for (const onnx::NodeProto& node : model.graph().node()) {
            const auto* older = onnx::OpSchemaRegistry::Schema(
                node.op_type(), static_cast<int>(imported.version()), imported.domain());
            const auto* newer = onnx::OpSchemaRegistry::Schema(
                node.op_type(), network::kOldestOperatorSet, imported.domain());
            same = same && older != nullptr && newer != nullptr &&
                   older->SinceVersion() == newer->SinceVersion();
        }
        if (same) imported.set_version(network::kOldestOperatorSet);
    }
}

/// A case with its inputs as ours; those that shapes depend on are constants.
struct ReadCase {
    std::string left_out;  ///< why it is not read; empty: it is
    network::Graph graph, as_written;
    std::vector<network::Tensor> inputs;  ///< in the graph's order
};

/// Throws ConfigError for what should be read and is not.
inline ReadCase read_case(const OnnxCase& one) {
    onnx::ModelProto model = one.proto();
    raise_operator_set(model);
    ReadCase read;
    read.left_out = reason_to_leave_out(model);
    if (!read.left_out.empty()) return read;
    try {
        const std::set<std::string> fixed = shape_inputs(model);
        network::OnnxOptions options;
        std::map<std::string, network::Tensor> inputs;
        std::set<std::string> constants;
        for (const auto& tensor : model.graph().initializer()) constants.insert(tensor.name());
        int file = 0;
        for (const onnx::ValueInfoProto& info : model.graph().input()) {
            if (constants.count(info.name()) != 0) continue;
            network::Tensor tensor =
                network::read_tensor_file(one.tensor("input", file++).string());
            for (int axis = 0; axis < info.type().tensor_type().shape().dim_size(); ++axis) {
                const auto& side = info.type().tensor_type().shape().dim(axis);
                if (side.has_dim_value()) continue;
                options.sides[side.dim_param().empty() ? info.name() + "." + std::to_string(axis)
                                                       : side.dim_param()] =
                    tensor.type.shape.at(static_cast<std::size_t>(axis));
            }
            auto& to = fixed.count(info.name()) != 0 ? options.fixed_inputs : inputs;
            to[info.name()] = std::move(tensor);
        }
        read.graph = network::parse_onnx(model.SerializeAsString(), one.model().string(),
                                         one.folder.string(), options, &read.as_written);
        for (const network::ValueId id : read.graph.inputs) {
            read.inputs.push_back(inputs.at(read.graph.value(id).name));
        }
        // Expected tensors may have types that are not read: ONNX stores BFLOAT16 as UINT16.
        for (std::size_t i = 0; i < read.graph.outputs.size(); ++i) {
            (void)network::read_tensor_file(one.tensor("output", static_cast<int>(i)).string());
        }
    } catch (const ConfigError& error) {
        const std::string what = error.what();
        // These parts of the reader's messages name features that it does not support.
        for (const char* known :
             {"got elements of type", "training is not supported", "dtype: got type",
              "to: got type", "operators that are not supported", "its type is not supported"}) {
            const std::size_t at = what.find(known);
            if (at == std::string::npos) continue;
            read.left_out = what.substr(at);
            return read;
        }
        throw;
    }
    return read;
}

/// All operators of a model, each once.
inline std::string operators_of(const onnx::ModelProto& model) {
    std::set<std::string> names;
    for (const onnx::NodeProto& node : model.graph().node()) names.insert(node.op_type());
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
    return list;
}

}  // namespace tessera::test
