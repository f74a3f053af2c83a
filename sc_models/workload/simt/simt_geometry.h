// Geometry of a forward convolution that the CUDA cores compute in FP32.
#pragma once

#include <cstdint>

#include "sc_models/config/workload_config.h"

namespace tessera {

/// Forward convolution of workload.layer: NHWC input, KHWC filters, NHWC output whose pixels are
/// out_pitch() floats. Of a transposed layer zeros are inserted, stride - 1 behind each pixel and
/// row, and a convolution of stride 1 and pad F - 1 - pad follows.
struct SimtGeometry {
    std::uint64_t batch = 0, height = 0, width = 0, channels = 0;
    std::uint64_t filters = 0, filter_height = 0, filter_width = 0;
    std::int64_t pad_y = 0, pad_x = 0;
    std::int64_t stride_y = 1, stride_x = 1, dilation = 1;
    std::int64_t up = 1;  ///< input rows and columns from one that is no inserted zero to the next
    std::uint64_t out_height = 0, out_width = 0;

    /// Throws ConfigError for groups, and for a filter larger than its padded input.
    [[nodiscard]] static SimtGeometry make(const LayerConfig& layer);

    [[nodiscard]] std::uint64_t taps() const { return filter_height * filter_width; }
    /// Products summed for an output, those with zeros included.
    [[nodiscard]] std::uint64_t depth() const { return taps() * channels; }
    [[nodiscard]] std::uint64_t pixels() const { return batch * out_height * out_width; }
    [[nodiscard]] std::uint64_t input_floats() const { return batch * height * width * channels; }
    [[nodiscard]] std::uint64_t out_pitch() const;

    /// Input float of channel `c` at tap (y, x) of output pixel `pixel`, -1 for a zero.
    [[nodiscard]] std::int64_t input_of(std::uint64_t pixel, std::uint64_t y, std::uint64_t x,
                                        std::uint64_t c) const;
    /// Input float at (row, column) of an image, zeros not inserted; -1 outside.
    [[nodiscard]] std::int64_t input_at(std::uint64_t image, std::int64_t row, std::int64_t column,
                                        std::uint64_t c) const;
};

}  // namespace tessera
