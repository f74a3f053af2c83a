#include "sc_models/workload/fragment/convolution_operands.h"

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

/// An axis of the layer, which maps an output coordinate and a tap to an input coordinate.
struct Axis {
    std::int64_t size, filter, pad, stride;
    bool transposed;

    [[nodiscard]] std::uint32_t outputs() const {
        // A transposed layer is a convolution of stride 1 over its input with stride - 1 zeros
        // behind every pixel, padded so that filter - 1 - pad are cropped at the edges.
        const std::int64_t last = transposed ? size * stride + filter - 1 - 2 * pad - 1
                                             : (size + 2 * pad - filter) / stride;
        return static_cast<std::uint32_t>(last + 1);
    }

    [[nodiscard]] std::optional<std::uint64_t> input(std::uint64_t output,
                                                     std::uint32_t tap) const {
        const auto at = static_cast<std::int64_t>(output);
        std::int64_t i = at * stride + tap - pad;
        if (transposed) {
            i = at + tap - (filter - 1 - pad);
            if (i % stride != 0) return std::nullopt;
            i /= stride;
        }
        if (i < 0 || i >= size) return std::nullopt;
        return static_cast<std::uint64_t>(i);
    }
};

Axis rows_of(const LayerConfig& l) {
    return {l.height, l.filter_height, l.pad, l.stride, l.transposed};
}
Axis columns_of(const LayerConfig& l) {
    return {l.width, l.filter_width, l.pad, l.stride, l.transposed};
}

}  // namespace

ConvolutionOperands::ConvolutionOperands(const LayerConfig& layer, const ConvolutionGeometry& order,
                                         const ValueGenerator& activations,
                                         const ValueGenerator& weights)
    : layer_(layer),
      order_(order),
      weights_(weights),
      channels_(layer.channels / layer.groups),
      output_height_(rows_of(layer).outputs()),
      output_width_(columns_of(layer).outputs()),
      input_(std::uint64_t{layer.batch} * layer.height * layer.width * layer.channels) {
    for (std::uint64_t i = 0; i < input_.size(); ++i) input_[i] = activations(i);
}

void ConvolutionOperands::a_row(std::uint64_t row, HalfBits* out) const {
    const std::uint64_t x = row % output_width_;
    const std::uint64_t y = row / output_width_ % output_height_;
    const std::uint64_t image = row / output_width_ / output_height_;
    std::fill_n(out, order_.k_pitch, HalfBits{0});
    for (std::uint32_t fy = 0; fy < layer_.filter_height; ++fy) {
        const auto line = rows_of(layer_).input(y, fy);
        if (!line) continue;
        for (std::uint32_t fx = 0; fx < layer_.filter_width; ++fx) {
            const auto column = columns_of(layer_).input(x, fx);
            if (!column) continue;
            const std::uint64_t pixel = (image * layer_.height + *line) * layer_.width + *column;
            std::copy_n(&input_[pixel * layer_.channels + std::uint64_t{group_} * channels_],
                        channels_,
                        out + fy * order_.filter_row_pitch + fx * order_.padded_channels);
        }
    }
}

void ConvolutionOperands::b_column(std::uint64_t column, HalfBits* out) const {
    const std::uint64_t filter = group_ * (layer_.filters / layer_.groups) + column;
    std::uint64_t weight = filter * layer_.filter_height * layer_.filter_width * channels_;
    std::fill_n(out, order_.k_pitch, HalfBits{0});
    for (std::uint32_t fy = 0; fy < layer_.filter_height; ++fy) {
        for (std::uint32_t fx = 0; fx < layer_.filter_width; ++fx) {
            HalfBits* pixel = out + fy * order_.filter_row_pitch + fx * order_.padded_channels;
            for (std::uint32_t c = 0; c < channels_; ++c) pixel[c] = weights_(weight++);
        }
    }
}

}  // namespace tessera
