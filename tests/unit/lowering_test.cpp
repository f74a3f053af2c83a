// Which layers does a node of a network become, and which of its steps are fused?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/lowering/operator_lowering.h"
#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/lowering/volume_lowering.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/storage.h"
#include "tests/support/onnx_model.h"

namespace tessera {
namespace {

using network::Graph;
using network::Node;
using network::Shape;
using network::ValueId;
using test::OnnxModel;
using testing::ElementsAre;

Graph read(const OnnxModel& model) {
    return network::parse_onnx(model.bytes(), "small.onnx", "", {});
}

/// Layers of the graph without values, each as its operator and shape.
std::vector<std::string> layers_of(const Graph& graph, EpilogueStyle style) {
    const Layouts layouts(graph);
    std::vector<std::string> found;
    for (const Node& node : graph.nodes) {
        const auto constants = [&](ValueId id) { return graph.value(id).constant.get(); };
        for (const LoweredLayer& layer : lower(graph, node, layouts, constants, style)) {
            found.push_back(layer.operation + " " + layer.shape);
            EXPECT_EQ(layer.given.result, nullptr);
        }
    }
    return found;
}

std::vector<std::string> layers_of(const OnnxModel& model, EpilogueStyle style) {
    Graph graph = read(model);
    network::store_as_halves(graph);
    return layers_of(graph, style);
}

OnnxModel convolution(const std::vector<std::int64_t>& pads) {
    OnnxModel model;
    model.input("x", {1, 2, 4, 4}).output("y").weights("b", {3}, {1, 2, 3});
    model.weights("w", {3, 2, 3, 3}, std::vector<float>(54, 1));
    model.node("Conv", {"x", "w", "b"}, {"y"}).with("pads", pads);
    return model;
}

TEST(Lowering, ABiasIsFusedOrAKernel) {
    EXPECT_THAT(layers_of(convolution({1, 1, 1, 1}), EpilogueStyle::kFused),
                ElementsAre("Conv 1x4x4x2, 3 of 3x3"));
    EXPECT_THAT(layers_of(convolution({1, 1, 1, 1}), EpilogueStyle::kApart),
                ElementsAre("Conv 1x4x4x2, 3 of 3x3", "Bias 1x4x4x3, 1x1x1x3"));
}

/// Makes the second of two nodes a step of the first one's epilogue.
void make_last_a_step(Graph& graph) {
    const Node last = graph.nodes.at(1);
    graph.nodes.pop_back();
    Node& product = graph.nodes[0];
    product.epilogue = {{last.name, last.operation, last.version, last.attributes, last.inputs, 0}};
    product.epilogue[0].taken = product.outputs[0];
    product.epilogue[0].inputs[0] = ValueId();
    product.outputs = last.outputs;
}

/// A steep operator would make any error of a sum larger, so it is a kernel behind the product's,
/// which rounds beforehand as the network says.
TEST(Lowering, SteepOperatorsAreNotFused) {
    for (const char* const operation : {"ThresholdedRelu", "Exp", "Log", "Sqrt", "Reciprocal",
                                        "Floor", "Ceil", "Round", "Sign", "Pow", "Mod"}) {
        OnnxModel model;
        model.input("x", {2, 4}).output("y").weights("c", {}, {2});
        model.weights("w", {4, 3}, std::vector<float>(12, 1)).node("MatMul", {"x", "w"}, {"a"});
        const bool two = std::string(operation) == "Pow" || std::string(operation) == "Mod";
        model.node(operation,
                   two ? std::vector<std::string>{"a", "c"} : std::vector<std::string>{"a"}, {"y"});
        if (std::string(operation) == "Mod") model.with("fmod", 1);
        Graph graph = read(model);
        ASSERT_EQ(network::fuse(graph).epilogue_steps, 0U) << operation;
        network::store_as_halves(graph);
        make_last_a_step(graph);
        EXPECT_THAT(layers_of(graph, EpilogueStyle::kFused),
                    ElementsAre("MatMul 2x3x4", testing::StartsWith(operation)));
    }
}

/// The input is padded beforehand only where that cannot be said otherwise.
TEST(Lowering, PaddingOfOneSideIsAKernel) {
    EXPECT_THAT(layers_of(convolution({0, 0, 1, 1}), EpilogueStyle::kFused),
                ElementsAre("Pad 1x4x4x2", "Conv 1x5x5x2, 3 of 3x3"));
    EXPECT_THAT(layers_of(convolution({1, 0, 1, 0}), EpilogueStyle::kFused),
                ElementsAre("Conv 1x4x4x2, 3 of 3x3"));
}

TEST(Lowering, BatchesWithOneRightMatrixAreOneProduct) {
    OnnxModel model;
    model.input("x", {2, 3, 4}).input("z", {2, 4, 5}).output("y").output("q");
    model.weights("w", {4, 5}, std::vector<float>(20, 1));
    model.node("MatMul", {"x", "w"}, {"y"}).node("MatMul", {"x", "z"}, {"q"});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused),
                ElementsAre("MatMul 6x5x4", "MatMul 2 of 3x5x4"));
}

/// Types of the layers' tensors, with their bytes: those of integers count one for an element.
TEST(Lowering, ConversionsOfIntegersAreKernels) {
    OnnxModel model;
    model.input("x", {1, 2, 4, 4}).output("y").weights("s", {}, {0.5F}).weights("t", {2}, {1, 2});
    model.node("QuantizeLinear", {"x", "s"}, {"q"}).node("DequantizeLinear", {"q", "t"}, {"y"});
    Graph graph = read(model);
    network::store_as_halves(graph);
    EXPECT_THAT(
        layers_of(graph, EpilogueStyle::kFused),
        ElementsAre("QuantizeLinear 1x2x4x4, 1x1x1x1", "DequantizeLinear 1x2x4x4, 1x2x1x1"));
    const Layouts layouts(graph);
    const network::TensorOf constants = [&](ValueId id) { return graph.value(id).constant.get(); };
    const auto layer = [&](std::size_t i) {
        return lower(graph, graph.nodes.at(i), layouts, constants, EpilogueStyle::kFused).at(0);
    };
    EXPECT_EQ(layer(0).bytes, 32U * 2 + 4 + 32);
    EXPECT_EQ(layer(1).bytes, 32U + 2 * 4 + 32 * 2);
    EXPECT_THAT(layer(0).given.operation->types,
                ElementsAre(TensorType::kFp16, TensorType::kFp32, TensorType::kUint8));
    EXPECT_THAT(layer(1).given.operation->types,
                ElementsAre(TensorType::kUint8, TensorType::kFp32, TensorType::kFp16));
}

/// Conversions follow the layout of what they convert.
TEST(Lowering, ConversionsKeepChannelsLast) {
    OnnxModel model;
    model.input("x", {1, 2, 4, 4}).output("y").weights("s", {2}, {0.5F, 0.25F});
    model.weights("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    model.node("Conv", {"x", "w"}, {"a"}).node("QuantizeLinear", {"a", "s"}, {"q"});
    model.node("DequantizeLinear", {"q", "s"}, {"d"}).node("Conv", {"d", "w"}, {"y"});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused),
                ElementsAre("Conv 1x4x4x2, 2 of 1x1", "QuantizeLinear 1x4x4x2, 1x1x1x2",
                            "DequantizeLinear 1x4x4x2, 1x1x1x2", "Conv 1x4x4x2, 2 of 1x1"));
}

TEST(Lowering, OtherOperatorsOnIntegersOf8BitsAreRefused) {
    const auto refusal = [](OnnxModel model) {
        try {
            (void)layers_of(model, EpilogueStyle::kFused);
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    constexpr int kBytes = onnx::TensorProto::INT8;
    OnnxModel bounded;
    bounded.input("x", {2, 3}, kBytes).output("y").node("Clip", {"x"}, {"y"});
    EXPECT_THAT(refusal(bounded), testing::HasSubstr("there is no kernel for INT8 and UINT8"));
    OnnxModel product;
    product.input("x", {2, 3}, kBytes).input("z", {3, 2}, kBytes).output("y");
    product.node("MatMulInteger", {"x", "z"}, {"y"});
    EXPECT_THAT(refusal(product), testing::HasSubstr("there is no kernel for INT8 and UINT8"));
    OnnxModel dynamic;
    dynamic.input("x", {2, 3}).output("y").output("s").output("z");
    dynamic.node("DynamicQuantizeLinear", {"x"}, {"y", "s", "z"});
    EXPECT_THAT(refusal(dynamic), testing::HasSubstr("there is no kernel for INT8 and UINT8"));
}

/// Kernels move integers of 8 bits, and find the largest, a byte an element.
TEST(Lowering, IntegersOf8BitsAreMoved) {
    constexpr int kBytes = onnx::TensorProto::INT8;
    OnnxModel turned;
    turned.input("x", {2, 3}, kBytes).output("y").node("Transpose", {"x"}, {"y"});
    EXPECT_THAT(layers_of(turned, EpilogueStyle::kFused), ElementsAre("Transpose 2x3"));
    OnnxModel pool;
    pool.input("x", {1, 2, 4, 4}, kBytes).output("y").node("MaxPool", {"x"}, {"y"});
    pool.with("kernel_shape", {2, 2});
    EXPECT_THAT(layers_of(pool, EpilogueStyle::kFused), ElementsAre("MaxPool 1x4x4x2"));
    OnnxModel joined;
    joined.input("x", {2, 3}, kBytes).output("y").node("Concat", {"x", "x"}, {"y"});
    joined.with("axis", 0);
    EXPECT_THAT(layers_of(joined, EpilogueStyle::kFused), ElementsAre("Concat 2x3, 2x3"));
    OnnxModel cut;
    cut.input("x", {2, 6}, kBytes).output("y").output("z").integers("sides", {2, 4});
    cut.node("Split", {"x", "sides"}, {"y", "z"}).with("axis", 1);
    EXPECT_THAT(layers_of(cut, EpilogueStyle::kFused), ElementsAre("Split 2x6"));
    OnnxModel part;
    part.input("x", {2, 6}, kBytes).output("y").integers("a", {1}).integers("b", {5});
    part.integers("axis", {1}).node("Slice", {"x", "a", "b", "axis"}, {"y"});
    EXPECT_THAT(layers_of(part, EpilogueStyle::kFused), ElementsAre("Slice 2x6"));
    OnnxModel rows;
    rows.input("x", {5, 6}, kBytes).output("y").integers("i", {3, 0, -1});
    rows.node("Gather", {"x", "i"}, {"y"});
    EXPECT_THAT(layers_of(rows, EpilogueStyle::kFused), ElementsAre("Gather 5x6"));
    OnnxModel blocks;
    blocks.input("x", {1, 2, 4, 4}, kBytes).output("y").node("SpaceToDepth", {"x"}, {"y"});
    blocks.with("blocksize", 2);
    EXPECT_THAT(layers_of(blocks, EpilogueStyle::kFused), ElementsAre("Transpose 1x2x2x2x2x2"));
    OnnxModel view;
    view.input("x", {1, 2, 4, 4}).output("y").weights("s", {}, {0.5F});
    view.weights("w", {2, 2, 1, 1}, {1, 2, 3, 4}).integers("shape", {32});
    view.node("Conv", {"x", "w"}, {"a"}).node("QuantizeLinear", {"a", "s"}, {"q"});
    view.node("Reshape", {"q", "shape"}, {"y"});
    EXPECT_THAT(layers_of(view, EpilogueStyle::kFused),
                ElementsAre("Conv 1x4x4x2, 2 of 1x1", "QuantizeLinear 1x4x4x2, 1x1x1x1",
                            "to NCHW 1x4x4x2"));
}

/// QLinearMatMul and QLinearConv are products of real numbers between conversions.
TEST(Lowering, QuantisedProductsAreTakenApart) {
    OnnxModel model;
    constexpr int kBytes = onnx::TensorProto::INT8;
    model.input("x", {2, 4}, kBytes).input("z", {4, 3}, kBytes).input("o", {}, kBytes).output("y");
    model.weights("s", {}, {0.5F});
    model.node("QLinearMatMul", {"x", "s", "o", "z", "s", "o", "s", "o"}, {"y"});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused),
                ElementsAre("DequantizeLinear 2x4, 1x1, 1x1", "DequantizeLinear 4x3, 1x1, 1x1",
                            "MatMul 2x3x4", "QuantizeLinear 2x3, 1x1, 1x1"));
}

/// A scale of all rows and zero points of each have no QuantizeLinear.
TEST(Lowering, QuantisedProductsWithUnequalScalesAndZeroPointsStayWhole) {
    OnnxModel model;
    constexpr int kBytes = onnx::TensorProto::INT8;
    model.input("x", {2, 4}, kBytes).input("z", {4, 3}, kBytes).input("o", {}, kBytes);
    model.input("r", {2}, kBytes).output("y").weights("s", {}, {0.5F});
    model.node("QLinearMatMul", {"x", "s", "o", "z", "s", "o", "s", "r"}, {"y"}, "m");
    try {
        (void)layers_of(model, EpilogueStyle::kFused);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("'m'"));
        EXPECT_THAT(error.what(), testing::HasSubstr("there is no kernel for it as a whole"));
    }
}

TEST(Lowering, ViewsOfFileOrderAreFree) {
    OnnxModel model;
    model.input("x", {1, 2, 2, 2}).input("z", {1, 2, 2, 2}).output("y").output("q");
    model.weights("w", {2, 2, 1, 1}, {1, 2, 3, 4});
    model.node("Conv", {"x", "w"}, {"c"}).node("Flatten", {"c"}, {"y"});
    model.node("Flatten", {"z"}, {"q"});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused),
                ElementsAre("Conv 1x2x2x2, 2 of 1x1", "to NCHW 1x2x2x2"));
}

/// A pool over whole images keeps their sides, each of one pixel, so that either layout will do.
TEST(Lowering, GlobalPoolsReadChannelsLast) {
    for (const auto& [operation, kernel] :
         {std::pair("GlobalAveragePool", "ReduceMean"), std::pair("GlobalMaxPool", "ReduceMax")}) {
        OnnxModel model;
        model.input("x", {1, 2, 2, 2}).output("y").weights("w", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
        model.node("Conv", {"x", "w"}, {"c"}).node(operation, {"c"}, {"y"});
        EXPECT_THAT(layers_of(model, EpilogueStyle::kFused),
                    ElementsAre("Conv 1x2x2x2, 3 of 1x1", kernel + std::string(" 1x2x2x3")));
    }
}

OnnxModel recurrent(const std::string& operation, std::int64_t gates, std::int64_t steps = 2) {
    OnnxModel model;
    model.input("x", {steps, 1, 2}).output("y");
    model.weights("w", {1, gates * 2, 2}, std::vector<float>(gates * 4U, 0.5F));
    model.weights("r", {1, gates * 2, 2}, std::vector<float>(gates * 4U, 0.25F));
    model.weights("b", {1, gates * 4}, std::vector<float>(gates * 4U, 1));
    model.node(operation, {"x", "w", "r", "b"}, {"y"}, "layer");
    return model;
}

/// A product for all that comes in; then one a step, and what follows it.
TEST(Lowering, RecurrentLayersAreProductsAndSteps) {
    EXPECT_THAT(layers_of(recurrent("LSTM", 4), EpilogueStyle::kFused),
                ElementsAre("Gemm 2x8x2", "Gemm 1x8x2", "LstmCell 1x8, 1x2", "LstmHidden 1x8, 1x2",
                            "Gemm 1x8x2", "LstmCell 1x8, 1x2", "LstmHidden 1x8, 1x2"));
    OnnxModel linear = recurrent("GRU", 3);
    linear.with("linear_before_reset", 1);
    EXPECT_THAT(layers_of(linear, EpilogueStyle::kFused),
                ElementsAre("Gemm 2x6x2", "GruState 1x6, 1x6, 1x2", "Gemm 1x6x2",
                            "GruState 1x6, 1x6, 1x2"));
    EXPECT_THAT(layers_of(recurrent("RNN", 1), EpilogueStyle::kFused),
                ElementsAre("Gemm 2x2x2", "Gemm 1x2x2", "Tanh 1x2", "Gemm 1x2x2", "Tanh 1x2"));
}

/// One behind the other.
TEST(Lowering, FunctionsThatAreNotOnnxsDefaultsAreOperators) {
    OnnxModel model = recurrent("RNN", 1);
    model.with_real("clip", 1).with_texts("activations", {"Softsign"});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused),
                ElementsAre("Gemm 2x2x2", "Gemm 1x2x2", "Clip 1x2", "Softsign 1x2", "Gemm 1x2x2",
                            "Clip 1x2", "Softsign 1x2"));
}

TEST(Lowering, SequencesWithoutElementsAreRefused) {
    OnnxModel model = recurrent("RNN", 1, 0);
    try {
        (void)layers_of(model, EpilogueStyle::kFused);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(),
                     "node 'layer' (RNN): there is no kernel for a sequence without elements");
    }
}

/// Rows of a table, whose indices are the network's or drawn.
TEST(Lowering, LookingUpIsAGather) {
    OnnxModel model;
    model.input("x", {2, 3}, onnx::TensorProto::INT64).output("y");
    model.weights("table", {7, 2}, std::vector<float>(14, 1));
    model.node("Gather", {"table", "x"}, {"y"});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused), ElementsAre("Gather 7x2"));
}

/// The results of a node's operations have the sides that the network infers.
TEST(Lowering, ResultsHaveTheSidesOfTheNetwork) {
    OnnxModel model;
    model.input("x", {2, 3, 4, 8}).integers("axes", {1, 3});
    model.node("ReduceSum", {"x", "axes"}, {"kept"}).output("kept");
    model.node("ReduceSum", {"x", "axes"}, {"less"}).with("keepdims", 0).output("less");
    model.node("SpaceToDepth", {"x"}, {"deep"}).with("blocksize", 2).output("deep");
    model.node("DepthToSpace", {"deep"}, {"wide"}).with("blocksize", 2).output("wide");
    model.node("Transpose", {"x"}, {"turned"}).with("perm", {3, 0, 2, 1}).output("turned");
    const Graph graph = read(model);
    ASSERT_EQ(graph.nodes.size(), 5U);
    const OperationSink sink = [](const std::string&, const TensorOperation&,
                                  const std::vector<PlacedTensor>&,
                                  const std::vector<MadeTensor>& results) {
        std::vector<PlacedTensor> made(1);
        made[0].shape = results.at(0).shape;
        return made;
    };
    const auto constants = [&](ValueId id) { return graph.value(id).constant.get(); };
    for (const Node& node : graph.nodes) {
        std::vector<PlacedTensor> inputs(node.inputs.size());
        inputs[0].shape = graph.value(node.inputs[0]).type.shape;
        const auto made =
            lower_operator(network::call_of(graph, node, constants), inputs, false, sink);
        EXPECT_EQ(made.at(0).shape, graph.value(node.outputs[0]).type.shape) << node.operation;
    }
}

/// The taps along the depth become channels; those of rows and columns stay.
TEST(Lowering, FiltersOfVolumesBecomeFiltersOfImages) {
    PlacedTensor weights;
    weights.shape = {6, 4, 2, 3, 5};
    EXPECT_EQ(VolumeLowering::filters_of_volumes(weights, 1, false).shape, (Shape{6, 8, 3, 5}));
    EXPECT_EQ(VolumeLowering::filters_of_volumes(weights, 2, true).shape, (Shape{12, 4, 3, 5}));
}

/// Slices become images; those that several taps read, channels; those outside are zeros.
TEST(Lowering, VolumesBecomeImages) {
    OnnxModel model;
    model.input("x", {1, 2, 3, 4, 4}).output("y").weights("w", {1, 2, 1, 1, 1}, {1, 2});
    model.node("Conv", {"x", "w"}, {"y"});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused),
                ElementsAre("Conv 3x4x4x2, 1 of 1x1, by slices"));

    OnnxModel deep;
    deep.input("x", {1, 2, 3, 4, 4}).output("y");
    deep.weights("w", {1, 2, 2, 1, 1}, {1, 2, 3, 4});
    deep.node("Conv", {"x", "w"}, {"y"}).with("pads", {1, 0, 0, 0, 0, 0});
    EXPECT_THAT(layers_of(deep, EpilogueStyle::kFused),
                ElementsAre("Pad 1x3x16x2", "Gather 1x4x16x2", "Transpose 3x2x16x1x2",
                            "Conv 3x4x4x4, 1 of 1x1, by slices"));
}

TEST(Lowering, RowsAreSlicesWhereDilationsDiffer) {
    OnnxModel model;
    model.input("x", {1, 2, 5, 4}).output("y");
    model.weights("w", {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    model.node("Conv", {"x", "w"}, {"y"}).with("dilations", {3, 1});
    EXPECT_THAT(
        layers_of(model, EpilogueStyle::kFused),
        ElementsAre("Gather 1x5x4x2", "Transpose 2x2x4x1x2", "Conv 2x1x4x4, 1 of 1x2, by slices"));
}

/// In a volume, each row of each slice becomes a slice of its own.
TEST(Lowering, RowsOfVolumesAreSlicesWhereDilationsDiffer) {
    OnnxModel model;
    model.input("x", {1, 2, 3, 5, 4}).output("y");
    model.weights("w", {1, 2, 2, 2, 2}, std::vector<float>(16, 1));
    model.node("Conv", {"x", "w"}, {"y"}).with("dilations", {1, 3, 1});
    EXPECT_THAT(
        layers_of(model, EpilogueStyle::kFused),
        ElementsAre("Gather 1x15x4x2", "Transpose 4x4x4x1x2", "Conv 4x1x4x8, 1 of 1x2, by slices"));
}

/// No convolution has that input: its last pixels are padded behind the layer.
TEST(Lowering, OutputPaddingOfAStrideIsPadding) {
    OnnxModel model;
    model.input("x", {1, 2, 4, 4})
        .output("y")
        .weights("w", {2, 3, 2, 2}, std::vector<float>(24, 1));
    model.node("ConvTranspose", {"x", "w"}, {"y"}).with("dilations", {3, 3});
    model.with("output_padding", {2, 1});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused),
                ElementsAre("ConvTranspose 1x7x7x3, 2 of 2x2, transposed", "Pad 1x7x7x3"));
}

/// Up to operator set 10 nearest elements are by ceil where an axis shrinks, by floor where not.
TEST(Lowering, AResizeOfSet10BothWaysIsTwoSteps) {
    const auto resize = [](const std::vector<float>& scales) {
        OnnxModel model(10);
        model.input("x", {1, 1, 4, 5}).output("y").weights("s", {4}, scales);
        model.node("Resize", {"x", "s"}, {"y"});
        return layers_of(model, EpilogueStyle::kFused);
    };
    EXPECT_THAT(resize({1, 1, 0.5F, 0.6F}), ElementsAre("Resize 1x4x5x1"));
    EXPECT_THAT(resize({1, 1, 1.5F, 2}), ElementsAre("Resize 1x4x5x1"));
    EXPECT_THAT(resize({1, 1, 1.5F, 0.6F}), ElementsAre("Resize 1x4x5x1", "Resize 1x4x3x1"));
}

TEST(Lowering, WhatHasNoKernelIsRefusedWithItsName) {
    OnnxModel model;
    model.input("x", {1, 2, 4, 4}).output("y").output("places");
    model.node("MaxPool", {"x"}, {"y", "places"}, "top").with("kernel_shape", {2, 2});
    try {
        (void)layers_of(model, EpilogueStyle::kFused);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(),
                     "node 'top' (MaxPool): there is no kernel for indices of maxima");
    }
}

/// Layers of the fused graph, whose inputs are all ones, in an execution.
std::vector<std::string> layers_with_values(const OnnxModel& model) {
    Graph graph = read(model);
    (void)network::fuse(graph);
    network::store_as_halves(graph);
    const Layouts layouts(graph);
    std::vector<network::Tensor> inputs;
    for (const ValueId id : graph.inputs) {
        inputs.emplace_back(graph.value(id).type);
        for (float& real : inputs.back().reals) real = 1;
    }
    std::vector<std::string> found;
    (void)network::execute(graph, std::move(inputs),
                           [&](const Node& node, const std::vector<network::Tensor>&,
                               const network::TensorOf& tensor_of) {
                               for (const LoweredLayer& layer :
                                    lower(graph, node, layouts, tensor_of, EpilogueStyle::kFused)) {
                                   found.push_back(layer.operation);
                               }
                           });
    return found;
}

/// A kernel is built before the network runs: numbers that the network computes are none that it
/// could know, although an execution on the host knows them.
TEST(Lowering, NumbersThatAreComputedAreNoConstantsOfAnEpilogue) {
    for (const bool constant : {true, false}) {
        const auto number = [constant](OnnxModel& model, const std::string& name) {
            if (constant) {
                model.weights(name, {}, {2});
            } else {
                model.input(name, {});
            }
        };
        OnnxModel product;
        product.input("x", {2, 3}).output("y").weights("w", {3, 4}, std::vector<float>(12, 1));
        OnnxModel clip = product;
        number(product, "k");
        product.node("MatMul", {"x", "w"}, {"a"}).node("Mul", {"a", "k"}, {"y"});
        number(clip, "low");
        number(clip, "high");
        clip.node("MatMul", {"x", "w"}, {"a"}).node("Clip", {"a", "low", "high"}, {"y"});
        if (constant) {
            EXPECT_THAT(layers_with_values(product), ElementsAre("MatMul+Mul"));
            EXPECT_THAT(layers_with_values(clip), ElementsAre("MatMul+Clip"));
        } else {
            EXPECT_THAT(layers_with_values(product), ElementsAre("MatMul", "Mul"));
            EXPECT_THAT(layers_with_values(clip), ElementsAre("MatMul", "Clip"));
        }
    }
}

/// PyTorch writes SiLU as a sigmoid and a product of both.
TEST(Lowering, SwishIsAStepOfAProduct) {
    OnnxModel model;
    model.input("x", {2, 4}).output("y").weights("w", {4, 3}, std::vector<float>(12, 1));
    model.node("MatMul", {"x", "w"}, {"a"}).node("Sigmoid", {"a"}, {"b"});
    model.node("Mul", {"a", "b"}, {"y"});
    EXPECT_THAT(layers_with_values(model), ElementsAre("MatMul+Swish"));
    OnnxModel alone;
    alone.input("x", {2, 4}).output("y").node("Sigmoid", {"x"}, {"b"});
    alone.node("Mul", {"x", "b"}, {"y"});
    EXPECT_THAT(layers_with_values(alone), ElementsAre("Swish"));
}

/// 1 + 2^-12 is above the threshold, and is 1 once it is stored.
TEST(Lowering, SteepOperatorsTakeStoredNumbers) {
    OnnxModel model;
    model.input("x", {2, 2}).output("y").weights("w", {2, 1}, {1, 0x1p-12F});
    model.node("MatMul", {"x", "w"}, {"a"}).node("ThresholdedRelu", {"a"}, {"y"});
    EXPECT_THAT(layers_with_values(model), ElementsAre("MatMul", "ThresholdedRelu"));
}

/// The first output of a Split may be left out.
TEST(Lowering, OutputsMayBeLeftOut) {
    OnnxModel model;
    model.input("x", {4}).output("y");
    model.node("Split", {"x"}, {"", "y"});
    EXPECT_THAT(layers_of(model, EpilogueStyle::kFused), ElementsAre("Split 4"));
}

/// An operator without a kernel of its own says as which it runs.
TEST(Lowering, IndexOperatorsSayAsWhichKernelsTheyRun) {
    const auto layers = [](const char* operation, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs) {
        OnnxModel model(18);
        model.input("x", {4, 4}).integers("one", {1}).integers("k", {2}).output(outputs[0]);
        model.weights("rows", {1, 4}, {1, 2, 3, 4});
        onnx::TensorProto& place = *model.graph().add_initializer();
        place.set_name("place");
        place.set_data_type(onnx::TensorProto::INT64);
        place.add_dims(1);
        place.add_dims(1);
        place.add_int64_data(3);
        model.node(operation, inputs, outputs);
        return layers_with_values(model);
    };
    EXPECT_THAT(layers("ArgMax", {"x"}, {"y"}), ElementsAre("ArgMax as ReduceMax"));
    EXPECT_THAT(layers("ArgMin", {"x"}, {"y"}), ElementsAre("ArgMin as ReduceMin"));
    EXPECT_THAT(layers("TopK", {"x", "k"}, {"y", "places"}),
                ElementsAre("TopK as ReduceMax", "TopK as GatherElements"));
    EXPECT_THAT(layers("CumSum", {"x", "one"}, {"y"}), ElementsAre("CumSum as copy"));
    EXPECT_THAT(layers("GatherND", {"x", "place"}, {"y"}), ElementsAre("GatherND as Gather"));
    EXPECT_THAT(layers("ScatterND", {"x", "place", "rows"}, {"y"}),
                ElementsAre("ScatterND as copy", "ScatterND as Gather"));
}

TEST(Lowering, AttentionBecomesProductsAndASoftmax) {
    OnnxModel model(23);
    model.input("q", {1, 4, 6, 8}).input("k", {1, 2, 6, 8}).input("v", {1, 2, 6, 8}).output("y");
    model.node("Attention", {"q", "k", "v"}, {"y"}, "attend").with("is_causal", 1);
    Graph graph = read(model);
    (void)network::rewrite(graph, true);
    network::store_as_halves(graph);
    EXPECT_THAT(layers_of(graph, EpilogueStyle::kFused),
                ElementsAre("Transpose 1x2x6x8", testing::StartsWith("MatMul+Mul 2 of 12x"),
                            testing::StartsWith("Where "), testing::StartsWith("Softmax "),
                            testing::StartsWith("MatMul 2 of 12x")));
}

TEST(Lowering, AFileOfALayerNamesItsTensors) {
    LoweredLayer layer;
    layer.operation = "Conv+Relu";
    layer.shape = "1x2";
    layer.kind = LoweredLayer::Kind::kConvolution;
    layer.pass = LayerPass::kBackwardData;
    layer.layer.pad_height = 2;
    layer.layer.dilation = 3;
    const std::string yaml = layer_yaml(layer, "name", "name.tensors", "0123");
    for (const char* const line :
         {"# Conv+Relu of 1x2\n", "part: workload\n", "    name: \"name\"\n", "    pad_height: 2\n",
          "    dilation: 3\n", "  pass: backward_data\n", "    file: \"name.tensors\"\n",
          "    digest: \"0123\"\n"}) {
        EXPECT_NE(yaml.find(line), std::string::npos) << line << yaml;
    }
    EXPECT_EQ(yaml.find("pad_width"), std::string::npos);
    EXPECT_EQ(yaml.find("stride_"), std::string::npos);
}

}  // namespace
}  // namespace tessera
