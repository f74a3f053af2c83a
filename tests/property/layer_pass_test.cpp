// Are a layer's gradient and its transposition those of the layers that kernels compute instead?
#include "sc_models/workload/layer_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

/// One channel, one image: a plane.
struct Plane {
    std::int64_t height = 0, width = 0;
    std::vector<int> values;

    Plane(std::int64_t h, std::int64_t w)
        : height(h), width(w), values(static_cast<std::size_t>(h * w)) {}
    [[nodiscard]] bool has(std::int64_t y, std::int64_t x) const {
        return y >= 0 && y < height && x >= 0 && x < width;
    }
    int& at(std::int64_t y, std::int64_t x) {
        return values.at(static_cast<std::size_t>(y * width + x));
    }
    void fill(std::mt19937_64& random) {
        for (int& value : values) value = static_cast<int>(random() % 19) - 9;
    }
    bool operator==(const Plane& other) const {
        return height == other.height && width == other.width && values == other.values;
    }
};

Plane turned_round(Plane filter) {
    std::reverse(filter.values.begin(), filter.values.end());
    return filter;
}

/// For each output, filter place and input that meet: what a convolution is.
template <class Meet>
void for_each_meeting(const LayerConfig& l, Plane& input, Plane& filter, Plane& output, Meet meet) {
    for (std::int64_t y = 0; y < output.height; ++y) {
        for (std::int64_t x = 0; x < output.width; ++x) {
            for (std::int64_t r = 0; r < filter.height; ++r) {
                for (std::int64_t s = 0; s < filter.width; ++s) {
                    const std::int64_t in_y = y * l.stride + r - l.pad;
                    const std::int64_t in_x = x * l.stride + s - l.pad;
                    if (input.has(in_y, in_x)) {
                        meet(input.at(in_y, in_x), filter.at(r, s), output.at(y, x));
                    }
                }
            }
        }
    }
}

/// Forward, of a transposed layer by inserting zeros, as a lowered kernel has it.
Plane forward(LayerConfig l, Plane input, Plane filter) {
    if (l.transposed) {
        Plane spread(input.height * l.stride, input.width * l.stride);
        for (std::int64_t y = 0; y < input.height; ++y) {
            for (std::int64_t x = 0; x < input.width; ++x) {
                spread.at(y * l.stride, x * l.stride) = input.at(y, x);
            }
        }
        input = spread;
        l.pad = l.filter_height - 1 - l.pad;
        l.stride = 1;
    }
    Plane output((input.height + 2 * l.pad - filter.height) / l.stride + 1,
                 (input.width + 2 * l.pad - filter.width) / l.stride + 1);
    for_each_meeting(l, input, filter, output, [](int i, int f, int& o) { o += i * f; });
    return output;
}

Plane gradient_of_input(const LayerConfig& l, Plane gradient, Plane filter) {
    Plane input(l.height, l.width);
    for_each_meeting(l, input, filter, gradient, [](int& i, int f, int o) { i += o * f; });
    return input;
}

WorkloadConfig random_layer(std::mt19937_64& random) {
    WorkloadConfig config;
    LayerConfig& l = config.layer;
    l.filter_height = l.filter_width = static_cast<std::uint32_t>(1 + random() % 5);
    l.pad = static_cast<std::uint32_t>(random() % l.filter_height);
    l.stride = static_cast<std::uint32_t>(1 + random() % 3);
    const auto size = [&] {
        std::uint32_t n = l.filter_height + static_cast<std::uint32_t>(random() % 8);
        while ((n + 2 * l.pad - l.filter_height + 1) % l.stride != 0) ++n;
        return n;
    };
    l.height = size();
    l.width = size();
    l.channels = 3;
    l.filters = 7;
    return config;
}

TEST(LayerPass, ALoweredGradientIsTheGradient) {
    std::mt19937_64 random(4);
    for (int i = 0; i < 300; ++i) {
        WorkloadConfig config = random_layer(random);
        const LayerConfig& l = config.layer;
        Plane filter(l.filter_height, l.filter_width);
        filter.fill(random);
        const Plane shape = forward(l, Plane(l.height, l.width), filter);
        Plane gradient(shape.height, shape.width);
        gradient.fill(random);
        config.pass = LayerPass::kBackwardData;
        const WorkloadConfig lowered = lowered_pass(config);
        EXPECT_EQ(lowered.pass, LayerPass::kForward);
        EXPECT_EQ(lowered.layer.channels, 7U);
        EXPECT_EQ(lowered.layer.filters, 3U);
        ASSERT_EQ(lowered.layer.height, static_cast<std::uint32_t>(gradient.height));
        ASSERT_EQ(lowered.layer.width, static_cast<std::uint32_t>(gradient.width));
        EXPECT_EQ(forward(lowered.layer, gradient, turned_round(filter)),
                  gradient_of_input(l, gradient, filter));
    }
}

TEST(LayerPass, ATransposedLayerIsTheGradientOfAConvolution) {
    std::mt19937_64 random(6);
    for (int i = 0; i < 300; ++i) {
        WorkloadConfig config = random_layer(random);
        config.layer.transposed = true;
        const LayerConfig& l = config.layer;
        Plane filter(l.filter_height, l.filter_width);
        Plane input(l.height, l.width);
        filter.fill(random);
        input.fill(random);
        const WorkloadConfig strided = without_transposition(config);
        EXPECT_EQ(strided.pass, LayerPass::kBackwardData);
        EXPECT_FALSE(strided.layer.transposed);
        EXPECT_EQ(strided.layer.channels, 7U);
        EXPECT_EQ(strided.layer.filters, 3U);
        EXPECT_EQ(gradient_of_input(strided.layer, input, filter),
                  forward(l, input, turned_round(filter)));
        config.pass = LayerPass::kBackwardData;
        EXPECT_EQ(without_transposition(config).pass, LayerPass::kForward);
        EXPECT_EQ(lowered_pass(config).layer.height, strided.layer.height);
        config.pass = LayerPass::kBackwardWeight;
        EXPECT_EQ(without_transposition(config).pass, LayerPass::kBackwardWeight);
    }
}

TEST(LayerPass, LayersThatAreNotTransposedStayAsTheyAre) {
    WorkloadConfig config;
    config.layer.stride = 2;
    for (const LayerPass pass :
         {LayerPass::kForward, LayerPass::kBackwardData, LayerPass::kBackwardWeight}) {
        config.pass = pass;
        const WorkloadConfig same = without_transposition(config);
        EXPECT_EQ(same.pass, pass);
        EXPECT_EQ(same.layer.height, config.layer.height);
        EXPECT_EQ(same.layer.stride, 2U);
    }
    config.pass = LayerPass::kForward;
    EXPECT_EQ(lowered_pass(config).layer.height, config.layer.height);
    EXPECT_FALSE(lowered_pass(config).layer.transposed);
}

template <class Function>
std::string refusal(Function function, const WorkloadConfig& config) {
    try {
        static_cast<void>(function(config));
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(LayerPass, WhatCannotBeIsRefused) {
    WorkloadConfig config;
    config.pass = LayerPass::kBackwardWeight;
    EXPECT_EQ(refusal(lowered_pass, config),
              "workload.pass: got 'backward_weight', expected forward or backward_data with "
              "workload.kernel fragments, which lowers an input");
    config.pass = LayerPass::kBackwardData;
    config.layer.filter_width = 5;
    EXPECT_EQ(refusal(lowered_pass, config),
              "workload.layer.filter_width: got 5, expected a square filter (height 3) larger than "
              "workload.layer.pad (1) where workload.pass backward_data is lowered");
    config.layer.filter_width = 3;
    config.layer.stride = 2;
    config.layer.width = 57;
    EXPECT_EQ(refusal(lowered_pass, config),
              "workload.layer.width: got 57, expected the padded input (59) less the filter (3) "
              "and one more to be a multiple of workload.layer.stride (2) where workload.pass "
              "backward_data is lowered");
    config.layer.transposed = true;
    config.layer.height = config.layer.stride = 1;
    config.layer.pad = 2;
    EXPECT_EQ(refusal(without_transposition, config),
              "workload.layer.pad: got 2, expected one that leaves a transposed layer an output "
              "(height)");
}

}  // namespace
}  // namespace tessera
