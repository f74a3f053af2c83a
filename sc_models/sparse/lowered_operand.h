// Lowering of a sparse feature map to an operand of a matrix product (bitmap-based im2col).
#pragma once

#include <cstdint>

#include "sc_models/sparse/bitmap_matrix.h"

namespace tessera {

/// Parameters of the lowering of a convolution over NHWC feature maps.
struct LoweringShape {
    std::uint32_t batch = 1;
    std::uint32_t height = 0, width = 0, channels = 0;
    std::uint32_t filter_height = 1, filter_width = 1;
    std::uint32_t pad = 0, stride = 1;

    /// B = (R - K + S) / S of the paper (IV-A), where R is the padded row.
    [[nodiscard]] std::uint32_t output_height() const {
        return (height + 2 * pad - filter_height + stride) / stride;
    }
    [[nodiscard]] std::uint32_t output_width() const {
        return (width + 2 * pad - filter_width + stride) / stride;
    }
    [[nodiscard]] std::uint64_t pixels() const { return std::uint64_t{batch} * height * width; }
    /// Lines of the lowered operand: output pixels, image by image.
    [[nodiscard]] std::uint64_t lines() const {
        return std::uint64_t{batch} * output_height() * output_width();
    }
    /// k of the lowered operand: (filter row, filter column, channel).
    [[nodiscard]] std::uint64_t k() const {
        return std::uint64_t{filter_height} * filter_width * channels;
    }
};

/// Lowers a feature map: `map` has a line per pixel and a k per channel, the result a line per
/// output pixel and a k per filter tap and channel, zeros if a tap lies in the padding. The result
/// equals that of an implicit im2col tile by tile and the memory image of an explicit one. Values
/// are copied if `values` is set and `map` has them. Memory beside the result: one bit per element
/// of the map. Throws ConfigError if the map does not have that shape or a filter exceeds its
/// image.
[[nodiscard]] BitmapMatrix lower_feature_map(const BitmapMatrix& map, const LoweringShape& shape,
                                             bool values);

}  // namespace tessera
