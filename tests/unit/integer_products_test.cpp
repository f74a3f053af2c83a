// Which quantised products are taken as products of integers, and what becomes of the others?
#include "sc_models/network/integer_products.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/operator_expansion.h"
#include "sc_models/network/storage.h"
#include "tests/support/fused_network.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::OnnxModel;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

constexpr int kInt8 = onnx::TensorProto::INT8, kUint8 = onnx::TensorProto::UINT8;

/// A convolution of 4 channels to 6 between conversions. Parts may be replaced.
struct Block {
    std::vector<std::int64_t> image = {1, 4, 5, 5}, pads = {1, 1, 1, 1};
    float zero = 0, weights_zero = 0;
    int weights_type = kInt8;
    std::int64_t groups = 1;
    std::string middle = "Relu";
    float result_scale = 0.01F;
    int operator_set = 13, precision = 0;  ///< of the last QuantizeLinear
    bool is_quantised_again = true, has_two_readers = false;

    [[nodiscard]] OnnxModel model() const {
        OnnxModel model(operator_set);
        model.input("x", image).output("y").weights("s", {}, {0.02F}).weights("t", {}, {0.01F});
        model.weights("w", {6, 4 / groups, 3, 3},
                      std::vector<float>(static_cast<std::size_t>(216 / groups), 0.3F));
        model.weights("zn", {}, {zero}).weights("on", {}, {weights_zero});
        model.node("Cast", {"zn"}, {"z"}).with("to", kUint8);
        model.node("Cast", {"on"}, {"o"}).with("to", weights_type);
        model.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
        model.node("DequantizeLinear", {"q", "s", "z"}, {"d"});
        model.node("QuantizeLinear", {"w", "t", "o"}, {"v"});
        model.node("DequantizeLinear", {"v", "t", "o"}, {"e"});
        model.node("Conv", {"d", "e"}, {"p"}, "p").with("pads", pads).with("group", groups);
        model.node(middle, {"p"}, {"r"});
        if (has_two_readers) model.output("p");
        if (is_quantised_again) {
            model.weights("k", {}, {result_scale});
            model.node("QuantizeLinear", {"r", "k", "z"}, {"m"});
            if (precision != 0) model.with("precision", precision);
            model.node("DequantizeLinear", {"m", "k", "z"}, {"y"});
        } else {
            model.node("Neg", {"r"}, {"y"});
        }
        return model;
    }
};

std::vector<std::string> operators_of(const OnnxModel& model, ProductNumbers numbers) {
    Graph file;
    Graph graph = parse_onnx(model.bytes(), "m.onnx", "", {}, &file);
    (void)rewrite(graph, true, {numbers}, &file);
    store_as_halves(graph, {numbers});
    return test::operators_of(graph);
}

std::vector<std::string> taken(const Block& block) {
    return operators_of(block.model(), ProductNumbers::kIntegers);
}

/// The index of the node that makes a tensor.
std::ptrdiff_t index_of(OnnxModel& model, const std::string& output) {
    const auto& nodes = model.graph().node();
    return std::find_if(nodes.begin(), nodes.end(),
                        [&](const auto& node) { return node.output(0) == output; }) -
           nodes.begin();
}

TEST(IntegerProducts, AQuantisedConvolutionIsOne) {
    EXPECT_THAT(taken({}), ElementsAre("QuantizeLinear", "QLinearConv", "DequantizeLinear"));
    EXPECT_THAT(operators_of(Block().model(), ProductNumbers::kReal),
                ElementsAre("QuantizeLinear", "DequantizeLinear", "Conv+Relu", "QuantizeLinear",
                            "DequantizeLinear"));
}

TEST(IntegerProducts, OthersStayReal) {
    const auto stays_real = Not(Contains("QLinearConv"));
    Block padded;
    padded.zero = 3;
    EXPECT_THAT(taken(padded), stays_real) << "padding is the zero point";
    padded.pads = {0, 0, 0, 0};
    EXPECT_THAT(taken(padded), Contains("QLinearConv"));
    Block uneven;
    uneven.pads = {0, 0, 1, 1};
    EXPECT_THAT(taken(uneven), stays_real);
    Block groups;
    groups.groups = 2;
    EXPECT_THAT(taken(groups), stays_real);
    Block steep;
    steep.middle = "Sigmoid";
    EXPECT_THAT(taken(steep), stays_real) << "no bound of the integers";
    Block open;
    open.is_quantised_again = false;
    EXPECT_THAT(taken(open), stays_real);
    Block twice;
    twice.has_two_readers = true;
    EXPECT_THAT(taken(twice), stays_real) << "the sums have another reader";
    Block wide;
    wide.weights_type = kUint8;
    wide.weights_zero = 128;
    EXPECT_THAT(taken(wide), Contains("QLinearConv")) << "0.3 / 0.01 fits INT8";
    wide.weights_zero = 0;
    EXPECT_THAT(taken(wide), Contains("QLinearConv"));
    wide.weights_type = kInt8;
    wide.weights_zero = -128;
    EXPECT_THAT(taken(wide), Contains("QLinearConv"));
}

/// With a negative scale the largest real number has the least integer.
TEST(IntegerProducts, NeedAScaleThatKeepsTheOrder) {
    Block block;
    for (const float scale : {-0.01F, 0.0F, 3e38F}) {
        block.result_scale = scale;
        EXPECT_THAT(taken(block), Not(Contains("QLinearConv"))) << scale;
    }
    Block halves;
    halves.operator_set = 23;
    EXPECT_THAT(taken(halves), Contains("QLinearConv"));
    halves.precision = onnx::TensorProto::FLOAT16;
    EXPECT_THAT(taken(halves), Not(Contains("QLinearConv"))) << "the quotient is a half";
    OnnxModel pool;
    pool.input("x", {1, 1, 4, 4}, kInt8).output("y").weights("s", {}, {-0.5F});
    pool.node("DequantizeLinear", {"x", "s"}, {"d"});
    pool.node("MaxPool", {"d"}, {"p"}).with("kernel_shape", {2, 2});
    pool.weights("n", {}, {0}).node("Cast", {"n"}, {"z"}).with("to", kInt8);
    pool.node("QuantizeLinear", {"p", "s", "z"}, {"y"});
    EXPECT_THAT(operators_of(pool, ProductNumbers::kIntegers),
                ElementsAre("DequantizeLinear", "MaxPool", "QuantizeLinear"));
}

/// A residual block as tools/quantize_network makes it: between the products everything is
/// integers.
TEST(IntegerProducts, SumsAndPoolsBetweenThemAreOfIntegers) {
    OnnxModel model = Block().model();
    model.graph().clear_output();
    model.output("z").weights("u", {}, {0.03F}).weights("f", {}, {5}).integers("sides", {0, -1});
    model.node("Cast", {"f"}, {"five"}).with("to", kUint8);
    model.node("MaxPool", {"y"}, {"pool"}).with("kernel_shape", {2, 2});
    model.node("QuantizeLinear", {"pool", "t", "z"}, {"pq"});
    model.node("DequantizeLinear", {"pq", "t", "z"}, {"pd"});
    model.node("Conv", {"pd", "e2"}, {"c"}).with("pads", {1, 1, 1, 1});
    model.weights("w2", {6, 6, 3, 3}, std::vector<float>(324, 0.1F));
    model.node("QuantizeLinear", {"w2", "t", "o"}, {"v2"});
    model.node("DequantizeLinear", {"v2", "t", "o"}, {"e2"});
    model.node("QuantizeLinear", {"c", "u", "five"}, {"cq"});
    model.node("DequantizeLinear", {"cq", "u", "five"}, {"cd"});
    model.node("Add", {"cd", "pd"}, {"sum"}).node("Relu", {"sum"}, {"sr"});
    model.node("QuantizeLinear", {"sr", "s", "five"}, {"sq"});
    model.node("DequantizeLinear", {"sq", "s", "five"}, {"sd"});
    model.node("Reshape", {"sd", "sides"}, {"flat"});
    model.node("QuantizeLinear", {"flat", "s", "five"}, {"fq"});
    model.node("DequantizeLinear", {"fq", "s", "five"}, {"out"});
    model.graph().mutable_output(0)->set_name("out");
    EXPECT_THAT(operators_of(model, ProductNumbers::kIntegers),
                ElementsAre("QuantizeLinear", "QLinearConv", "MaxPool", "QLinearConv", "QLinearAdd",
                            "Reshape", "DequantizeLinear"));
    // Another scale behind the pool: its results are rounded.
    model.graph().mutable_node(static_cast<int>(index_of(model, "pq")))->set_input(1, "u");
    EXPECT_THAT(
        operators_of(model, ProductNumbers::kIntegers),
        ElementsAre("QuantizeLinear", "QLinearConv", "DequantizeLinear", "MaxPool",
                    "QuantizeLinear", "QLinearConv", "QLinearAdd", "Reshape", "DequantizeLinear"));
}

/// Joins and slices between conversions of one scale move integers.
TEST(IntegerProducts, JoinsAndSlicesAreOfIntegers) {
    const auto operators = [](float second_scale) {
        OnnxModel model;
        model.input("a", {2, 3}, kInt8).input("b", {2, 3}, kInt8).output("y");
        model.weights("s", {}, {0.5F}).weights("t", {}, {second_scale});
        model.integers("from", {1}).integers("to", {4}).integers("axis", {1});
        model.node("DequantizeLinear", {"a", "s"}, {"c"});
        model.node("DequantizeLinear", {"b", "t"}, {"d"});
        model.node("Concat", {"c", "d"}, {"e"}).with("axis", 1);
        model.weights("n", {}, {0}).node("Cast", {"n"}, {"z"}).with("to", kInt8);
        model.node("QuantizeLinear", {"e", "s", "z"}, {"f"});
        model.node("DequantizeLinear", {"f", "s", "z"}, {"g"});
        model.node("Slice", {"g", "from", "to", "axis"}, {"h"});
        model.node("QuantizeLinear", {"h", "s", "z"}, {"y"});
        return operators_of(model, ProductNumbers::kIntegers);
    };
    EXPECT_THAT(operators(0.5F), ElementsAre("Concat", "Slice"));
    EXPECT_THAT(operators(0.25F), ElementsAre("DequantizeLinear", "DequantizeLinear", "Concat",
                                              "QuantizeLinear", "Slice"));
}

/// Pools and sums of integers are no products.
TEST(IntegerProducts, OnlyProductsAreCounted) {
    OnnxModel model = Block().model();
    model.graph().clear_output();
    model.output("z");
    model.node("MaxPool", {"y"}, {"pool"}).with("kernel_shape", {2, 2});
    model.node("QuantizeLinear", {"pool", "k", "z"}, {"pq"});
    model.node("DequantizeLinear", {"pq", "k", "z"}, {"out"});
    model.graph().mutable_output(0)->set_name("out");
    EXPECT_THAT(operators_of(model, ProductNumbers::kIntegers),
                ElementsAre("QuantizeLinear", "QLinearConv", "MaxPool", "DequantizeLinear"));
    Graph file;
    Graph graph = parse_onnx(model.bytes(), "m.onnx", "", {}, &file);
    EXPECT_EQ(rewrite(graph, true, {ProductNumbers::kIntegers}, &file).integer_products, 1U);
}

/// Pruning changes the real weights, which then are not those of the integers.
TEST(IntegerProducts, PrunedWeightsStayReal) {
    Graph file;
    Graph graph = parse_onnx(Block().model().bytes(), "m.onnx", "", {}, &file);
    Pruning pruning;
    pruning.fraction = 0.5;
    for (const ValueId id : prune(graph, pruning)) {
        file.value(id).constant = graph.value(id).constant;
    }
    const FusionCounts counts = rewrite(graph, true, {ProductNumbers::kIntegers}, &file);
    EXPECT_EQ(counts.integer_products, 0U);
}

/// Without fusion a file's own QLinearConv is still one of integers, and nodes stay apart.
TEST(IntegerProducts, WithoutFusionNodesStayApart) {
    Graph file;
    Graph graph = parse_onnx(Block().model().bytes(), "m.onnx", "", {}, &file);
    EXPECT_EQ(rewrite(graph, false, {ProductNumbers::kIntegers}, &file).integer_products, 0U);
    OnnxModel own;
    own.input("x", {1, 4, 5, 5}, kUint8).output("y").weights("s", {}, {0.5F});
    own.weights("w", {6, 4, 3, 3}, std::vector<float>(216, 2)).weights("n", {}, {0});
    own.node("Cast", {"w"}, {"v"}).with("to", kInt8).node("Cast", {"n"}, {"o"}).with("to", kInt8);
    own.node("Cast", {"n"}, {"z"}).with("to", kUint8);
    own.node("QLinearConv", {"x", "s", "z", "v", "s", "o", "s", "o"}, {"y"});
    EXPECT_THAT(operators_of(own, ProductNumbers::kIntegers), ElementsAre("QLinearConv"));
    EXPECT_THAT(operators_of(own, ProductNumbers::kReal),
                ElementsAre("DequantizeLinear", "Conv", "QuantizeLinear"));
}

/// Operands, results, and a bias and a factor for each column.
TEST(IntegerProducts, CountTheirWork) {
    OnnxModel model;
    model.input("x", {2, 4}, kUint8).output("y").weights("s", {}, {0.5F}).weights("n", {}, {0});
    model.weights("w", {4, 3}, std::vector<float>(12, 2));
    model.node("Cast", {"w"}, {"v"}).with("to", kInt8).node("Cast", {"n"}, {"o"}).with("to", kInt8);
    model.node("Cast", {"n"}, {"z"}).with("to", kUint8);
    model.node("QLinearMatMul", {"x", "s", "z", "v", "s", "o", "s", "o"}, {"y"});
    Graph graph = parse_onnx(model.bytes(), "m.onnx", "", {});
    expand_operators(graph, {ProductNumbers::kIntegers});
    ASSERT_EQ(graph.nodes.size(), 1U);
    const auto constants = [&](ValueId id) { return graph.value(id).constant.get(); };
    const std::vector<LoweredLayer> layers =
        lower(graph, graph.nodes[0], Layouts(graph), constants, EpilogueStyle::kFused);
    ASSERT_EQ(layers.size(), 1U);
    EXPECT_EQ(layers[0].flop, 2 * 2 * 3 * 4);
    EXPECT_EQ(layers[0].bytes, 8U + 12U + 6U + 3U * 8U);
}

TEST(IntegerProducts, SumsHaveAZeroPointOfEachOperand) {
    OnnxModel model;
    model.input("a", {3}, kUint8).input("b", {3}, kUint8).output("y").weights("s", {}, {0.5F});
    model.weights("t", {}, {2}).weights("three", {}, {3}).weights("seven", {}, {7});
    model.node("Cast", {"three"}, {"u"}).with("to", kUint8);
    model.node("Cast", {"seven"}, {"v"}).with("to", kUint8);
    model.node("DequantizeLinear", {"a", "s", "u"}, {"ar"});
    model.node("DequantizeLinear", {"b", "t", "v"}, {"br"});
    model.node("Add", {"ar", "br"}, {"r"}).node("QuantizeLinear", {"r", "s", "v"}, {"y"});
    Graph file;
    Graph graph = parse_onnx(model.bytes(), "m.onnx", "", {}, &file);
    (void)rewrite(graph, true, {ProductNumbers::kIntegers}, &file);
    ASSERT_EQ(graph.nodes.size(), 1U);
    EXPECT_EQ(graph.nodes[0].operation, "QLinearAdd");
    const std::vector<Tensor> made =
        execute(graph, {Tensor::of_integers({3}, {3, 13, 0}, ElementType::kUint8),
                        Tensor::of_integers({3}, {7, 9, 7}, ElementType::kUint8)});
    // (a - 3) / 2 + 2 (b - 7), times 2, plus 7
    EXPECT_THAT(made.at(0).integers, ElementsAre(7, 25, 4));
}

/// The integers of a bias with a zero point are not those of the sums.
TEST(IntegerProducts, ABiasWithAZeroPointIsRounded) {
    OnnxModel model = Block().model();
    model.weights("bn", {6}, std::vector<float>(6, 9)).weights("two", {}, {2});
    model.weights("st", {}, {0.02F * 0.01F});
    model.node("Cast", {"bn"}, {"bq"}).with("to", onnx::TensorProto::INT32);
    model.node("Cast", {"two"}, {"bz"}).with("to", onnx::TensorProto::INT32);
    model.node("DequantizeLinear", {"bq", "st", "bz"}, {"bias"});
    model.graph().mutable_node(static_cast<int>(index_of(model, "p")))->add_input("bias");
    std::rotate(model.graph().mutable_node()->begin(), model.graph().mutable_node()->end() - 3,
                model.graph().mutable_node()->end());
    Graph file;
    Graph graph = parse_onnx(model.bytes(), "m.onnx", "", {}, &file);
    (void)rewrite(graph, true, {ProductNumbers::kIntegers}, &file);
    const auto product = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
        return node.operation == "QLinearConv";
    });
    ASSERT_NE(product, graph.nodes.end());
    EXPECT_THAT(graph.value(product->inputs.at(8)).constant->integers,
                ElementsAre(7, 7, 7, 7, 7, 7));
}

}  // namespace
}  // namespace tessera::network
