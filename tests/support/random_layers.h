// Random windows of convolutions, small and ragged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "sc_models/config/workload_config.h"

namespace tessera::test {

/// 1 to `most`.
inline std::uint32_t draw_up_to(std::mt19937_64& random, std::uint32_t most) {
    return static_cast<std::uint32_t>(1 + random() % most);
}

/// Up to three images for filters of 1x1 to 5x5: strides 1 to 3, padding 0 to 3 and dilation 1 or
/// 2, each axis by itself, and never less than one pixel of output. Channels, filters and groups
/// are the caller's.
inline void draw_window(std::mt19937_64& random, LayerConfig& layer) {
    layer.batch = draw_up_to(random, 3);
    layer.filter_height = draw_up_to(random, 5);
    layer.filter_width = draw_up_to(random, 5);
    layer.dilation = draw_up_to(random, 2);
    layer.stride_height = draw_up_to(random, 3);
    layer.stride_width = draw_up_to(random, 3);
    layer.pad_height = draw_up_to(random, 4) - 1;
    layer.pad_width = draw_up_to(random, 4) - 1;
    const auto size = [&](std::uint32_t filter, std::uint32_t pad) {
        const std::uint32_t wide = (filter - 1) * layer.dilation + 1;
        return std::max(wide > 2 * pad ? wide - 2 * pad : 1U, draw_up_to(random, 14));
    };
    layer.height = size(layer.filter_height, layer.pad_height);
    layer.width = size(layer.filter_width, layer.pad_width);
}

}  // namespace tessera::test
