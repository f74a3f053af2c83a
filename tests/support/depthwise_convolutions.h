// Random depthwise convolutions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "sc_models/workload/depthwise_convolution.h"

namespace tessera::test {

/// Small and ragged: strides 1 to 3, padding 0 to 3 and dilation 1 or 2, each axis by itself;
/// channels that fill vectors and such that do not, multipliers from 1 to 16.
inline WorkloadConfig random_depthwise_convolution(std::mt19937_64& random, std::uint32_t index) {
    const auto up_to = [&random](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random() % most);
    };
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    LayerConfig& layer = config.layer;
    layer.batch = up_to(3);
    layer.filter_height = up_to(5);
    layer.filter_width = up_to(5);
    layer.dilation = up_to(2);
    layer.stride_height = up_to(3);
    layer.stride_width = up_to(3);
    layer.pad_height = up_to(4) - 1;
    layer.pad_width = up_to(4) - 1;
    const auto size = [&](std::uint32_t filter, std::uint32_t pad) {
        const std::uint32_t wide = (filter - 1) * layer.dilation + 1;
        return std::max(wide > 2 * pad ? wide - 2 * pad : 1U, up_to(14));
    };
    layer.height = size(layer.filter_height, layer.pad_height);
    layer.width = size(layer.filter_width, layer.pad_width);
    layer.groups = 1 + up_to(random() % 3 == 0 ? 300 : 40);
    if (random() % 2 == 0) layer.groups = round_up(layer.groups.get(), 8U);
    layer.channels = layer.groups;
    layer.filters = layer.groups * (random() % 2 == 0 ? 1U : 1U << random() % 5);
    constexpr ProductKernel kKernels[] = {ProductKernel::kDepthwise, ProductKernel::kAuto,
                                          ProductKernel::kCudnn};
    config.kernel = kKernels[index % 3];
    return config;
}

/// Elements of the layer's output, without those that round it up.
inline std::uint64_t elements_of_output(const LayerConfig& layer) {
    const ConvolutionPass pass(layer, LayerPass::kForward);
    return pass.output_elements() / pass.output_pitch() * layer.filters;
}

}  // namespace tessera::test
