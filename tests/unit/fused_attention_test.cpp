// Which nodes are taken as an Attention of one kernel, and what becomes of others?
#include "sc_models/network/fused_attention.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "sc_models/common/error_kinds.h"
#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/storage.h"
#include "sc_models/network/transformation_check.h"
#include "tests/support/fused_network.h"
#include "tests/support/onnx_model.h"

namespace tessera::network {
namespace {

using test::noise;
using test::OnnxModel;
using test::operators_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr MachineKernels kWithAttention = {ProductNumbers::kReal, true};

enum class Scale { kQuotient, kProduct, kOperands };
enum class Mask { kNone, kKeys, kCausal, kRows };

/// Attention of two heads behind three products of one tensor, as exporters write it. Parts may be
/// replaced.
struct Block {
    std::int64_t batch = 2, rows = 6, depth = 64;
    Scale scale = Scale::kQuotient;
    double factor = 1;  ///< of the scale 1 / sqrt(depth)
    Mask mask = Mask::kKeys;
    float hidden = -10000;  ///< of a causal mask
    std::int64_t axis = -1;
    bool has_biases = true, turns_keys_at_once = false, swaps_heads = false;
    bool has_biases_of_rows = false;
    bool works_on_heads = false;  ///< queries are negated behind their transposition
    std::string other_input;      ///< of the keys' product

    [[nodiscard]] std::int64_t width() const { return 2 * depth; }

    [[nodiscard]] OnnxModel model() const {
        OnnxModel model;
        model.input("x", {batch, rows, width()}).output("y");
        if (!other_input.empty()) model.input(other_input, {batch, rows, width()});
        if (mask == Mask::kKeys) model.input("mask", {batch, 1, 1, rows});
        if (mask == Mask::kRows) model.input("mask", {batch, 1, rows, rows});
        model.integers("parted", {0, 0, 2, depth}).integers("whole", {0, 0, width()});
        for (const std::string part : {"q", "k", "v"}) project(model, part);
        scores(model);
        std::string last = "scores";
        if (mask == Mask::kCausal) {
            std::vector<float> added(static_cast<std::size_t>(rows * rows));
            for (std::size_t i = 0; i < added.size(); ++i) {
                const auto side = static_cast<std::size_t>(rows);
                added[i] = i % side > i / side ? hidden : 0;
            }
            model.weights("mask", {rows, rows}, added);
        }
        if (mask != Mask::kNone) {
            model.node("Add", {"mask", last}, {"masked"});
            last = "masked";
        }
        model.node("Softmax", {last}, {"shares"}).with("axis", axis);
        model.node("MatMul", {"shares", "v.heads"}, {"context"});
        model.node("Transpose", {"context"}, {"turned"})
            .with("perm", std::vector<std::int64_t>{0, 2, 1, 3});
        model.node("Reshape", {"turned", "whole"}, {"y"}, "attention");
        return model;
    }

private:
    void project(OnnxModel& model, const std::string& part) const {
        const auto columns = static_cast<std::size_t>(width());
        const std::uint64_t seed = static_cast<std::uint64_t>(part[0]);
        std::vector<float> weights = noise(columns * columns, seed);
        for (float& weight : weights) weight /= 8;
        model.weights(part + ".w", {width(), width()}, weights);
        const std::string from = part == "k" && !other_input.empty() ? other_input : "x";
        model.node("MatMul", {from, part + ".w"}, {part + (has_biases ? ".p" : "")}, part);
        if (has_biases) {
            const std::vector<std::int64_t> sides =
                has_biases_of_rows ? Shape{rows, width()} : Shape{width()};
            model.weights(part + ".b", sides, noise(element_count(sides), seed + 9));
            model.node("Add", {part + ".b", part + ".p"}, {part});
        }
        model.node("Reshape", {part, "parted"}, {part + ".parted"});
        std::vector<std::int64_t> order = {0, 2, 1, 3};
        if (part == "k" && turns_keys_at_once) order = {0, 2, 3, 1};
        if (part == "v" && swaps_heads) order = {0, 2, 3, 1};
        model.node("Transpose", {part + ".parted"}, {part + ".heads"}).with("perm", order);
    }

    void scores(OnnxModel& model) const {
        const double root = std::sqrt(static_cast<double>(depth)) / factor;
        std::string query = "q.heads", key = "k.heads";
        if (works_on_heads) {
            model.node("Neg", {query}, {"q.negated"});
            query = "q.negated";
        }
        if (!turns_keys_at_once) {
            model.node("Transpose", {key}, {"k.turned"})
                .with("perm", std::vector<std::int64_t>{0, 1, 3, 2});
            key = "k.turned";
        }
        if (scale == Scale::kOperands) {
            model.weights("s", {}, {static_cast<float>(std::sqrt(1 / root))});
            model.node("Mul", {query, "s"}, {"q.scaled"}).node("Mul", {key, "s"}, {"k.scaled"});
            model.node("MatMul", {"q.scaled", "k.scaled"}, {"scores"});
            return;
        }
        const bool divides = scale == Scale::kQuotient;
        model.weights("s", {}, {static_cast<float>(divides ? root : 1 / root)});
        model.node("MatMul", {query, key}, {"products"});
        model.node(divides ? "Div" : "Mul", {"products", "s"}, {"scores"});
    }
};

struct Networks {
    Graph file, graph;
};

Networks rewritten(const OnnxModel& model, const MachineKernels& kernels = kWithAttention,
                   bool fused = true) {
    Networks networks;
    networks.graph = parse_onnx(model.bytes(), "m.onnx", "", {}, &networks.file);
    (void)rewrite(networks.graph, fused, kernels, &networks.file);
    return networks;
}

std::vector<std::string> taken(const Block& block) {
    return operators_of(rewritten(block.model()).graph);
}

/// Compares the graph with the file on drawn inputs; a mask hides every third key.
TransformationReport check(const Networks& networks) {
    std::vector<Tensor> inputs;
    for (const ValueId id : networks.file.inputs) {
        const Value& value = networks.file.value(id);
        std::vector<float> values = noise(value.type.elements(), inputs.size() + 1);
        if (value.name == "mask") {
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 3 == 1 ? -10000 : 0;
        }
        inputs.push_back(Tensor::of_reals(value.type.shape, std::move(values)));
    }
    return check_transformation(networks.file, networks.graph, inputs);
}

/// The layers of a graph that becomes halves, with inputs of 0.5.
std::vector<LoweredLayer> lowered(Graph& graph) {
    store_as_halves(graph, kWithAttention);
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs) {
        const TensorType& type = graph.value(id).type;
        inputs.push_back(Tensor::of_reals(type.shape, std::vector<float>(type.elements(), 0.5F),
                                          ElementType::kHalf));
    }
    const Layouts layouts(graph);
    std::vector<LoweredLayer> all;
    (void)execute(graph, inputs,
                  [&](const Node& node, const std::vector<Tensor>&, const TensorOf& tensor_of) {
                      for (LoweredLayer& layer :
                           lower(graph, node, layouts, tensor_of, EpilogueStyle::kFused)) {
                          all.push_back(std::move(layer));
                      }
                  });
    return all;
}

const Node& attention_of(const Graph& graph) {
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [](const Node& node) { return node.operation == "Attention"; });
    if (found == graph.nodes.end()) throw CheckError("no Attention");
    return *found;
}

TEST(FusedAttention, AnExportedOneIsOneNodeBehindOneProduct) {
    for (const Scale scale : {Scale::kQuotient, Scale::kProduct, Scale::kOperands}) {
        for (const Mask mask : {Mask::kNone, Mask::kKeys, Mask::kCausal}) {
            for (const bool at_once : {false, true}) {
                Block block;
                block.scale = scale;
                block.mask = mask;
                block.turns_keys_at_once = at_once;
                const Networks networks = rewritten(block.model());
                EXPECT_THAT(operators_of(networks.graph),
                            ElementsAre("MatMul+Add", "Split", "Attention"));
                const Node& node = attention_of(networks.graph);
                EXPECT_EQ(node.inputs.size(), mask == Mask::kKeys ? 4U : 3U);
                EXPECT_EQ(node.attributes.integer("is_causal"), mask == Mask::kCausal ? 1 : 0);
                const TransformationReport report = check(networks);
                EXPECT_EQ(report.bounded, 1U);
                EXPECT_EQ(report.exact, 3U) << "queries, keys and values";
                EXPECT_GT(report.largest_share, 0);
            }
        }
    }
}

TEST(FusedAttention, OthersStayProducts) {
    const auto stays = Not(Contains("Attention"));
    Block block;
    block.mask = Mask::kRows;
    EXPECT_THAT(taken(block), stays);
    block = Block();
    block.depth = 32;
    EXPECT_THAT(taken(block), stays);
    block = Block();
    block.factor = 1.0001;
    EXPECT_THAT(taken(block), stays);
    block = Block();
    block.axis = 2;
    EXPECT_THAT(taken(block), stays);
    block = Block();
    block.mask = Mask::kCausal;
    block.hidden = -100;
    EXPECT_THAT(taken(block), stays);
    EXPECT_THAT(operators_of(rewritten(Block().model(), {}).graph), stays);
    EXPECT_THAT(operators_of(rewritten(Block().model(), kWithAttention, false).graph), stays);
}

TEST(FusedAttention, ProductsOfOtherTensorsStayApart) {
    Block block;
    block.other_input = "z";
    const Networks networks = rewritten(block.model());
    EXPECT_THAT(operators_of(networks.graph),
                ElementsAre("MatMul+Add", "MatMul+Add", "MatMul+Add", "Attention"));
    EXPECT_EQ(packed_operands(networks.graph, attention_of(networks.graph)), nullptr);
    (void)check(networks);
}

TEST(FusedAttention, ProductsWithABiasOfEachRowStayApart) {
    Block block;
    block.has_biases_of_rows = true;
    const Networks networks = rewritten(block.model());
    EXPECT_THAT(operators_of(networks.graph), Contains("Attention"));
    EXPECT_THAT(operators_of(networks.graph), Not(Contains("Split")));
    (void)check(networks);
}

TEST(FusedAttention, ProductsNeedNoBias) {
    Block block;
    block.has_biases = false;
    const Networks networks = rewritten(block.model());
    EXPECT_THAT(operators_of(networks.graph), ElementsAre("MatMul", "Split", "Attention"));
    (void)check(networks);
}

/// Operands that somebody else reads, too, are no columns of a packed tensor.
TEST(FusedAttention, OperandsWithOtherReadersStayApart) {
    OnnxModel model = Block().model();
    model.output("v");
    const Networks networks = rewritten(model);
    EXPECT_THAT(operators_of(networks.graph), Contains("Attention"));
    EXPECT_THAT(operators_of(networks.graph), Not(Contains("Split")));
    (void)check(networks);
}

/// A file's own Attention with heads apart, between the same transpositions.
TEST(FusedAttention, TakesAnOperatorOfTheFile) {
    OnnxModel model(23);
    model.input("x", {1, 5, 128}).output("y").integers("parted", {0, 0, 2, 64});
    model.integers("whole", {0, 0, 128});
    model.node("Reshape", {"x", "parted"}, {"p"});
    model.node("Transpose", {"p"}, {"t"}).with("perm", std::vector<std::int64_t>{0, 2, 1, 3});
    model.node("Attention", {"t", "t", "t"}, {"a"}).with("is_causal", 1);
    model.node("Transpose", {"a"}, {"u"}).with("perm", std::vector<std::int64_t>{0, 2, 1, 3});
    model.node("Reshape", {"u", "whole"}, {"y"});
    const Networks networks = rewritten(model);
    EXPECT_THAT(operators_of(networks.graph), ElementsAre("Attention"));
    EXPECT_EQ(attention_of(networks.graph).attributes.integer("is_causal"), 1);
    (void)check(networks);
}

/// Products repeat sides of size one. Only heads of keys and values may be repeated.
TEST(FusedAttention, ProductsThatRepeatOperandsAreLeft) {
    const auto operators = [](const std::vector<std::int64_t>& key,
                              const std::vector<std::int64_t>& value) {
        OnnxModel model;
        model.input("q", {2, 2, 5, 64}).input("k", key).input("v", value).output("y");
        model.weights("s", {}, {0.125F});
        model.node("Transpose", {"k"}, {"t"}).with("perm", std::vector<std::int64_t>{0, 1, 3, 2});
        model.node("MatMul", {"q", "t"}, {"p"}).node("Mul", {"p", "s"}, {"z"});
        model.node("Softmax", {"z"}, {"w"}).with("axis", -1).node("MatMul", {"w", "v"}, {"y"});
        const Networks networks = rewritten(model);
        (void)check(networks);
        return operators_of(networks.graph);
    };
    EXPECT_THAT(operators({2, 2, 5, 64}, {2, 2, 5, 64}), ElementsAre("Attention"));
    EXPECT_THAT(operators({2, 1, 5, 64}, {2, 1, 5, 64}), ElementsAre("Attention"));
    const auto stays = Not(Contains("Attention"));
    EXPECT_THAT(operators({1, 2, 5, 64}, {1, 2, 5, 64}), stays);
    EXPECT_THAT(operators({2, 2, 5, 64}, {1, 2, 5, 64}), stays);
    EXPECT_THAT(operators({2, 1, 5, 64}, {2, 2, 5, 64}), stays);
    EXPECT_THAT(operators({2, 2, 5, 64}, {5, 64}), stays);
}

/// A tensor in between that somebody else reads would be computed twice.
TEST(FusedAttention, TensorsInTheMiddleHaveNoOtherReaders) {
    for (const std::string middle : {"products", "scores", "masked", "shares"}) {
        OnnxModel model = Block().model();
        model.output(middle);
        EXPECT_THAT(operators_of(rewritten(model).graph), Not(Contains("Attention"))) << middle;
    }
    for (const std::string behind : {"context", "turned"}) {
        OnnxModel model = Block().model();
        model.output(behind);
        const Networks networks = rewritten(model);
        const std::vector<std::string> operators = operators_of(networks.graph);
        EXPECT_EQ(std::count(operators.begin(), operators.end(), "Attention"), 1) << behind;
        EXPECT_THAT(operators, Contains("Transpose")) << behind;
        (void)check(networks);
    }
}

TEST(FusedAttention, WrongOnesAreSeen) {
    const auto error_of = [](const std::function<void(Graph&)>& change) -> std::string {
        Networks networks = rewritten(Block().model());
        change(networks.graph);
        try {
            (void)check(networks);
        } catch (const CheckError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(error_of([](Graph&) {}), "");
    const auto attention = [](Graph& graph) -> Node& { return graph.nodes.back(); };
    EXPECT_THAT(error_of([&](Graph& graph) { attention(graph).inputs.pop_back(); }),
                HasSubstr("nodes up to Reshape 'attention' taken as Attention"));
    EXPECT_NE(error_of([&](Graph& graph) { attention(graph).attributes.set("scale", 0.126F); }),
              "");
    EXPECT_NE(error_of([&](Graph& graph) {
                  attention(graph).attributes.set("is_causal", std::int64_t{1});
              }),
              "");
    EXPECT_THAT(error_of([](Graph& graph) {
                    std::swap(graph.nodes[1].outputs[0], graph.nodes[1].outputs[2]);
                }),
                HasSubstr("tensor 'v'"));
}

/// Where something is done to heads that are apart, they stay so.
TEST(FusedAttention, TakesHeadsThatAreApart) {
    Block block;
    block.works_on_heads = true;
    block.has_biases = false;
    Networks networks = rewritten(block.model());
    std::vector<std::string> operators = operators_of(networks.graph);
    EXPECT_THAT(operators, Contains("Attention"));
    EXPECT_THAT(operators, Contains("Neg"));
    EXPECT_THAT(operators, Not(Contains("Softmax")));
    EXPECT_TRUE(turns_result(networks.graph, attention_of(networks.graph)));
    EXPECT_EQ(check(networks).bounded, 1U);
    const std::vector<LoweredLayer> layers = lowered(networks.graph);
    operators.clear();
    for (const LoweredLayer& layer : layers) operators.push_back(layer.operation);
    EXPECT_THAT(operators, UnorderedElementsAre("MatMul", "MatMul", "MatMul", "Transpose",
                                                "Transpose", "Transpose", "Neg", "Attention"));
    EXPECT_EQ(layers.back().attention.layout, AttentionLayout::kHeadsToTokens);

    // Somebody else reads the result as it is.
    OnnxModel model = block.model();
    model.output("context");
    networks = rewritten(model);
    EXPECT_FALSE(turns_result(networks.graph, attention_of(networks.graph)));
    const std::vector<LoweredLayer> apart = lowered(networks.graph);
    EXPECT_EQ(apart[apart.size() - 2].attention.layout, AttentionLayout::kHeads);
    EXPECT_EQ(apart.back().operation, "Transpose");

    // There are as many rows as elements of a head: only the order of sides tells them apart.
    block = Block();
    block.rows = block.depth;
    block.swaps_heads = true;
    networks = rewritten(block.model());
    EXPECT_TRUE(turns_result(networks.graph, attention_of(networks.graph)));
    EXPECT_EQ(check(networks).bounded, 1U);
}

/// The layers of a packed attention with values: one product, and one kernel that reads its
/// columns.
TEST(FusedAttention, IsLoweredToAProductAndAKernel) {
    Networks networks = rewritten(Block().model());
    const std::vector<LoweredLayer> all = lowered(networks.graph);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].shape, "12x384x128");
    const LoweredLayer& layer = all[1];
    EXPECT_EQ(layer.kind, LoweredLayer::Kind::kAttention);
    EXPECT_FALSE(layer.is_product());
    EXPECT_EQ(layer.shape, "2x6x2x64");
    EXPECT_EQ(layer.attention.layout, AttentionLayout::kPacked);
    ASSERT_EQ(layer.given.operands.size(), 2U);
    EXPECT_EQ(layer.given.operands[0]->size(), 2U * 6 * 3 * 128);
    EXPECT_EQ(layer.given.operands[1]->size(), 12U);
    EXPECT_EQ(layer.given.result->size(), 2U * 6 * 128);
    EXPECT_EQ(layer.bytes, (2U * 6 * 4 * 128 + 12) * 2);
    EXPECT_THAT(
        layer_yaml(layer, "a", "t", "d"),
        HasSubstr("  attention:\n    batch: 2\n    tokens: 6\n    context: 0\n    heads: 2\n"
                  "    kv_heads: 2\n    head_size: 64\n    causal: off\n    layout: packed\n"
                  "    mask: keys\n"));
}

}  // namespace
}  // namespace tessera::network
