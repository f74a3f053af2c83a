// Sliding windows over images, shared by convolutions and pooling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sc_models/network/operators.h"

namespace tessera::network {

/// Maximum number of spatial sides of an image; images of fewer have leading sides of 1.
inline constexpr std::size_t kImageSides = 3;
using ImageSides = std::array<std::int64_t, kImageSides>;

/// Sides, steps and padding of windows over images, from the attributes kernel_shape, strides,
/// dilations, pads and auto_pad. Along each side output o has taps at o x stride - pad_begin + t x
/// dilation.
struct Window {
    ImageSides image{1, 1, 1};   ///< spatial sides of the image under the windows
    ImageSides output{1, 1, 1};  ///< windows along each side
    ImageSides taps{1, 1, 1};
    ImageSides stride{1, 1, 1};
    ImageSides dilation{1, 1, 1};
    ImageSides pad_begin{0, 0, 0};
    ImageSides pad_end{0, 0, 0};
    std::size_t sides = 0;  ///< spatial sides of the tensors

    /// Windows over input 0: a convolution takes their sides from its filters, pooling from
    /// kernel_shape. Both throw for operands that ONNX does not allow.
    static Window of_convolution(const OperatorCall& call);
    static Window of_pooling(const OperatorCall& call);
    /// Windows of a transposed convolution: they slide over its output, one for each pixel of its
    /// input.
    static Window of_transposed_convolution(const OperatorCall& call);

    [[nodiscard]] std::size_t tap_count() const { return product(taps); }
    [[nodiscard]] std::size_t output_count() const { return product(output); }
    [[nodiscard]] std::size_t image_count() const { return product(image); }
    /// The last `sides` elements of an array, as a shape.
    [[nodiscard]] Shape shape_of(const ImageSides& all) const {
        return {all.end() - static_cast<std::ptrdiff_t>(sides), all.end()};
    }

    /// Calls `visit(window, pixel)` for every window whose tap `tap` lies inside the image, windows
    /// in order.
    template <class Visit>
    void for_each_window(std::size_t tap, const Visit& visit) const {
        const auto t = static_cast<std::int64_t>(tap);
        const ImageSides at = {t / taps[2] / taps[1], t / taps[2] % taps[1], t % taps[2]};
        const auto pixel = [&](std::size_t side, std::int64_t window) {
            return window * stride[side] - pad_begin[side] + at[side] * dilation[side];
        };
        const auto inside = [&](std::size_t side, std::int64_t x) {
            return x >= 0 && x < image[side];
        };
        for (std::int64_t d = 0; d < output[0]; ++d) {
            const std::int64_t z = pixel(0, d);
            if (!inside(0, z)) continue;
            for (std::int64_t h = 0; h < output[1]; ++h) {
                const std::int64_t y = pixel(1, h);
                if (!inside(1, y)) continue;
                const std::int64_t first_window = (d * output[1] + h) * output[2];
                const std::int64_t first_pixel = (z * image[1] + y) * image[2];
                for (std::int64_t w = 0; w < output[2]; ++w) {
                    const std::int64_t x = pixel(2, w);
                    if (!inside(2, x)) continue;
                    visit(static_cast<std::size_t>(first_window + w),
                          static_cast<std::size_t>(first_pixel + x));
                }
            }
        }
    }

private:
    static std::size_t product(const ImageSides& all) {
        return static_cast<std::size_t>(all[0]) * static_cast<std::size_t>(all[1]) *
               static_cast<std::size_t>(all[2]);
    }
    /// Reads image, taps, strides and dilations.
    Window(const OperatorCall& call, const Shape& taps_given);
    [[nodiscard]] std::int64_t reach(std::size_t side) const {
        return (taps[side] - 1) * dilation[side] + 1;
    }
    /// Computes output sides and padding of windows over an image of known sides.
    void place(const OperatorCall& call);
};

}  // namespace tessera::network
