// Random depthwise convolutions.
#pragma once

#include <cstdint>
#include <random>

#include "sc_models/workload/depthwise/depthwise_convolution.h"
#include "tests/support/random_layers.h"

namespace tessera::test {

/// Windows as draw_window() has them; channels that fill vectors and such that do not, multipliers
/// from 1 to 16.
inline WorkloadConfig random_depthwise_convolution(std::mt19937_64& random, std::uint32_t index) {
    const auto up_to = [&random](std::uint32_t most) { return draw_up_to(random, most); };
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    LayerConfig& layer = config.layer;
    draw_window(random, layer);
    layer.groups = 1 + up_to(random() % 3 == 0 ? 300 : 40);
    if (random() % 2 == 0) layer.groups = round_up(layer.groups, 8U);
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
