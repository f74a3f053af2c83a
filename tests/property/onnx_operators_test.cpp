// Do operators compute what ONNX's own test data says, in every case of real numbers?
#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/operators.h"
#include "sc_models/network/storage.h"
#include "sc_models/network/tensor_files.h"
#include "tests/support/onnx_cases.h"

namespace tessera::network {
namespace {

using test::OnnxCase;

/// ONNX's own runner allows this much (relative, absolute).
constexpr double kRelative = 1e-3, kAbsolute = 1e-7;

/// What became of a case.
struct Outcome {
    enum class Kind { kPassed, kLeftOut, kFailed } kind = Kind::kPassed;
    std::string why;
};

Outcome left_out(std::string why) {
    return {Outcome::Kind::kLeftOut, std::move(why)};
}
Outcome failed(std::string why) {
    return {Outcome::Kind::kFailed, std::move(why)};
}

/// Why a case is none of real numbers and supported operators; empty if it is one.
std::string reason_to_leave_out(const onnx::ModelProto& model) {
    for (const auto& imported : model.opset_import()) {
        if (!imported.domain().empty()) return "domain " + imported.domain();
        if (imported.version() < kOldestOperatorSet) {
            return "operator set " + std::to_string(imported.version());
        }
    }
    for (const onnx::ValueInfoProto& info : model.graph().input()) {
        if (!info.type().has_tensor_type()) return "inputs that are no tensors";
    }
    for (const onnx::NodeProto& node : model.graph().node()) {
        if (find_operator(node.op_type()) == nullptr) return "operator " + node.op_type();
    }
    return "";
}

/// Values that shapes depend on have to be constants: all that lead to such an operand.
std::set<std::string> shape_inputs(const onnx::ModelProto& model) {
    std::set<std::string> names;
    for (int n = model.graph().node_size(); n-- > 0;) {
        const onnx::NodeProto& node = model.graph().node(n);
        const Operator& operation = *find_operator(node.op_type());
        const bool led_to = !operation.of_types_only && names.count(node.output(0)) != 0;
        for (int i = 0; i < node.input_size(); ++i) {
            const bool decides = ((operation.shape_inputs >> static_cast<unsigned>(i)) & 1U) != 0;
            if (led_to || decides) names.insert(node.input(i));
        }
    }
    return names;
}

/// Cases of older operator sets whose operators are defined in the same way in the oldest that is
/// read.
void raise_operator_set(onnx::ModelProto& model) {
    for (auto& imported : *model.mutable_opset_import()) {
        bool same = imported.version() < kOldestOperatorSet;
        for (const onnx::NodeProto& node : model.graph().node()) {
            const auto* older = onnx::OpSchemaRegistry::Schema(
                node.op_type(), static_cast<int>(imported.version()), imported.domain());
            const auto* newer = onnx::OpSchemaRegistry::Schema(node.op_type(), kOldestOperatorSet,
                                                               imported.domain());
            same = same && older != nullptr && newer != nullptr &&
                   older->SinceVersion() == newer->SinceVersion();
        }
        if (same) imported.set_version(kOldestOperatorSet);
    }
}

std::string difference(const Tensor& got, const Tensor& expected) {
    if (got.type != expected.type) {
        return "got " + got.type.str() + ", expected " + expected.type.str();
    }
    if (got.integers != expected.integers) return "other integers";
    const double relative = expected.type.type == ElementType::kHalf ? 0x1p-10 : kRelative;
    for (std::size_t i = 0; i < got.reals.size(); ++i) {
        const double a = got.reals[i];
        const double b = expected.reals[i];
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        if (!same && !(std::fabs(a - b) <= kAbsolute + relative * std::fabs(b))) {
            return "element " + std::to_string(i) + ": got " + std::to_string(a) + ", expected " +
                   std::to_string(b);
        }
    }
    return "";
}

/// A case as a graph with its inputs.
struct ReadCase {
    Graph graph;
    std::vector<Tensor> inputs;
};

ReadCase read_case(const OnnxCase& one, const onnx::ModelProto& model) {
    const std::set<std::string> fixed = shape_inputs(model);
    OnnxOptions options;
    std::map<std::string, Tensor> inputs;
    std::set<std::string> constants;
    for (const auto& tensor : model.graph().initializer()) constants.insert(tensor.name());
    int file = 0;
    for (const onnx::ValueInfoProto& info : model.graph().input()) {
        if (constants.count(info.name()) != 0) continue;
        Tensor tensor = read_tensor_file(one.tensor("input", file++).string());
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
    Graph graph =
        parse_onnx(model.SerializeAsString(), one.model().string(), one.folder.string(), options);
    std::vector<Tensor> ordered;
    for (const ValueId id : graph.inputs) ordered.push_back(inputs.at(graph.value(id).name));
    return {std::move(graph), std::move(ordered)};
}

Outcome run_case(const OnnxCase& one) {
    onnx::ModelProto model = one.proto();
    raise_operator_set(model);
    const std::string reason = reason_to_leave_out(model);
    if (!reason.empty()) return left_out(reason);
    try {
        ReadCase read = read_case(one, model);
        const std::vector<Tensor> outputs = execute(read.graph, std::move(read.inputs));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::string path = one.tensor("output", static_cast<int>(i)).string();
            const std::string wrong = difference(outputs[i], read_tensor_file(path));
            if (!wrong.empty()) return failed("output " + std::to_string(i) + ": " + wrong);
        }
    } catch (const ConfigError& error) {
        const std::string what = error.what();
        // What the reader says it does not do, in its own words.
        for (const char* known :
             {"got elements of type", "training is not supported", "to: got type"}) {
            const std::size_t at = what.find(known);
            if (at != std::string::npos) return left_out(what.substr(at));
        }
        return failed(what);
    }
    return {};
}

/// All operators of a model, each once.
std::string operators_of(const onnx::ModelProto& model) {
    std::set<std::string> names;
    for (const onnx::NodeProto& node : model.graph().node()) names.insert(node.op_type());
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
    return list;
}

/// Runs the cases of a folder, of which `expected` at least have to pass. With TESSERA_ONNX_CASES
/// in the environment a line for each goes to the end of that file, for tools/onnx_operators.
void run_cases(const std::string& kind, std::size_t expected) {
    const std::vector<OnnxCase> cases = test::onnx_cases(kind);
    ASSERT_FALSE(cases.empty()) << test::kOnnxTestData / kind << " is missing (tools/setup)";
    std::size_t passed = 0;
    std::ofstream out;
    if (const char* path = std::getenv("TESSERA_ONNX_CASES")) out.open(path, std::ios::app);
    for (const OnnxCase& one : cases) {
        const Outcome outcome = run_case(one);
        const bool good = outcome.kind == Outcome::Kind::kPassed;
        if (good) ++passed;
        EXPECT_NE(outcome.kind, Outcome::Kind::kFailed) << one.name << ": " << outcome.why;
        out << "case\t" << kind << '\t' << one.name << '\t' << (good ? "passed" : outcome.why)
            << '\t' << operators_of(one.proto()) << '\n';
    }
    std::printf("%s: %zu of %zu cases pass, %zu are left out\n", kind.c_str(), passed, cases.size(),
                cases.size() - passed);
    EXPECT_GE(passed, expected);
}

TEST(OnnxOperators, NodeCasesComeOut) {
    run_cases("node", 549);
}

TEST(OnnxOperators, ConvertedModelsComeOut) {
    run_cases("pytorch-converted", 59);
}

/// Nodes of real numbers of all cases as layers of the machine, in halves: lower() throws where
/// their results are not the network's own.
TEST(OnnxOperators, AreLoweredToLayers) {
    std::map<std::string, std::string> refused;  // operators, with a reason
    std::size_t lowered = 0, layers = 0, left = 0;
    for (const OnnxCase& one : test::onnx_cases("node")) {
        if (run_case(one).kind != Outcome::Kind::kPassed) continue;
        onnx::ModelProto model = one.proto();
        raise_operator_set(model);
        ReadCase read = read_case(one, model);
        store_as_halves(read.graph);
        for (std::size_t i = 0; i < read.inputs.size(); ++i) {
            read.inputs[i].type = read.graph.value(read.graph.inputs[i]).type;
            read.inputs[i].round_to_type();
        }
        (void)recognise_patterns(read.graph);
        const Layouts layouts(read.graph);
        const auto lower_node = [&](const Node& node, const std::vector<Tensor>&,
                                    const TensorOf& tensor_of) {
            for (const EpilogueStyle style : {EpilogueStyle::kFused, EpilogueStyle::kApart}) {
                try {
                    layers += lower(read.graph, node, layouts, tensor_of, style).size();
                    ++lowered;
                } catch (const ConfigError& error) {
                    refused.emplace(node.operation, error.what());
                    ++left;
                }
            }
        };
        SCOPED_TRACE(one.name);
        EXPECT_NO_THROW((void)execute(read.graph, std::move(read.inputs), lower_node));
    }
    std::printf("%zu nodes are lowered to %zu layers, %zu are left out:\n", lowered, layers, left);
    for (const auto& [operation, why] : refused) {
        std::printf("  %s: %s\n", operation.c_str(), why.c_str());
    }
    EXPECT_GE(lowered, 600U);
    for (const char* needed :
         {"Add", "AveragePool", "BatchNormalization", "Clip", "Concat", "Erf", "Gemm",
          "GlobalAveragePool", "MatMul", "PRelu", "Relu", "Softmax", "Transpose"}) {
        EXPECT_EQ(refused.count(needed), 0U) << refused[needed];
    }
}

/// A case with another value in it is seen.
TEST(OnnxOperators, AWrongValueIsSeen) {
    const Tensor right = Tensor::of_reals({2}, {1, 2});
    EXPECT_EQ(difference(right, right), "");
    EXPECT_NE(difference(Tensor::of_reals({2}, {1, 2.01F}), right), "");
    EXPECT_NE(difference(Tensor::of_reals({2}, {1, NAN}), right), "");
    EXPECT_NE(difference(Tensor::of_reals({1, 2}, {1, 2}), right), "");
    EXPECT_NE(difference(Tensor::of_integers({1}, {3}), Tensor::of_integers({1}, {4})), "");
}

TEST(OnnxOperators, HaveNamesOfTheirOwn) {
    std::ofstream out;
    if (const char* path = std::getenv("TESSERA_ONNX_CASES")) out.open(path, std::ios::app);
    std::set<std::string_view> names;
    for (const Operator& one : all_operators()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_EQ(find_operator(one.name), &one);
        out << "operator\t" << one.name << '\t' << name_of(one.kind) << '\n';
    }
    EXPECT_EQ(find_operator("Convolution"), nullptr);
}

}  // namespace
}  // namespace tessera::network
