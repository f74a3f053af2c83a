// Are networks read as they are meant, ordered, folded and computed?
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/operators.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::OnnxModel;
using ::testing::ElementsAre;
using ::testing::FloatNear;

Graph read(const OnnxModel& model, const OnnxOptions& options = {}) {
    return parse_onnx(model.bytes(), "m.onnx", "", options);
}

std::vector<float> run_one(const Graph& graph, const Tensor& input) {
    return execute(graph, {input}).at(0).reals;
}

TEST(Network, NodesAreOrderedAndNamed) {
    OnnxModel model;
    model.input("x", {2}).output("y");
    model.node("Neg", {"b"}, {"y"}, "last").node("Relu", {"x"}, {"a"}).node("Exp", {"a"}, {"b"});
    const Graph graph = read(model);
    ASSERT_EQ(graph.nodes.size(), 3U);
    EXPECT_EQ(graph.nodes[0].name, "Relu_1");
    EXPECT_EQ(graph.nodes[1].name, "Exp_2");
    EXPECT_EQ(graph.nodes[2].name, "last");
    EXPECT_THAT(run_one(graph, Tensor::of_reals({2}, {-1, 1})),
                ElementsAre(-1, FloatNear(-std::exp(1.0F), 1e-6F)));
}

TEST(Network, DuplicateNamesAreMadeUnique) {
    OnnxModel model;
    model.input("x", {2}).output("y");
    model.node("Relu", {"x"}, {"a"}, "same").node("Relu", {"a"}, {"y"}, "same");
    const Graph graph = read(model);
    EXPECT_NE(graph.nodes[0].name, graph.nodes[1].name);
}

TEST(Network, ConstantsAreFoldedAndUnreadValuesRemoved) {
    OnnxModel model;
    model.input("x", {2, 3}).weights("w", {3}, {1, 2, 3}).output("y");
    model.node("Shape", {"x"}, {"s"}).node("Add", {"w", "w"}, {"ww"});
    model.node("Expand", {"ww", "s"}, {"e"}).node("Mul", {"x", "e"}, {"y"});
    model.node("Exp", {"x"}, {"unread"});
    const Graph graph = read(model);
    ASSERT_EQ(graph.nodes.size(), 1U);
    EXPECT_EQ(graph.nodes[0].operation, "Mul");
    EXPECT_THAT(run_one(graph, Tensor::of_reals({2, 3}, {1, 1, 1, 2, 2, 2})),
                ElementsAre(2, 4, 6, 4, 8, 12));
}

TEST(Network, FoldingHasALimit) {
    OnnxModel model;
    model.input("x", {4}).integers("s", {4}).output("y");
    model.node("ConstantOfShape", {"s"}, {"zeros"}).node("Add", {"x", "zeros"}, {"y"});
    OnnxOptions options;
    EXPECT_EQ(read(model, options).nodes.size(), 1U);
    options.folding.elements = 3;
    const Graph graph = read(model, options);
    EXPECT_EQ(graph.nodes.size(), 2U);
    EXPECT_THAT(run_one(graph, Tensor::of_reals({4}, {1, 2, 3, 4})), ElementsAre(1, 2, 3, 4));
}

TEST(Network, OpenSidesAreSet) {
    OnnxModel model;
    model.input("x", {-2, -1}).output("y").node("Relu", {"x"}, {"y"});
    OnnxOptions options;
    options.sides = {{"batch", 8}, {"x.1", 3}};
    const Graph graph = read(model, options);
    EXPECT_EQ(shape_text(graph.value(graph.outputs[0]).type.shape), "8x3");
}

TEST(Network, AttributesHaveDefaultsOfTheirOperatorSet) {
    for (const auto& [version, expected] : {std::pair{11, 0.25F}, std::pair{13, 0.5F}}) {
        OnnxModel model(version);
        model.input("x", {1, 2, 2}).output("y").node("Softmax", {"x"}, {"y"});
        const Graph graph = read(model);
        EXPECT_EQ(graph.nodes[0].version, version);
        EXPECT_FLOAT_EQ(run_one(graph, Tensor::of_reals({1, 2, 2}, {1, 1, 1, 1}))[0], expected);
    }
}

TEST(Network, AValueIsGivenUpBehindItsLastReaderAndNotBefore) {
    OnnxModel model;
    model.input("x", {1}).output("y").output("a");
    model.node("Exp", {"x"}, {"a"}).node("Neg", {"a"}, {"b"}).node("Add", {"a", "b"}, {"y"});
    const Graph graph = read(model);
    std::vector<std::string> seen;
    const std::vector<Tensor> outputs =
        execute(graph, {Tensor::of_reals({1}, {0})},
                [&](const Node& node, const std::vector<Tensor>&, const TensorOf&) {
                    seen.push_back(node.name);
                });
    EXPECT_THAT(seen, ElementsAre("Exp_0", "Neg_1", "Add_2"));
    EXPECT_THAT(outputs[0].reals, ElementsAre(0));
    EXPECT_THAT(outputs[1].reals, ElementsAre(1));
}

TEST(Network, HalvesAreRoundedBehindEachNode) {
    OnnxModel model;
    model.input("x", {1}, onnx::TensorProto::FLOAT16).output("y");
    model.node("Add", {"x", "x"}, {"a"}).node("Sqrt", {"a"}, {"y"});
    // The square root of 2 in 11 bits.
    EXPECT_THAT(run_one(read(model), Tensor::of_reals({1}, {1}, ElementType::kHalf)),
                ElementsAre(1.4140625F));
}

TEST(Network, InputsOfOtherTypesAreRefused) {
    OnnxModel model;
    model.input("x", {1}).output("y").node("Relu", {"x"}, {"y"});
    const Graph graph = read(model);
    EXPECT_THROW((void)execute(graph, {}), ConfigError);
    EXPECT_THROW((void)execute(graph, {Tensor::of_reals({2}, {1, 2})}), ConfigError);
}

// Operators that ONNX's own cases leave out

TEST(Network, LogSumExpDoesNotOverflow) {
    OnnxModel model;
    model.input("x", {2, 2}).output("y").node("ReduceLogSumExp", {"x"}, {"y"});
    model.with("axes", std::vector<std::int64_t>{1}).with("keepdims", 0);
    EXPECT_THAT(run_one(read(model), Tensor::of_reals({2, 2}, {0, 0, 1000, 1000})),
                ElementsAre(std::log(2.0F), FloatNear(1000.6931F, 1e-3F)));
}

TEST(Network, FlopCountsMultiplicationsAndAdditions) {
    OnnxModel model;
    model.input("x", {2, 4, 5, 5}).weights("w", {6, 2, 3, 3}, std::vector<float>(108, 1));
    model.output("y").node("Conv", {"x", "w"}, {"y"}).with("group", 2);
    const Graph graph = read(model);
    const OperatorCall call = call_of(graph, graph.nodes[0], [](ValueId) { return nullptr; });
    const Operator& conv = *find_operator("Conv");
    EXPECT_EQ(conv.flop(call, conv.infer(call)), 2.0 * (2 * 6 * 3 * 3) * (2 * 3 * 3));
}

}  // namespace
}  // namespace tessera::network
