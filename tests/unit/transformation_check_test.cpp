// Does the check see what a wrong transformation of a network would do?
#include "sc_models/network/transformation_check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/onnx_reader.h"
#include "tests/support/fused_network.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::noise;
using test::OnnxModel;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A network as its file has it and as it runs, with inputs.
struct Networks {
    Graph file, graph;
    std::vector<Tensor> inputs;
};

Networks rewritten(const OnnxModel& model, ProductNumbers numbers = ProductNumbers::kReal) {
    Networks networks;
    networks.graph = parse_onnx(model.bytes(), "m.onnx", "", {}, &networks.file);
    for (const ValueId id : networks.file.inputs) {
        const TensorType& type = networks.file.value(id).type;
        networks.inputs.push_back(
            Tensor::of_reals(type.shape, noise(type.elements(), networks.inputs.size())));
    }
    (void)rewrite(networks.graph, true, {numbers}, &networks.file);
    return networks;
}

TransformationReport report_of(const Networks& networks) {
    return check_transformation(networks.file, networks.graph, networks.inputs);
}

/// The error of the check after `change` breaks a network that passed before.
std::string error_of(const OnnxModel& model, const std::function<void(Graph&)>& change,
                     ProductNumbers numbers = ProductNumbers::kReal) {
    Networks networks = rewritten(model, numbers);
    (void)report_of(networks);
    change(networks.graph);
    try {
        (void)report_of(networks);
    } catch (const CheckError& error) {
        return error.what();
    }
    return "";
}

/// The constant with one number changed.
void change_constant(Graph& graph, ValueId id, std::size_t element, float factor) {
    Tensor tensor = *graph.value(id).constant;
    tensor.reals.at(element) *= factor;
    graph.value(id).constant = std::make_shared<const Tensor>(std::move(tensor));
}

/// Conv 'c', BatchNormalization 'n', LeakyRelu 'r', Add 'a'.
OnnxModel block() {
    OnnxModel model;
    model.input("x", {2, 4, 5, 5}).output("y").weights("w", {6, 2, 3, 3}, noise(108, 1));
    model.weights("b", {6}, noise(6, 2)).weights("s", {6}, noise(6, 3));
    model.weights("h", {6}, noise(6, 4)).weights("m", {6}, noise(6, 5));
    model.weights("v", {6}, {0.5F, 1, 2, 3, 4, 5}).weights("k", {6, 1, 1}, noise(6, 6));
    model.node("Conv", {"x", "w", "b"}, {"t"}, "c").with("group", 2);
    model.node("BatchNormalization", {"t", "s", "h", "m", "v"}, {"u"}, "n");
    model.node("LeakyRelu", {"u"}, {"z"}, "r").node("Add", {"z", "k"}, {"y"}, "a");
    return model;
}

TEST(TransformationCheck, AFusedBlockIsTheFilesOwn) {
    const Networks networks = rewritten(block());
    ASSERT_EQ(networks.graph.nodes.size(), 1U);
    const TransformationReport report = report_of(networks);
    EXPECT_EQ(report.file_nodes, 4U);
    EXPECT_EQ(report.exact, 2U);    // behind LeakyRelu and Add
    EXPECT_EQ(report.bounded, 1U);  // behind BatchNormalization
    EXPECT_GT(report.largest_share, 0);
    EXPECT_LT(report.largest_share, 0.5);
    EXPECT_EQ(report.outputs.at(0).reals, execute(networks.file, networks.inputs)[0].reals);
}

TEST(TransformationCheck, SeesAWrongWeight) {
    for (const float factor : {1.01F, 1.0001F}) {
        const std::string error = error_of(block(), [factor](Graph& graph) {
            change_constant(graph, graph.nodes[0].inputs[1], 50, factor);
        });
        EXPECT_THAT(error, HasSubstr("tensor 'u', element")) << factor;
        EXPECT_THAT(error, HasSubstr("BatchNormalization 'n' in the weights of Conv 'c'"));
    }
}

TEST(TransformationCheck, SeesAWrongBias) {
    EXPECT_NE(
        error_of(block(),
                 [](Graph& graph) { change_constant(graph, graph.nodes[0].inputs[2], 3, 1.001F); }),
        "");
}

TEST(TransformationCheck, SeesStepsInAnotherOrder) {
    EXPECT_THAT(error_of(block(),
                         [](Graph& graph) {
                             std::vector<EpilogueStep>& steps = graph.nodes[0].epilogue;
                             std::swap(steps[0], steps[1]);
                             std::swap(steps[0].taken, steps[1].taken);
                         }),
                AllOf(HasSubstr("tensor 'z', element"), HasSubstr("Add 'a in the epilogue of c'")));
}

TEST(TransformationCheck, SeesAnotherFunction) {
    EXPECT_THAT(
        error_of(block(), [](Graph& graph) { graph.nodes[0].epilogue[0].operation = "Relu"; }),
        HasSubstr("tensor 'z', element"));
    EXPECT_THAT(error_of(block(),
                         [](Graph& graph) {
                             graph.nodes[0].epilogue.erase(graph.nodes[0].epilogue.begin());
                         }),
                HasSubstr("tensor 'z'"));
}

TEST(TransformationCheck, SeesAnOperandOfAnotherNode) {
    OnnxModel model;
    model.input("x", {3, 3}).input("z", {3, 3}).output("y").weights("w", {3, 3}, noise(9, 1));
    model.node("MatMul", {"x", "w"}, {"a"}).node("Sub", {"a", "z"}, {"y"});
    EXPECT_THAT(
        error_of(model,
                 [](Graph& graph) { graph.nodes[0].epilogue[0].inputs[1] = graph.inputs[0]; }),
        HasSubstr("tensor 'y', element 0 [0, 0]"));
    EXPECT_THAT(error_of(model,
                         [](Graph& graph) {
                             EpilogueStep& step = graph.nodes[0].epilogue[0];
                             std::swap(step.inputs[0], step.inputs[1]);
                             step.chained = 1;
                         }),
                HasSubstr("tensor 'y', element 0 [0, 0]"));
}

TEST(TransformationCheck, SeesAWrongPattern) {
    OnnxModel model;
    model.input("x", {3, 4}).output("y").node("Sigmoid", {"x"}, {"a"});
    model.node("Mul", {"x", "a"}, {"y"}, "m");
    EXPECT_THAT(error_of(model, [](Graph& graph) { graph.nodes[0].operation = "Gelu"; }),
                HasSubstr("nodes up to Mul 'm' taken as Gelu"));
}

TEST(TransformationCheck, SeesAWrongEpsilon) {
    OnnxModel model;
    model.input("x", {2, 3, 4}).output("y").weights("two", {}, {2}).weights("e", {}, {1e-2F});
    model.weights("g", {4}, noise(4, 1)).weights("b", {4}, noise(4, 2));
    model.node("ReduceMean", {"x"}, {"m"}).with("axes", std::vector<std::int64_t>{2});
    model.node("Sub", {"x", "m"}, {"d"}).node("Pow", {"d", "two"}, {"p"});
    model.node("ReduceMean", {"p"}, {"v"}).with("axes", std::vector<std::int64_t>{2});
    model.node("Add", {"v", "e"}, {"f"}).node("Sqrt", {"f"}, {"s"});
    model.node("Div", {"d", "s"}, {"n"}).node("Mul", {"n", "g"}, {"k"});
    model.node("Add", {"k", "b"}, {"y"}, "a");
    EXPECT_THAT(error_of(model,
                         [](Graph& graph) {
                             ASSERT_EQ(graph.nodes.size(), 1U);
                             graph.nodes[0].attributes.set("epsilon", 1.001e-2F);
                         }),
                HasSubstr("nodes up to Add 'a' taken as LayerNormalization"));
}

TEST(TransformationCheck, SeesAWrongEpsilonOfRmsNormalization) {
    OnnxModel model;
    model.input("x", {2, 3, 4}).output("y").weights("e", {}, {1e-2F});
    model.weights("g", {4}, noise(4, 1)).node("Mul", {"x", "x"}, {"p"});
    model.node("ReduceMean", {"p"}, {"v"}).with("axes", std::vector<std::int64_t>{2});
    model.node("Add", {"v", "e"}, {"f"}).node("Sqrt", {"f"}, {"s"});
    model.node("Div", {"x", "s"}, {"n"}).node("Mul", {"n", "g"}, {"y"}, "m");
    EXPECT_THAT(error_of(model,
                         [](Graph& graph) {
                             ASSERT_EQ(graph.nodes.size(), 1U);
                             graph.nodes[0].attributes.set("epsilon", 1.001e-2F);
                         }),
                HasSubstr("nodes up to Mul 'm' taken as RMSNormalization"));
}

TEST(TransformationCheck, SeesLostSides) {
    OnnxModel model;
    model.input("x", {4}).output("y").weights("k", {1, 1}, {2});
    model.node("Mul", {"x", "k"}, {"y"});
    EXPECT_EQ(error_of(model, [](Graph& graph) { graph.value(graph.outputs[0]).type.shape = {4}; }),
              "tensor 'y' is FLOAT 4 as it runs, but FLOAT 1x4 by the file's graph");
    EXPECT_EQ(error_of(model,
                       [](Graph& graph) {
                           graph.nodes[0].operation = "Relu";
                           graph.nodes[0].inputs.resize(1);
                       }),
              "tensor 'y' is FLOAT 4 by Relu 'Mul_0', but FLOAT 1x4 by the file's graph");
}

TEST(TransformationCheck, SeesAWrongConstantComputedAhead) {
    OnnxModel model;
    model.input("x", {3, 2}).output("y").weights("w", {2, 3}, noise(6, 1));
    model.node("Transpose", {"w"}, {"t"}).node("Add", {"x", "t"}, {"y"});
    EXPECT_THAT(error_of(model,
                         [](Graph& graph) {
                             change_constant(graph, graph.nodes[0].inputs[1], 2, 1.0000002F);
                         }),
                AllOf(HasSubstr("tensor 't', element 2 [1, 0]"), HasSubstr("computed ahead")));
}

TEST(TransformationCheck, SeesAWrongOutput) {
    OnnxModel model;
    model.input("x", {3}).output("y").output("z");
    model.node("Relu", {"x"}, {"y"}).node("Neg", {"x"}, {"z"});
    EXPECT_THAT(
        error_of(model, [](Graph& graph) { std::swap(graph.outputs[0], graph.outputs[1]); }),
        HasSubstr("other inputs or outputs"));
    EXPECT_THAT(error_of(model, [](Graph& graph) { graph.nodes.pop_back(); }),
                HasSubstr("tensor 'z', read by output: the network as it runs does not make it"));
}

/// The check runs each node on the file's tensors; a network without such a tensor is wrong.
TEST(TransformationCheck, SeesAnOperandThatIsGone) {
    OnnxModel model;
    model.input("x", {3}).output("y");
    model.node("Neg", {"x"}, {"a"}).node("Relu", {"a"}, {"y"}, "r");
    EXPECT_EQ(error_of(model, [](Graph& graph) { graph.nodes.erase(graph.nodes.begin()); }),
              "tensor 'a', read by Relu 'r': the network as it runs does not make it");
}

TEST(TransformationCheck, RecurrentOperatorsInSteps) {
    OnnxModel model;
    model.input("x", {3, 2, 4}).output("y").weights("w", {1, 12, 4}, noise(48, 1));
    model.weights("r", {1, 12, 3}, noise(36, 2));
    model.node("LSTM", {"x", "w", "r"}, {"y"}, "l").with("hidden_size", 3);
    EXPECT_THAT(error_of(model,
                         [](Graph& graph) {
                             for (const Node& node : graph.nodes) {
                                 if (node.inputs.size() < 2 ||
                                     graph.value(node.inputs[1]).constant == nullptr)
                                     continue;
                                 if (graph.value(node.inputs[1]).constant->reals.size() < 36)
                                     continue;
                                 change_constant(graph, node.inputs[1], 5, 2);
                                 return;
                             }
                         }),
                HasSubstr("LSTM 'l' taken apart into steps"));
}

/// The node of this operator.
Node& node_of(Graph& graph, const char* operation) {
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [&](const Node& node) { return node.operation == operation; });
    if (found == graph.nodes.end()) throw std::logic_error(operation);
    return *found;
}

/// A quantised product in steps may round to the next integer, but only near the middle.
TEST(TransformationCheck, QuantisedProductsInSteps) {
    OnnxModel model;
    model.input("x", {8, 16}).output("y").weights("w", {16, 8}, noise(128, 1));
    model.weights("s", {}, {0.007F}).weights("t", {}, {0.011F}).weights("n", {}, {0});
    model.node("QuantizeLinear", {"w", "s"}, {"v"}).node("QuantizeLinear", {"n", "s"}, {"o"});
    model.node("QuantizeLinear", {"x", "s"}, {"q"});
    model.node("QLinearMatMul", {"q", "s", "o", "v", "s", "o", "t", "o"}, {"p"}, "m");
    model.node("DequantizeLinear", {"p", "t"}, {"y"});
    EXPECT_GT(report_of(rewritten(model)).bounded, 0U);
    const auto is_made_by = [](const Node& node) {
        return node.operation == "QuantizeLinear" && node.name.compare(0, 2, "m.") == 0;
    };
    EXPECT_THAT(error_of(model,
                         [&](Graph& graph) {
                             const auto node =
                                 std::find_if(graph.nodes.begin(), graph.nodes.end(), is_made_by);
                             ASSERT_NE(node, graph.nodes.end());
                             change_constant(graph, node->inputs[1], 0, 1.5F);
                         }),
                HasSubstr("QLinearMatMul 'm' taken apart into steps"));
    // A result that is larger by one everywhere is not near the middle.
    EXPECT_THAT(error_of(model,
                         [&](Graph& graph) {
                             const auto node =
                                 std::find_if(graph.nodes.begin(), graph.nodes.end(), is_made_by);
                             ASSERT_NE(node, graph.nodes.end());
                             node->inputs[2] =
                                 graph.add({"other",
                                            {ElementType::kUint8, {}},
                                            std::make_shared<const Tensor>(Tensor::of_integers(
                                                {}, {1}, ElementType::kUint8))});
                         }),
                HasSubstr("with the quotient"));
}

/// x and w are quantised by `a` and `b`, their product with a bias and Relu by `c`.
OnnxModel quantised(float a, float b, float c) {
    OnnxModel model;
    model.input("x", {60, 32}).output("y").weights("w", {32, 24}, noise(768, 1));
    model.weights("a", {}, {a}).weights("b", {}, {b}).weights("c", {}, {c}).weights("n", {}, {7});
    model.weights("h", {24}, noise(24, 2)).node("Cast", {"n"}, {"z"}, "zero");
    model.with("to", onnx::TensorProto::UINT8);
    model.node("Cast", {"n"}, {"o"}).with("to", onnx::TensorProto::INT8);
    model.node("QuantizeLinear", {"x", "a", "z"}, {"q"}, "q");
    model.node("DequantizeLinear", {"q", "a", "z"}, {"d"});
    model.node("QuantizeLinear", {"w", "b", "o"}, {"v"});
    model.node("DequantizeLinear", {"v", "b", "o"}, {"e"});
    model.node("MatMul", {"d", "e"}, {"p"}, "p").node("Add", {"p", "h"}, {"s"});
    model.node("Relu", {"s"}, {"r"}).node("QuantizeLinear", {"r", "c", "o"}, {"y"}, "y");
    return model;
}

TEST(TransformationCheck, ProductsOfIntegersAreTheFilesOwn) {
    const Networks networks =
        rewritten(quantised(0.007F, 0.011F, 0.05F), ProductNumbers::kIntegers);
    ASSERT_EQ(networks.graph.nodes.size(), 2U) << "QuantizeLinear and QLinearMatMul";
    const TransformationReport report = report_of(networks);
    EXPECT_EQ(report.file_nodes, 10U);
    EXPECT_EQ(report.bounded, 1U);
    EXPECT_LE(report.next_integers, 1U) << "few quotients are near the middle";
    EXPECT_LT(report.largest_share, 1);
}

/// Half of the quotients are half-integers but for rounding, so both ways differ in many.
TEST(TransformationCheck, IntegersNearTheMiddleMayDiffer) {
    const Networks networks = rewritten(quantised(0.1F, 0.1F, 0.02F), ProductNumbers::kIntegers);
    const TransformationReport report = report_of(networks);
    EXPECT_GT(report.next_integers, 50U);
    EXPECT_LT(report.largest_share, 1);
    EXPECT_THAT(report.text(), HasSubstr("integers are the next ones"));
}

TEST(TransformationCheck, SeesAWrongProductOfIntegers) {
    const OnnxModel model = quantised(0.007F, 0.011F, 0.05F);
    const auto change_whole = [](Graph& graph, std::size_t input, std::int64_t by) {
        Node& node = node_of(graph, "QLinearMatMul");
        Tensor tensor = *graph.value(node.inputs.at(input)).constant;
        tensor.integers.at(0) += by;
        node.inputs[input] =
            graph.add({"changed", tensor.type, std::make_shared<const Tensor>(std::move(tensor))});
    };
    // A constant of its own: others read the same scale.
    const auto change_scale = [](Graph& graph, std::size_t input) {
        Node& node = node_of(graph, "QLinearMatMul");
        Tensor tensor = *graph.value(node.inputs.at(input)).constant;
        tensor.reals.at(0) *= 1.01F;
        node.inputs[input] =
            graph.add({"changed", tensor.type, std::make_shared<const Tensor>(std::move(tensor))});
    };
    const auto error = [&](const std::function<void(Graph&)>& change) {
        return error_of(model, change, ProductNumbers::kIntegers);
    };
    const auto at = AllOf(HasSubstr("tensor 'y', element"), HasSubstr("with the quotient"),
                          HasSubstr("taken as QLinearMatMul"));
    EXPECT_THAT(error([&](Graph& graph) { change_scale(graph, 1); }), at) << "scale of A";
    EXPECT_THAT(error([&](Graph& graph) { change_scale(graph, 4); }), at) << "scale of B";
    EXPECT_THAT(error([&](Graph& graph) { change_scale(graph, 6); }), at) << "scale of the result";
    EXPECT_THAT(error([&](Graph& graph) { change_whole(graph, 2, 1); }), at) << "zero point of A";
    EXPECT_THAT(error([&](Graph& graph) { change_whole(graph, 3, 9); }), at) << "a weight";
    EXPECT_THAT(error([&](Graph& graph) { change_whole(graph, 7, 1); }), at)
        << "results that are all larger by one";
    EXPECT_THAT(error([&](Graph& graph) { change_whole(graph, 8, 400); }), at) << "bias";
    EXPECT_THAT(error([](Graph& graph) {
                    node_of(graph, "QLinearMatMul").attributes.set("least", std::int64_t{-128});
                }),
                at)
        << "no Relu";
}

/// Sums of quantised tensors are the file's own, bit by bit.
TEST(TransformationCheck, SumsOfIntegersAreTheFilesOwn) {
    OnnxModel model;
    model.input("x", {9, 40}).input("z", {9, 40}).output("y").weights("n", {}, {100});
    model.weights("a", {}, {0.0071F}).weights("b", {}, {0.0113F}).weights("c", {}, {0.0153F});
    model.node("Cast", {"n"}, {"o"}).with("to", onnx::TensorProto::UINT8);
    for (const auto& [real, scale] : {std::pair("x", "a"), std::pair("z", "b")}) {
        const std::string name = real;
        model.node("QuantizeLinear", {name, scale, "o"}, {name + "q"});
        model.node("DequantizeLinear", {name + "q", scale, "o"}, {name + "d"});
    }
    model.node("Add", {"xd", "zd"}, {"s"}).node("Relu", {"s"}, {"r"});
    model.node("QuantizeLinear", {"r", "c", "o"}, {"y"});
    const Networks networks = rewritten(model, ProductNumbers::kIntegers);
    ASSERT_EQ(networks.graph.nodes.size(), 3U);
    const TransformationReport report = report_of(networks);
    EXPECT_EQ(report.exact, 4U);  // with the zero point, computed ahead
    EXPECT_EQ(report.bounded, 0U);
    EXPECT_THAT(error_of(
                    model,
                    [](Graph& graph) {
                        node_of(graph, "QLinearAdd").attributes.set("least", std::int64_t{99});
                    },
                    ProductNumbers::kIntegers),
                HasSubstr("tensor 'y', element"));
}

TEST(TransformationCheck, OutputsOfHalvesAreCompared) {
    const Networks networks = rewritten(block());
    const std::vector<Tensor> outputs = report_of(networks).outputs;
    std::vector<Tensor> halves = outputs;
    EXPECT_THAT(compare_outputs(networks.graph, outputs, halves), HasSubstr("up to 0 from"));
    halves[0].reals[7] = std::nanf("");
    EXPECT_THAT(compare_outputs(networks.graph, outputs, halves), HasSubstr("; 1 of 108 elements"));
    halves[0].type.shape = {108};
    EXPECT_THROW((void)compare_outputs(networks.graph, outputs, halves), CheckError);
}

}  // namespace
}  // namespace tessera::network
