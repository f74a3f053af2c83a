// Random convolutions for the kernels of DNN libraries.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sc_models/workload/layer_pass.h"
#include "sc_models/workload/library/convolution_pass.h"
#include "sc_models/workload/library/dense_kernels.h"
#include "tests/support/library_products.h"
#include "tests/support/random_layers.h"

namespace tessera::test {

/// Windows as draw_window() has them; groups from none to depthwise; k divided by 1 to 8. `index`
/// goes through passes and kernels, so that every few dozen have them all.
inline WorkloadConfig random_library_convolution(std::mt19937_64& random, std::uint32_t index) {
    const auto up_to = [&random](std::uint32_t most) { return draw_up_to(random, most); };
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    LayerConfig& layer = config.layer;
    draw_window(random, layer);
    const bool depthwise = random() % 6 == 0;
    layer.groups = depthwise ? up_to(12) : random() % 2 == 0 ? 1 : up_to(4);
    layer.channels = layer.groups * (depthwise ? 1 : up_to(40));
    layer.filters = layer.groups * (depthwise ? up_to(2) : up_to(40));
    config.pass = static_cast<LayerPass>(index % 3);
    config.sum_order = random() % 3 == 0 ? SumOrder::kTapsInner : SumOrder::kTapsOuter;
    // A lane may load no more than two bytes, for which the largest tiles have no registers.
    constexpr ProductKernel kKernels[] = {ProductKernel::kAuto, ProductKernel::k64x64,
                                          ProductKernel::k32x64, ProductKernel::k64x32,
                                          ProductKernel::k128x32};
    config.kernel = kKernels[index / 3 % 5];
    const bool large = layer.channels / layer.groups % 8 == 0 && random() % 2 == 0;
    if (large && layer.filters / layer.groups % 8 == 0) config.kernel = ProductKernel::k128x128;
    std::uint64_t k = 0;
    const ConvolutionPass pass(layer, config.pass);
    for (const auto& member : pass.members()) {
        k = std::max(k, member.k);
    }
    const auto steps = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, ceil_div(k, std::uint64_t{DenseKernel::kStep})));
    const std::uint32_t parts = up_to(std::min(steps, 8U));
    config.split_k = ceil_div(steps, ceil_div(steps, parts));
    config.tiling.raster = random() % 2 == 0 ? RasterOrder::kNFastest : RasterOrder::kMFastest;
    return config;
}

/// The same for each kernel with asynchronous copies, or the one chosen, which copy 4 bytes a lane
/// or more.
inline WorkloadConfig random_multistage_convolution(std::mt19937_64& random, std::uint32_t index) {
    WorkloadConfig config = random_library_convolution(random, index);
    LayerConfig& layer = config.layer;
    layer.groups = random() % 2 == 0 ? 1 : draw_up_to(random, 4);
    layer.channels = layer.groups * 2 * draw_up_to(random, 20);
    layer.filters = layer.groups * 2 * draw_up_to(random, 20);
    const std::vector<DenseKernel>& kernels = multistage_kernels();
    const std::size_t kernel = index / 3 % (kernels.size() + 1);
    config.kernel = ProductKernel::kMultistage;
    config.split_k = WorkloadConfig::kAutoSplit;
    if (kernel == kernels.size()) return config;
    config.multistage = std::string(kernels[kernel].name);
    std::uint64_t k = 1;
    const ConvolutionPass pass(layer, config.pass);
    for (const auto& member : pass.members()) k = std::max(k, member.k);
    const auto steps = static_cast<std::uint32_t>(ceil_div(k, std::uint64_t{kernels[kernel].step}));
    config.split_k = ceil_div(steps, ceil_div(steps, draw_up_to(random, std::min(steps, 4U))));
    return config;
}

/// Forward passes of integers in one group, with any number of channels; every second one is
/// requantised.
inline WorkloadConfig random_integer_convolution(std::mt19937_64& random, std::uint32_t index) {
    WorkloadConfig config = random_multistage_convolution(random, 3 * index);
    LayerConfig& layer = config.layer;
    layer.groups = 1;
    layer.channels = draw_up_to(random, 150);
    layer.filters = draw_up_to(random, 80);
    layer.operands = random() % 2 == 0 ? OperandType::kUint8 : OperandType::kInt8;
    config.split_k = WorkloadConfig::kAutoSplit;
    config.weights = config.activations = static_cast<ValuePattern>(random() % 3);
    if (random() % 2 == 0) {
        config.requantization = random_requantization(
            random, layer.filters,
            std::uint64_t{layer.filter_height} * layer.filter_width * layer.channels);
    }
    return config;
}

/// All passes of BF16, and forward passes of TF32 in one group.
inline WorkloadConfig random_float_convolution(std::mt19937_64& random, std::uint32_t index) {
    const bool bf16 = index % 2 == 0;
    WorkloadConfig config = random_multistage_convolution(random, bf16 ? index / 2 : 3 * index);
    LayerConfig& layer = config.layer;
    layer.operands = bf16 ? OperandType::kBf16 : OperandType::kTf32;
    config.split_k = WorkloadConfig::kAutoSplit;
    config.weights = config.activations = static_cast<ValuePattern>(random() % 3);
    if (bf16) return config;
    layer.groups = 1;
    layer.channels = draw_up_to(random, 100);
    layer.filters = draw_up_to(random, 80);
    return config;
}

/// Elements of the layer's tensor that its pass makes, without those that round it up.
inline std::uint64_t elements_of_result(const WorkloadConfig& given) {
    const WorkloadConfig config = without_transposition(given);
    const LayerConfig& layer = config.layer;
    const ConvolutionPass pass(layer, config.pass);
    if (config.pass == LayerPass::kForward) {
        const std::int64_t pixels = pass.rows().outputs() * pass.columns().outputs();
        return std::uint64_t{layer.batch} * static_cast<std::uint64_t>(pixels) * layer.filters;
    }
    if (config.pass == LayerPass::kBackwardData) {
        return std::uint64_t{layer.batch} * layer.height * layer.width * layer.channels;
    }
    return pass.taps() * layer.filters * (layer.channels / layer.groups);
}

}  // namespace tessera::test
