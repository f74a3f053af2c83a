// Geometry of a convolution layer computed directly, in any of its three passes.
#pragma once

#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/config/workload_config.h"

namespace tessera {

/// Every pass of a layer (NCHW, FP32) as one correlation of planes:
///
///     out[y][x] += sum over r, kh, kw of in[y * stride + kh][x * stride + kw] * w[kh][kw]
///
/// | pass            | planes of the output | in[r]                   | w[r]                  |
/// |-----------------|----------------------|-------------------------|-----------------------|
/// | forward         | (n, filter)          | padded input (n, c)     | filter's channel      |
/// | backward_data   | (n, channel)         | padded gradient (n, o)  | the filter, turned    |
/// | backward_weight | (filter, channel)    | padded input (n, c)     | gradient (n, filter)  |
///
/// The weight gradient is summed over the images too, which add to the same planes. A fully
/// connected layer (one row, filters as wide as it) runs backward as products with the transposed
/// weights, vectors of `filters` elements. Input planes are stored padded. Images begin at
/// multiples of DirectConfig::image_alignment_bytes.
struct DirectGeometry {
    LayerPass pass = LayerPass::kForward;
    bool transposed_product = false;  ///< backward_data of a fully connected layer
    std::uint32_t batch = 0;
    std::uint32_t planes = 0;     ///< of the output, of one image
    std::uint32_t in_planes = 0;  ///< of the input, of one image
    std::uint32_t reduction = 0;  ///< input planes that an output plane sums over
    std::uint32_t planes_per_group = 0;
    std::uint32_t in_height = 0, in_width = 0;  ///< padded
    std::uint32_t pad_y = 0, pad_x = 0;         ///< padding included in these, on each side
    std::uint32_t kernel_height = 0, kernel_width = 0;
    std::uint32_t stride = 1;
    std::uint32_t out_height = 0, out_width = 0;
    std::uint64_t in_image = 0, out_image = 0;  ///< floats between images
    std::uint64_t weight_image = 0;             ///< the same for weights; 0: all images share them
    std::uint64_t input_floats = 0, weight_floats = 0, output_floats = 0;

    /// Throws ConfigError for a filter larger than its padded input, and for backward passes of
    /// layers with a stride or groups.
    [[nodiscard]] static DirectGeometry make(const LayerConfig& layer, LayerPass pass,
                                             const DirectConfig& direct);

    /// Floats from the start of the input to plane `r` in the sum of output plane `plane`.
    [[nodiscard]] std::uint64_t input_plane(std::uint32_t image, std::uint32_t plane,
                                            std::uint32_t r) const;
    [[nodiscard]] std::uint64_t weight_plane(std::uint32_t image, std::uint32_t plane,
                                             std::uint32_t r) const;
    [[nodiscard]] std::uint64_t output_plane(std::uint32_t image, std::uint32_t plane) const;

    /// Vector operations summed per output.
    [[nodiscard]] std::uint32_t operations_per_output() const {
        const std::uint32_t images = pass == LayerPass::kBackwardWeight ? batch : 1;
        return reduction * kernel_height * images;
    }
    [[nodiscard]] std::uint64_t outputs() const {
        const std::uint64_t images = pass == LayerPass::kBackwardWeight ? 1 : batch;
        return images * planes * out_height * out_width;
    }
    [[nodiscard]] std::uint64_t multiplications() const {
        return outputs() * operations_per_output() * kernel_width;
    }
};

}  // namespace tessera
