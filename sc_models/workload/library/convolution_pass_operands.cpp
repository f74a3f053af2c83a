#include "sc_models/workload/library/convolution_pass_operands.h"

#include <algorithm>

namespace tessera {
namespace {

std::int64_t outputs(std::int64_t size, std::int64_t pad, std::int64_t filter,
                     std::int64_t dilation, std::int64_t stride) {
    return (size + 2 * pad - dilation * (filter - 1) - 1) / stride + 1;
}

}  // namespace

ConvolutionPassOperands::ConvolutionPassOperands(const LayerConfig& layer, LayerPass pass,
                                                 SumOrder order, const Tensors& tensors)
    : layer_(layer),
      pass_(pass),
      order_(order),
      tensors_(tensors),
      out_height_(outputs(layer.height, layer.pad_of_height(), layer.filter_height, layer.dilation,
                          layer.stride_of_height())),
      out_width_(outputs(layer.width, layer.pad_of_width(), layer.filter_width, layer.dilation,
                         layer.stride_of_width())),
      channels_(layer.channels / layer.groups),
      filters_(layer.filters / layer.groups),
      columns_of_tap_(round_up(channels_, std::uint64_t{32})),
      k_of_tap_(
          round_up(pass == LayerPass::kBackwardData ? filters_ : channels_, std::uint64_t{32})) {}

void ConvolutionPassOperands::select(std::uint32_t group, std::int64_t class_y,
                                     std::int64_t class_x, std::uint64_t k) {
    group_ = group;
    class_y_ = class_y;
    class_x_ = class_x;
    k_ = k;
}

HalfBits ConvolutionPassOperands::input(std::uint64_t image, std::int64_t y, std::int64_t x,
                                        std::uint64_t channel) const {
    if (y < 0 || y >= layer_.height || x < 0 || x >= layer_.width || channel >= channels_) return 0;
    const std::uint64_t pixel =
        (image * layer_.height + static_cast<std::uint64_t>(y)) * layer_.width +
        static_cast<std::uint64_t>(x);
    return (*tensors_.input)(pixel * layer_.channels + group_ * channels_ + channel);
}

HalfBits ConvolutionPassOperands::gradient(std::uint64_t image, std::int64_t y, std::int64_t x,
                                           std::uint64_t filter) const {
    if (y < 0 || y >= out_height_ || x < 0 || x >= out_width_ || filter >= filters_) return 0;
    const std::uint64_t pixel =
        (image * static_cast<std::uint64_t>(out_height_) + static_cast<std::uint64_t>(y)) *
            static_cast<std::uint64_t>(out_width_) +
        static_cast<std::uint64_t>(x);
    return (*tensors_.output_gradient)(pixel * layer_.filters + group_ * filters_ + filter);
}

HalfBits ConvolutionPassOperands::weight(std::uint64_t filter, std::int64_t y, std::int64_t x,
                                         std::uint64_t channel) const {
    if (filter >= filters_ || channel >= channels_) return 0;
    const std::uint64_t tap =
        ((group_ * filters_ + filter) * layer_.filter_height + static_cast<std::uint64_t>(y)) *
            layer_.filter_width +
        static_cast<std::uint64_t>(x);
    return (*tensors_.filters)(tap * channels_ + channel);
}

/// Position of element `inner` of the `tap`th tap of the class in a row of k.
std::uint64_t ConvolutionPassOperands::k_index(std::uint64_t tap, std::uint64_t inner) const {
    if (order_ == SumOrder::kTapsOuter) return tap * k_of_tap_ + inner;
    const std::uint64_t taps = k_ / k_of_tap_;
    return (inner / 32 * taps + tap) * 32 + inner % 32;
}

void ConvolutionPassOperands::a_row(std::uint64_t row, HalfBits* out) const {
    std::fill_n(out, k_, HalfBits{0});
    const std::int64_t stride_y = layer_.stride_of_height(), stride_x = layer_.stride_of_width();
    const std::int64_t pad_y = layer_.pad_of_height(), pad_x = layer_.pad_of_width();
    const std::int64_t dilation = layer_.dilation;
    if (pass_ == LayerPass::kBackwardWeight) {
        for (std::uint64_t image = 0; image < layer_.batch; ++image) {
            for (std::int64_t y = 0; y < out_height_; ++y) {
                for (std::int64_t x = 0; x < out_width_; ++x) *out++ = gradient(image, y, x, row);
            }
        }
        return;
    }
    const bool forward = pass_ == LayerPass::kForward;
    const std::int64_t height =
        forward ? out_height_ : (layer_.height - class_y_ + stride_y - 1) / stride_y;
    const std::int64_t width =
        forward ? out_width_ : (layer_.width - class_x_ + stride_x - 1) / stride_x;
    const auto position = static_cast<std::int64_t>(row);
    const auto image = static_cast<std::uint64_t>(position / (height * width));
    const std::int64_t y = position / width % height, x = position % width;
    std::uint64_t met = 0;
    for (std::int64_t tap_y = 0; tap_y < layer_.filter_height; ++tap_y) {
        for (std::int64_t tap_x = 0; tap_x < layer_.filter_width; ++tap_x) {
            if (forward) {
                for (std::uint64_t c = 0; c < k_of_tap_; ++c) {
                    out[k_index(met, c)] = input(image, y * stride_y - pad_y + tap_y * dilation,
                                                 x * stride_x - pad_x + tap_x * dilation, c);
                }
                ++met;
                continue;
            }
            const std::int64_t at_y = y * stride_y + class_y_ + pad_y - tap_y * dilation;
            const std::int64_t at_x = x * stride_x + class_x_ + pad_x - tap_x * dilation;
            if (at_y % stride_y != 0 || at_x % stride_x != 0) continue;
            for (std::uint64_t f = 0; f < k_of_tap_; ++f) {
                out[k_index(met, f)] = gradient(image, at_y / stride_y, at_x / stride_x, f);
            }
            ++met;
        }
    }
}

void ConvolutionPassOperands::b_column(std::uint64_t column, HalfBits* out) const {
    std::fill_n(out, k_, HalfBits{0});
    const std::int64_t stride_y = layer_.stride_of_height(), stride_x = layer_.stride_of_width();
    const std::int64_t pad_y = layer_.pad_of_height(), pad_x = layer_.pad_of_width();
    const std::int64_t dilation = layer_.dilation;
    if (pass_ == LayerPass::kBackwardWeight) {
        const std::uint64_t tap = column / columns_of_tap_;
        const auto tap_y = static_cast<std::int64_t>(tap / layer_.filter_width);
        const auto tap_x = static_cast<std::int64_t>(tap % layer_.filter_width);
        for (std::uint64_t image = 0; image < layer_.batch; ++image) {
            for (std::int64_t y = 0; y < out_height_; ++y) {
                for (std::int64_t x = 0; x < out_width_; ++x) {
                    *out++ =
                        input(image, y * stride_y - pad_y + tap_y * dilation,
                              x * stride_x - pad_x + tap_x * dilation, column % columns_of_tap_);
                }
            }
        }
        return;
    }
    std::uint64_t met = 0;
    for (std::int64_t tap_y = 0; tap_y < layer_.filter_height; ++tap_y) {
        for (std::int64_t tap_x = 0; tap_x < layer_.filter_width; ++tap_x) {
            if (pass_ == LayerPass::kForward) {
                for (std::uint64_t c = 0; c < k_of_tap_; ++c) {
                    out[k_index(met, c)] = weight(column, tap_y, tap_x, c);
                }
                ++met;
                continue;
            }
            // The taps of a class do not depend on the pixel.
            if ((class_y_ + pad_y - tap_y * dilation) % stride_y != 0) continue;
            if ((class_x_ + pad_x - tap_x * dilation) % stride_x != 0) continue;
            for (std::uint64_t f = 0; f < k_of_tap_; ++f) {
                out[k_index(met, f)] = weight(f, tap_y, tap_x, column);
            }
            ++met;
        }
    }
}

}  // namespace tessera
