// Layers of networks: which tensors lie how, what is stored, and the file that brings them along.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/lowering/layouts.h"
#include "sc_models/lowering/placed_tensor.h"
#include "sc_models/network/storage.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {
namespace {

using network::Graph;
using network::Node;
using network::Tensor;
using network::ValueId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

GivenLayer::Elements halves(const std::vector<float>& values) {
    auto elements = std::make_shared<std::vector<HalfBits>>();
    for (const float value : values) elements->push_back(float_to_half(value));
    return elements;
}

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no error";
}

struct GivenLayerFile : ::testing::Test {
    std::string path = ::testing::TempDir() + "given_layer_test." +
                       ::testing::UnitTest::GetInstance()->current_test_info()->name();
    ~GivenLayerFile() override { std::filesystem::remove(path); }
};

TEST_F(GivenLayerFile, HoldsAProductWithItsEpilogue) {
    GivenLayer layer;
    layer.activations = halves({1, 2, 3});
    layer.weights = halves({0, -0.5F});
    layer.result = halves({7});
    layer.epilogue = std::make_shared<const ProductEpilogue>(
        std::vector<ProductEpilogue::Operand>{{ProductEpilogue::Place::kColumns, 0, halves({4, 5})},
                                              {ProductEpilogue::Place::kScalar, 0.25F, nullptr}},
        std::vector<ProductEpilogue::Step>{{TensorOperator::kAdd, 0, 0, 0, false},
                                           {TensorOperator::kClip, -1, 6, -1, false},
                                           {TensorOperator::kSub, 0, 0, 1, true}});
    const std::string digest = write_given_layer(path, layer);
    const GivenLayer read = read_given_layer(path, digest);
    EXPECT_EQ(*read.activations, *layer.activations);
    EXPECT_EQ(*read.weights, *layer.weights);
    EXPECT_EQ(*read.result, *layer.result);
    EXPECT_FALSE(read.operation.has_value());
    ASSERT_NE(read.epilogue, nullptr);
    EXPECT_EQ(*read.epilogue->operands()[0].values, *layer.epilogue->operands()[0].values);
    for (const std::uint64_t column : {0U, 1U}) {
        EXPECT_EQ(read.epilogue->apply(-3, 0, column, 2), layer.epilogue->apply(-3, 0, column, 2));
    }
}

TEST_F(GivenLayerFile, HoldsAnOperatorOrOnlyItsShapes) {
    GivenLayer layer;
    layer.operation.emplace();
    TensorOperation& o = *layer.operation;
    o.op = TensorOperator::kResize;
    o.operands = {{2, 3, 4}};
    o.results = {{2, 3, 8}};
    o.axes = {2};
    o.begins = {-1};
    o.window = {3};
    o.ceil_mode = true;
    o.pad_mode = PadMode::kEdge;
    o.resize = ResizeMode::kLinear;
    o.coordinates = ResizeCoordinates::kAlignCorners;
    o.rounding = ResizeRounding::kCeil;
    o.scales = {1, 1, 1.3333334F};
    o.alpha = -std::numeric_limits<float>::infinity();
    layer.operands = {nullptr};
    const GivenLayer read = read_given_layer(path, write_given_layer(path, layer));
    ASSERT_TRUE(read.operation.has_value());
    EXPECT_EQ(read.operation->op, o.op);
    EXPECT_EQ(read.operation->operands, o.operands);
    EXPECT_EQ(read.operation->results, o.results);
    EXPECT_EQ(read.operation->axes, o.axes);
    EXPECT_EQ(read.operation->begins, o.begins);
    EXPECT_EQ(read.operation->window, o.window);
    EXPECT_TRUE(read.operation->ceil_mode);
    EXPECT_EQ(read.operation->pad_mode, o.pad_mode);
    EXPECT_EQ(read.operation->resize, o.resize);
    EXPECT_EQ(read.operation->coordinates, o.coordinates);
    EXPECT_EQ(read.operation->rounding, o.rounding);
    EXPECT_EQ(read.operation->scales, o.scales);
    EXPECT_EQ(read.operation->alpha, o.alpha);
    ASSERT_EQ(read.operands.size(), 1U);
    EXPECT_EQ(read.operands[0], nullptr);
    EXPECT_THAT(message_of([&] { (void)GivenLayer::known(read.operands[0]); }),
                HasSubstr("without the values of its tensors"));
}

TEST_F(GivenLayerFile, OtherFilesAreRefused) {
    GivenLayer layer;
    layer.activations = halves({1, 2, 3});
    const std::string digest = write_given_layer(path, layer);
    EXPECT_THAT(message_of([&] { (void)read_given_layer(path, "0123456789abcdef"); }),
                HasSubstr("workload.given.digest: got 0123456789abcdef"));
    EXPECT_THAT(message_of([&] { (void)read_given_layer(path + "x", digest); }),
                HasSubstr("cannot read"));
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    EXPECT_THAT(message_of([&] { (void)read_given_layer(path, digest); }), HasSubstr("damaged"));
}

TEST(GivenLayer, ChannelsComeFirst) {
    LayerConfig layer;
    layer.batch = 1;
    layer.channels = 2;
    layer.filters = 1;
    layer.groups = 1;
    GivenLayer given;
    given.activations = halves({1, 10, 2, 20, 3, 30});
    given.put_channels_first(layer);
    EXPECT_EQ(*given.activations, *halves({1, 2, 3, 10, 20, 30}));
}

TEST(PlacedTensor, ChannelsGoLastAndBack) {
    PlacedTensor tensor;
    tensor.shape = {1, 2, 3};
    tensor.elements = halves({1, 2, 3, 10, 20, 30});
    const PlacedTensor last = tensor.with_channels_last(true);
    EXPECT_EQ(*last.elements, *halves({1, 10, 2, 20, 3, 30}));
    EXPECT_THAT(last.sides(), ElementsAre(1, 3, 2));
    EXPECT_EQ(last.side(1), 2U);
    EXPECT_EQ(last.side(2), 1U);
    EXPECT_EQ(*last.with_channels_last(false).elements, *tensor.elements);
    EXPECT_THAT(last.with_sides(4).shape, ElementsAre(1, 1, 2, 3));
    EXPECT_DOUBLE_EQ(tensor.zeros(), 0);
}

/// conv -> relu -> flatten -> y, and a constant.
Graph small_graph() {
    const auto value = [](const char* name, network::Shape shape) {
        return network::Value{name, {network::ElementType::kHalf, std::move(shape)}};
    };
    Graph graph;
    const ValueId x = graph.add(value("x", {1, 4, 5, 5}));
    network::Value weights = value("w", {8, 4, 1, 1});
    weights.constant = std::make_shared<const Tensor>(
        Tensor::of_reals({8, 4, 1, 1}, std::vector<float>(32, 1), network::ElementType::kHalf));
    const ValueId w = graph.add(std::move(weights));
    const ValueId c = graph.add(value("c", {1, 8, 5, 5}));
    const ValueId r = graph.add(value("r", {1, 8, 5, 5}));
    const ValueId y = graph.add(value("y", {1, 200}));
    graph.inputs = {x};
    graph.outputs = {y};
    graph.nodes = {Node{"conv", "Conv", 11, {}, {x, w}, {c}},
                   Node{"relu", "Relu", 13, {}, {c}, {r}},
                   Node{"flatten", "Flatten", 13, {}, {r}, {y}}};
    return graph;
}

TEST(Layouts, ImagesLieWithChannelsLastAsFarAsTheyGo) {
    const Graph graph = small_graph();
    const Layouts layouts(graph);
    EXPECT_TRUE(layouts.channels_last(graph.inputs[0]));
    EXPECT_TRUE(layouts.channels_last(graph.nodes[0].outputs[0]));
    EXPECT_TRUE(layouts.channels_last(graph.nodes[1].outputs[0]));
    EXPECT_FALSE(layouts.channels_last(graph.nodes[2].outputs[0]));
}

TEST(Storage, WeightsArePruned) {
    Graph graph = small_graph();
    const ValueId w = graph.nodes[0].inputs[1];
    const auto set = [&](std::vector<float> values) {
        values.resize(32, 1);
        graph.value(w).constant = std::make_shared<const Tensor>(
            Tensor::of_reals({8, 4, 1, 1}, std::move(values), network::ElementType::kHalf));
    };
    set({4, -3, 2, -1});
    network::prune(graph, *network::pruning_of("2:4", "--prune"));
    const std::vector<float>& kept = graph.value(w).constant->reals;
    EXPECT_THAT(std::vector<float>(kept.begin(), kept.begin() + 8),
                ElementsAre(4, -3, 0, 0, 1, 1, 0, 0));  // of equal ones the later go
    set({4, -3, 2, -1});
    network::prune(graph, *network::pruning_of("0.75", "--prune"));
    EXPECT_EQ(graph.value(w).constant->zeros(), 24U);
    EXPECT_FALSE(network::pruning_of("none", "--prune").has_value());
    for (const char* wrong : {"", "1.5", "-0.1", "4:2", "2:", "2:4x", "x"}) {
        EXPECT_THAT(message_of([&] { (void)network::pruning_of(wrong, "--prune"); }),
                    HasSubstr(std::string("--prune: got '") + wrong + "', expected none"));
    }
}

TEST(Storage, HalvesSaturate) {
    Graph graph = small_graph();
    for (network::Value& value : graph.values) value.type.type = network::ElementType::kFloat;
    const ValueId w = graph.nodes[0].inputs[1];
    std::vector<float> values(32, 0.1F);
    values[0] = -3.4e38F;
    values[1] = 1e-10F;
    graph.value(w).constant =
        std::make_shared<const Tensor>(Tensor::of_reals({8, 4, 1, 1}, std::move(values)));
    network::store_as_halves(graph);
    const Tensor& stored = *graph.value(w).constant;
    EXPECT_EQ(stored.type.type, network::ElementType::kHalf);
    EXPECT_EQ(stored.reals[0], -65504.0F);
    EXPECT_EQ(stored.reals[1], 0.0F);
    EXPECT_EQ(stored.reals[2], half_to_float(float_to_half(0.1F)));
    EXPECT_EQ(graph.value(graph.outputs[0]).type.type, network::ElementType::kHalf);
}

}  // namespace
}  // namespace tessera
