// Random products and convolutions for the FP32 kernels of the CUDA cores.
#pragma once

#include <cstdint>
#include <random>

#include "sc_models/workload/simt/fft_convolution.h"
#include "sc_models/workload/simt/simt_convolution.h"
#include "sc_models/workload/simt/winograd_convolution.h"
#include "tests/support/random_layers.h"

namespace tessera::test {

inline WorkloadConfig simt_product(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.kernel = ProductKernel::kSimt;
    config.gemm = {m, n, k};
    return config;
}

/// Up to two tiles each way, ragged.
inline WorkloadConfig random_simt_product(std::mt19937_64& random) {
    return simt_product(draw_up_to(random, 200), draw_up_to(random, 200), draw_up_to(random, 40));
}

inline WorkloadConfig random_simt_convolution(std::mt19937_64& random, bool transposed) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    config.kernel = ProductKernel::kSimt;
    LayerConfig& layer = config.layer;
    draw_window(random, layer);
    layer.channels = draw_up_to(random, 12);
    layer.filters = draw_up_to(random, random() % 3 == 0 ? 100 : 20);
    if (!transposed) return config;
    layer.transposed = true;
    layer.stride_height = layer.stride_width = LayerConfig::kSame;
    layer.stride = draw_up_to(random, 3);
    layer.dilation = 1;
    layer.pad_height = draw_up_to(random, layer.filter_height) - 1;
    layer.pad_width = draw_up_to(random, layer.filter_width) - 1;
    layer.height = layer.filter_height + draw_up_to(random, 4);
    layer.width = layer.filter_width + draw_up_to(random, 4);
    return config;
}

/// 3x3 filters, odd and even outputs, with and without padding.
inline WorkloadConfig random_winograd_convolution(std::mt19937_64& random) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    config.kernel = ProductKernel::kWinograd;
    LayerConfig& layer = config.layer;
    layer.batch = draw_up_to(random, 2);
    layer.height = 2 + draw_up_to(random, 8);
    layer.width = 2 + draw_up_to(random, 8);
    layer.pad = draw_up_to(random, 3) - 1;
    layer.channels = draw_up_to(random, 40);
    layer.filters = draw_up_to(random, random() % 3 == 0 ? 100 : 20);
    return config;
}

/// Filters of up to 7 x 7, outputs of up to two tiles each way.
inline WorkloadConfig random_fft_convolution(std::mt19937_64& random) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    config.kernel = ProductKernel::kFft;
    LayerConfig& layer = config.layer;
    layer.batch = draw_up_to(random, 2);
    layer.filter_height = draw_up_to(random, 7);
    layer.filter_width = draw_up_to(random, 7);
    layer.height = layer.filter_height + draw_up_to(random, 16);
    layer.width = layer.filter_width + draw_up_to(random, 16);
    layer.pad = draw_up_to(random, 3) - 1;
    layer.stride = 1;
    layer.channels = draw_up_to(random, 12);
    layer.filters = draw_up_to(random, random() % 3 == 0 ? 40 : 10);
    return config;
}

}  // namespace tessera::test
