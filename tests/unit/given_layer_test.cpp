// Do the tensors of a network's layer come back from their file as they were, and is any other file
// refused?
#include "sc_models/workload/given_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error_kinds.h"
#include "sc_models/config/engine/config_entries.h"
#include "sc_models/workload/given_sizes.h"
#include "sc_models/workload/value_generator.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

GivenLayer::Elements elements(std::vector<HalfBits> halves) {
    return std::make_shared<const std::vector<HalfBits>>(std::move(halves));
}

/// A layer whose members all differ from what they are without being set.
GivenLayer every_member() {
    GivenLayer layer;
    layer.activations = elements({0x7c00, 0xfc00, 0x7e01, 0x8000, 0x0a0a});  // a line's end in it
    layer.weights = elements({1, 2});
    layer.result = elements({3});
    TensorOperation o;
    o.op = TensorOperator::kAveragePool;
    o.type = TensorType::kFp32;
    o.operands = {{1, 2, 3}, {4}, {}};
    o.results = {{5, 6}, {7}};
    o.axes = {1, 2};
    o.order = {2, 0, 1};
    o.begins = {-1, 4};
    o.steps = {-2, 1};
    o.sizes = {3, std::uint64_t{1} << 40U};
    o.pads_before = {-3, 2};
    o.pads_after = {1, -1};
    o.window = {3, 2};
    o.strides = {2, 1};
    o.dilations = {1, 4};
    o.ceil_mode = o.count_padding = true;
    o.pad_mode = PadMode::kReflect;
    o.resize = ResizeMode::kLinear;
    o.coordinates = ResizeCoordinates::kAlignCorners;
    o.rounding = ResizeRounding::kCeil;
    o.scales = {1, 0.1F, kInfinity};
    o.alpha = -kInfinity;
    o.beta = 1e-5F;
    layer.operation = o;
    layer.operands = {elements({4, 5}), nullptr, elements({})};
    ProductEpilogue::Operand scalar, column, unknown;
    scalar.scalar = kInfinity;
    column.place = ProductEpilogue::OperandExtent::kColumns;
    column.values = elements({6, 7});
    unknown.place = ProductEpilogue::OperandExtent::kElements;
    ProductEpilogue::Step clip, subtract, add;
    clip.op = TensorOperator::kClip;
    clip.alpha = -kInfinity;
    clip.beta = 6;
    subtract.op = TensorOperator::kSub;
    subtract.operand = 1;
    subtract.operand_first = true;
    add.op = TensorOperator::kAdd;
    add.operand = 2;
    Requantization rule;
    rule.bias = {-7, 0x7fffffff};
    rule.factors = {0.1F, 1e-30F};
    rule.zero_point = 5;
    rule.least = 5;
    rule.most = 250;
    rule.is_unsigned = true;
    layer.requantization = std::make_shared<const Requantization>(rule);
    layer.epilogue = std::make_shared<const ProductEpilogue>(
        std::vector<ProductEpilogue::Operand>{scalar, column, unknown},
        std::vector<ProductEpilogue::Step>{clip, subtract, add});
    return layer;
}

class GivenLayers : public test::TempFolder {
protected:
    std::string path() const { return (folder / "layer.tensors").string(); }

    /// The error for a file with this content whose digest matches.
    std::string refusal(const std::string& content) const {
        const std::string file = write("other", content);
        try {
            (void)read_given_layer(file, fnv1a_hex(content));
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    }
};

TEST_F(GivenLayers, ComeBackAsTheyWere) {
    const GivenLayer layer = every_member();
    const std::string digest = write_given_layer(path(), layer);
    EXPECT_EQ(digest.size(), 16U);
    const GivenLayer read = read_given_layer(path(), digest);
    EXPECT_EQ(*read.activations, *layer.activations);
    EXPECT_EQ(*read.weights, *layer.weights);
    EXPECT_EQ(*read.result, *layer.result);
    ASSERT_EQ(read.operands.size(), 3U);
    EXPECT_EQ(*read.operands[0], *layer.operands[0]);
    EXPECT_EQ(read.operands[1], nullptr);
    EXPECT_TRUE(read.operands[2]->empty());
    const TensorOperation& o = *read.operation;
    const TensorOperation& w = *layer.operation;
    EXPECT_EQ(o.op, w.op);
    EXPECT_EQ(o.type, w.type);
    EXPECT_EQ(o.operands, w.operands);
    EXPECT_EQ(o.results, w.results);
    EXPECT_EQ(o.axes, w.axes);
    EXPECT_EQ(o.order, w.order);
    EXPECT_EQ(o.begins, w.begins);
    EXPECT_EQ(o.steps, w.steps);
    EXPECT_EQ(o.sizes, w.sizes);
    EXPECT_EQ(o.pads_before, w.pads_before);
    EXPECT_EQ(o.pads_after, w.pads_after);
    EXPECT_EQ(o.window, w.window);
    EXPECT_EQ(o.strides, w.strides);
    EXPECT_EQ(o.dilations, w.dilations);
    EXPECT_TRUE(o.ceil_mode && o.count_padding);
    EXPECT_EQ(o.pad_mode, w.pad_mode);
    EXPECT_EQ(o.resize, w.resize);
    EXPECT_EQ(o.coordinates, w.coordinates);
    EXPECT_EQ(o.rounding, w.rounding);
    EXPECT_EQ(o.scales, w.scales);
    EXPECT_EQ(o.alpha, w.alpha);
    EXPECT_EQ(o.beta, w.beta);
    const Requantization& rule = *read.requantization;
    EXPECT_EQ(rule.bias, layer.requantization->bias);
    EXPECT_EQ(rule.factors, layer.requantization->factors);
    EXPECT_EQ(rule.zero_point, 5);
    EXPECT_EQ(rule.least, 5);
    EXPECT_EQ(rule.most, 250);
    EXPECT_TRUE(rule.is_unsigned);
    ASSERT_EQ(read.epilogue->operands().size(), 3U);
    EXPECT_EQ(read.epilogue->operands()[0].scalar, kInfinity);
    EXPECT_EQ(read.epilogue->operands()[1].place, ProductEpilogue::OperandExtent::kColumns);
    EXPECT_EQ(*read.epilogue->operands()[1].values, *layer.epilogue->operands()[1].values);
    EXPECT_EQ(read.epilogue->operands()[2].place, ProductEpilogue::OperandExtent::kElements);
    EXPECT_EQ(read.epilogue->operands()[2].values, nullptr);
    for (std::size_t i = 0; i < 3; ++i) {
        const ProductEpilogue::Step& step = read.epilogue->steps().at(i);
        const ProductEpilogue::Step& wanted = layer.epilogue->steps()[i];
        EXPECT_EQ(step.op, wanted.op);
        EXPECT_EQ(step.alpha, wanted.alpha);
        EXPECT_EQ(step.beta, wanted.beta);
        EXPECT_EQ(step.operand, wanted.operand);
        EXPECT_EQ(step.operand_first, wanted.operand_first);
    }
    // Writing the layer that was read yields the same digest.
    EXPECT_EQ(write_given_layer((folder / "again").string(), read), digest);
}

/// All operators have names under which they are found again.
TEST_F(GivenLayers, OfAllOperators) {
    for (std::uint32_t i = 0; i < kTensorOperators; ++i) {
        GivenLayer layer;
        layer.operation = TensorOperation{};
        layer.operation->op = static_cast<TensorOperator>(i);
        const std::string digest = write_given_layer(path(), layer);
        EXPECT_EQ(read_given_layer(path(), digest).operation->op, layer.operation->op);
    }
}

/// Tensors with types of their own; an FP32 scale has its low and its high bits.
TEST_F(GivenLayers, TypesOfTensorsComeBack) {
    GivenLayer layer;
    TensorOperation o;
    o.op = TensorOperator::kQuantizeLinear;
    o.type = TensorType::kFp32;
    o.types = {TensorType::kFp16, TensorType::kFp32, TensorType::kUint8};
    o.operands = {{2}, {1}};
    layer.operation = o;
    layer.operands = {elements({0x3c00, 0x4000}), elements({0xcccd, 0x3dcc})};
    check_operand_sizes(o, layer.operands);
    const std::string digest = write_given_layer(path(), layer);
    const GivenLayer read = read_given_layer(path(), digest);
    EXPECT_EQ(read.operation->types, o.types);
    EXPECT_EQ(given_type(*read.operation, 0), TensorType::kFp16);
    EXPECT_THAT(given_values(*read.operands[0], given_type(o, 0)), ElementsAre(1, 2));
    EXPECT_THAT(given_values(*read.operands[1], given_type(o, 1)), ElementsAre(0.1F));
    layer.operands[1] = elements({0x3c00});
    EXPECT_THROW(check_operand_sizes(o, layer.operands), ConfigError);
}

TEST_F(GivenLayers, WhatIsNotThereStaysAway) {
    const std::string digest = write_given_layer(path(), GivenLayer{});
    const GivenLayer read = read_given_layer(path(), digest);
    EXPECT_EQ(read.activations, nullptr);
    EXPECT_EQ(read.result, nullptr);
    EXPECT_EQ(read.epilogue, nullptr);
    EXPECT_FALSE(read.operation.has_value());
    EXPECT_THROW((void)read.known_activations(), ConfigError);
    EXPECT_THROW((void)read.known_weights(), ConfigError);
}

TEST_F(GivenLayers, OtherFilesAreRefused) {
    const std::string digest = write_given_layer(path(), every_member());
    const std::string good = content(path());
    const auto says = [&](const std::string& file, const std::string& of_digest) -> std::string {
        try {
            (void)read_given_layer(file, of_digest);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(says((folder / "none").string(), digest),
              "workload.given.file: cannot read '" + (folder / "none").string() + "'");
    EXPECT_EQ(says(folder.string(), digest),
              "workload.given.file: cannot read '" + folder.string() + "'");
    EXPECT_EQ(says(path(), "0123456789abcdef"),
              "workload.given.digest: got 0123456789abcdef, but " + path() + " has " + digest +
                  "; it was written anew, or damaged");
    // Any bit that is another.
    for (const std::size_t at : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
        std::string damaged = good;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        EXPECT_THAT(says(write("damaged", damaged), digest), StartsWith("workload.given.digest: "));
    }
    EXPECT_THAT(says(write("short", good.substr(0, good.size() - 1)), digest),
                StartsWith("workload.given.digest: "));
    // With digests of their own.
    EXPECT_THAT(refusal(good.substr(0, good.size() - 1)), HasSubstr("(cut off)"));
    EXPECT_THAT(refusal(good.substr(0, good.find('\n'))), HasSubstr("(cut off)"));
    for (const std::string& foreign :
         {std::string("\n"), std::string("{}\n"), std::string("[1, 2]\n"),
          std::string("{\"format\":\"tessera layer 2\",\"elements\":{}}\n"),
          std::string("{\"format\":\"tessera layer 1\"}\n"),
          std::string("{\"format\":\"tessera layer 1\",\"elements\":{\"weights\":-1}}\n"),
          std::string("{\"format\":\"tessera layer 1\",\"elements\":{},\"tensor\":{\"operation\":"
                      "\"Conv\"}}\n"),
          std::string("\x7f"
                      "ELF\n\x01\x02")}) {
        const std::string said = refusal(foreign);
        EXPECT_THAT(said, HasSubstr("is no layer of a network (")) << foreign;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
}

/// Two images of 2 channels and 3 pixels, two filters of one tap.
TEST(GivenLayer, ChannelsCanBeFirst) {
    GivenLayer layer;
    layer.activations = elements({0, 10, 1, 11, 2, 12, 100, 110, 101, 111, 102, 112});
    layer.weights = elements({1, 2, 3, 4});
    LayerConfig config;
    config.batch = 2;
    config.height = 1;
    config.width = 3;
    config.channels = config.filters = 2;
    config.filter_height = config.filter_width = 1;
    layer.put_channels_first(config, LayerPass::kForward);
    EXPECT_THAT(*layer.activations, ElementsAre(0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112));
    EXPECT_THAT(*layer.weights, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(layer.result, nullptr);
    // For the input gradient, the incoming tensor has the filters and the result has the channels.
    config.filters = 3;
    config.batch = config.channels = 1;
    config.width = 2;
    layer.activations = elements({0, 10, 20, 1, 11, 21});
    layer.result = elements({5, 6});
    layer.put_channels_first(config, LayerPass::kBackwardData);
    EXPECT_THAT(*layer.activations, ElementsAre(0, 1, 10, 11, 20, 21));
    EXPECT_THAT(*layer.result, ElementsAre(5, 6));
}

TEST_F(GivenLayers, OperandsOfAttentionComeBack) {
    GivenLayer layer;
    layer.operands = {elements({1, 2}), nullptr, elements({3})};
    const std::string digest = write_given_layer(path(), layer);
    const GivenLayer read = read_given_layer(path(), digest);
    ASSERT_EQ(read.operands.size(), 3U);
    EXPECT_THAT(*read.operands[0], ElementsAre(1, 2));
    EXPECT_EQ(read.operands[1], nullptr);
    EXPECT_THAT(*read.operands[2], ElementsAre(3));
    EXPECT_FALSE(read.operation);
    layer.operands.resize(5);
    const std::string longer = write_given_layer(path(), layer);
    EXPECT_THROW((void)read_given_layer(path(), longer), FileError);
}

TEST(GivenLayer, GivesItsValuesToKernels) {
    using Tensor = ValueGenerator::Tensor;
    auto layer = std::make_shared<GivenLayer>();
    layer->activations = elements({0x3c00, 0xbc00});
    layer->weights = elements({0x4000});
    WorkloadConfig config;
    const auto first = [&](Tensor tensor, bool values) {
        return ValueGenerator::of(config, 1, tensor, values)(0);
    };
    const HalfBits generated = first(Tensor::kActivations, true);
    config.given_layer = layer;
    EXPECT_EQ(first(Tensor::kActivations, true), 0x3c00);
    EXPECT_EQ(first(Tensor::kGradients, true), 0x3c00);
    EXPECT_EQ(first(Tensor::kWeights, true), 0x4000);
    EXPECT_EQ(ValueGenerator::of(config, 1, Tensor::kActivations, true).single(1), -1.0F);
    // No values are requested, and none are needed.
    layer->activations = nullptr;
    EXPECT_EQ(first(Tensor::kActivations, false), generated);
    EXPECT_THROW((void)first(Tensor::kActivations, true), ConfigError);
}

}  // namespace
}  // namespace tessera
