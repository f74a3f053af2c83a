// Is the workspace, by definition and as the im2col kernel makes it, that of the padded input?
#include <gtest/gtest.h>

#include <random>

#include "sc_models/workload/fragment/im2col_kernel.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

using test::FlatMemory;

constexpr std::uint32_t kSeed = 20261121;
constexpr std::uint32_t kLayers = 400;
constexpr Address kInput = 0x1000;
constexpr Address kWorkspace = 0x8000000;

LayerConfig random_layer(std::mt19937& random) {
    const auto pick = [&](std::uint32_t lo, std::uint32_t hi) {
        return std::uniform_int_distribution<std::uint32_t>(lo, hi)(random);
    };
    LayerConfig layer;
    layer.name = "random";
    layer.batch = pick(1, 3);
    layer.height = pick(3, 9);
    layer.width = pick(3, 9);
    layer.channels = pick(0, 5) == 0 ? pick(250, 300) : pick(1, 70);
    layer.filters = pick(1, 4);
    layer.filter_height = pick(1, 4);
    layer.filter_width = pick(1, 4);
    layer.pad = pick(0, 3);
    layer.stride = pick(1, 3);
    layer.transposed = pick(0, 3) == 0;
    if (layer.transposed) {
        layer.filter_width = layer.filter_height;
        layer.pad = std::min(layer.pad, layer.filter_height - 1);
    } else {
        layer.filter_height = std::min(layer.filter_height, layer.height);
        layer.filter_width = std::min(layer.filter_width, layer.width);
    }
    return layer;
}

std::string describe(const LayerConfig& l, ChannelRule rule) {
    return "seed " + std::to_string(kSeed) + ": batch " + std::to_string(l.batch) + " input " +
           std::to_string(l.height) + "x" + std::to_string(l.width) + "x" +
           std::to_string(l.channels) + " filter " + std::to_string(l.filter_height) + "x" +
           std::to_string(l.filter_width) + " pad " + std::to_string(l.pad) + " stride " +
           std::to_string(l.stride) + (l.transposed ? " transposed" : "") + " rule " +
           std::to_string(static_cast<int>(rule));
}

/// Raw input as the memory holds it: every existing channel another number, never zero.
std::vector<HalfBits> raw_input(const ConvolutionGeometry& g) {
    std::vector<HalfBits> raw(g.input_halves());
    for (std::size_t i = 0; i + ConvolutionGeometry::kInputSlackHalves < raw.size(); ++i) {
        if (i % g.padded_channels < g.channels) raw[i] = static_cast<HalfBits>(i % 65521 + 1);
    }
    return raw;
}

/// The workspace made the long way: zero insertion, padding and filter positions as loops over
/// explicit tensors.
std::vector<HalfBits> naive_workspace(const LayerConfig& l, ChannelRule rule,
                                      const std::vector<HalfBits>& raw) {
    const std::uint32_t step = rule == ChannelRule::kPad16           ? 16
                               : rule == ChannelRule::kPad8FilterRow ? 8
                                                                     : 1;
    const std::uint32_t channels = (l.channels + step - 1) / step * step;
    const std::uint32_t up = l.transposed ? l.stride : 1;
    const std::uint32_t stride = l.transposed ? 1 : l.stride;
    const std::uint32_t pad = l.transposed ? l.filter_height - 1 - l.pad : l.pad;
    const std::uint32_t hp = l.height * up + 2 * pad;
    const std::uint32_t wp = l.width * up + 2 * pad;
    std::vector<HalfBits> padded(std::size_t{l.batch} * hp * wp * channels + 16);
    std::size_t next = 0;
    for (std::uint32_t b = 0; b < l.batch; ++b) {
        for (std::uint32_t y = 0; y < l.height; ++y) {
            for (std::uint32_t x = 0; x < l.width; ++x) {
                const std::size_t line = std::size_t{b} * hp + pad + y * up;
                const std::size_t pixel = line * wp + pad + x * up;
                for (std::uint32_t c = 0; c < channels; ++c)
                    padded[pixel * channels + c] = raw[next++];
            }
        }
    }
    std::uint32_t line = l.filter_width * channels;
    if (rule == ChannelRule::kPad8FilterRow) line = (line + 15) / 16 * 16;
    std::vector<HalfBits> workspace;
    for (std::uint32_t b = 0; b < l.batch; ++b) {
        for (std::uint32_t y = 0; y + l.filter_height <= hp; y += stride) {
            for (std::uint32_t x = 0; x + l.filter_width <= wp; x += stride) {
                for (std::uint32_t fy = 0; fy < l.filter_height; ++fy) {
                    const std::size_t first = ((std::size_t{b} * hp + y + fy) * wp + x) * channels;
                    workspace.insert(workspace.end(), &padded[first], &padded[first] + line);
                }
                while (workspace.size() % 16 != 0) workspace.push_back(0);
            }
        }
    }
    return workspace;
}

std::vector<HalfBits> geometry_workspace(const ConvolutionGeometry& g,
                                         const std::vector<HalfBits>& raw) {
    std::vector<HalfBits> workspace;
    for (std::uint64_t row = 0; row < g.m; ++row) {
        for (std::uint64_t column = 0; column < g.k_pitch; ++column) {
            const auto source = g.source(row, column);
            workspace.push_back(source ? raw.at(*source) : HalfBits{0});
        }
    }
    return workspace;
}

std::vector<HalfBits> kernel_workspace(const Im2colKernel& kernel,
                                       const std::vector<HalfBits>& raw) {
    const std::uint64_t bytes = kernel.rows() * kernel.geometry().k_pitch * sizeof(HalfBits);
    FlatMemory memory;
    memory.add_region(kInput, raw.size() * sizeof(HalfBits));
    memory.add_region(kWorkspace, bytes, 0xee);  // exactly the workspace: stores beyond it throw
    memory.write(kInput, raw.data(), raw.size() * sizeof(HalfBits));
    test::interpret(kernel, memory);
    std::vector<HalfBits> workspace(bytes / sizeof(HalfBits));
    memory.read(kWorkspace, workspace.data(), bytes);
    return workspace;
}

TEST(Im2colKernel, MakesTheWorkspaceOfRandomLayers) {
    std::mt19937 random(kSeed);
    for (std::uint32_t i = 0; i < kLayers; ++i) {
        const LayerConfig layer = random_layer(random);
        for (const ChannelRule rule :
             {ChannelRule::kPad16, ChannelRule::kPad8FilterRow, ChannelRule::kDense}) {
            SCOPED_TRACE(describe(layer, rule));
            const auto g = ConvolutionGeometry::make(layer, rule);
            const auto raw = raw_input(g);
            const auto expected = naive_workspace(layer, rule, raw);
            ASSERT_EQ(expected.size(), g.m * g.k_pitch);
            ASSERT_EQ(geometry_workspace(g, raw), expected);
            ASSERT_EQ(kernel_workspace(Im2colKernel("im2col", g, kInput, kWorkspace, g.m), raw),
                      expected);
        }
    }
}

TEST(Im2colKernel, StopsAfterTheRowsItWasAskedFor) {
    const auto g = ConvolutionGeometry::make(
        LayerConfig{"small", 1, 8, 8, 16, 1, 3, 3, 1, 1, false}, ChannelRule::kPad16);
    const auto raw = raw_input(g);
    auto expected = geometry_workspace(g, raw);
    expected.resize(37 * g.k_pitch);
    EXPECT_EQ(kernel_workspace(Im2colKernel("im2col", g, kInput, kWorkspace, 37), raw), expected);
    EXPECT_THROW(Im2colKernel("im2col", g, kInput, kWorkspace, g.m + 1), std::logic_error);
}

// The comparison must be able to fail: a kernel for another padding makes another workspace.
TEST(Im2colKernel, AnotherLayersKernelIsCaught) {
    LayerConfig layer{"small", 1, 8, 8, 16, 1, 3, 3, 1, 1, false};
    const auto g = ConvolutionGeometry::make(layer, ChannelRule::kPad16);
    const auto raw = raw_input(g);
    layer.height = 10;
    layer.width = 10;
    layer.pad = 0;
    const auto other = ConvolutionGeometry::make(layer, ChannelRule::kPad16);
    ASSERT_EQ(other.m, g.m);
    const auto wrong = kernel_workspace(Im2colKernel("im2col", other, kInput, kWorkspace, other.m),
                                        raw_input(other));
    EXPECT_NE(wrong, geometry_workspace(g, raw));
}

// One window is one load and one store: at most 512 bytes, and few of them.
TEST(Im2colKernel, CombinesFilterRowsIntoWindows) {
    const auto windows = [](std::uint32_t channels, std::uint32_t filter, ChannelRule rule) {
        const auto g = ConvolutionGeometry::make(
            LayerConfig{"w", 1, 16, 16, channels, 1, filter, filter, 1, 1, false}, rule);
        return Im2colKernel("w", g, kInput, kWorkspace, g.m).windows().size();
    };
    EXPECT_EQ(windows(16, 3, ChannelRule::kPad16), 1U);         // 3 x 96 B
    EXPECT_EQ(windows(64, 3, ChannelRule::kPad16), 3U);         // 384 B each
    EXPECT_EQ(windows(3, 7, ChannelRule::kPad8FilterRow), 2U);  // 7 x 128 B: 4 + 3 rows
    EXPECT_EQ(windows(512, 3, ChannelRule::kPad16), 18U);       // 3 x 3072 B
}

}  // namespace
}  // namespace tessera
