// A convolution layer computed from its description and nothing else, and a change of every field.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sc_models/config/workload_config.h"

namespace tessera::test {

/// Elements of the layer's own tensors.
using NaiveInput =
    std::function<double(std::uint64_t n, std::uint64_t y, std::uint64_t x, std::uint64_t channel)>;
/// `channel` counts within the filter's group.
using NaiveFilter = std::function<double(std::uint64_t filter, std::uint64_t y, std::uint64_t x,
                                         std::uint64_t channel)>;

/// Output of a layer.
struct NaiveOutput {
    std::uint64_t height = 0, width = 0, filters = 0;
    std::vector<double> values;  ///< NHWC

    [[nodiscard]] double at(std::uint64_t n, std::uint64_t y, std::uint64_t x,
                            std::uint64_t filter) const {
        return values[((n * height + y) * width + x) * filters + filter];
    }
};

/// Makes the padded image, for a transposed layer with zeros inserted, of every channel, and puts
/// the filter on every place of it.
inline NaiveOutput naive_layer(const LayerConfig& l, const NaiveInput& input,
                               const NaiveFilter& filter) {
    const std::uint64_t insert = l.transposed ? std::uint64_t{l.stride} : 1;
    const std::uint64_t step = l.transposed ? 1 : std::uint64_t{l.stride};
    const auto pad_of = [&l](std::uint32_t pad) {
        return std::uint64_t{l.transposed ? l.filter_height - 1 - l.pad : pad};
    };
    const std::uint64_t pad_y = pad_of(l.pad_of_height()), pad_x = pad_of(l.pad_of_width());
    const std::uint64_t height = l.height * insert + 2 * pad_y;
    const std::uint64_t width = l.width * insert + 2 * pad_x;
    std::vector<double> padded(l.batch * l.channels * height * width);
    for (std::uint64_t plane = 0; plane < std::uint64_t{l.batch} * l.channels; ++plane) {
        for (std::uint64_t y = 0; y < l.height; ++y) {
            for (std::uint64_t x = 0; x < l.width; ++x) {
                padded[(plane * height + pad_y + y * insert) * width + pad_x + x * insert] =
                    input(plane / l.channels, y, x, plane % l.channels);
            }
        }
    }
    NaiveOutput out;
    out.height = (height - l.filter_height) / step + 1;
    out.width = (width - l.filter_width) / step + 1;
    out.filters = l.filters;
    const std::uint64_t channels = l.channels / l.groups;
    for (std::uint64_t n = 0; n < l.batch; ++n) {
        for (std::uint64_t y = 0; y < out.height; ++y) {
            for (std::uint64_t x = 0; x < out.width; ++x) {
                for (std::uint64_t f = 0; f < l.filters; ++f) {
                    const std::uint64_t group = f / (l.filters / l.groups);
                    double sum = 0;
                    for (std::uint64_t c = 0; c < channels; ++c) {
                        const std::uint64_t plane = n * l.channels + group * channels + c;
                        for (std::uint64_t fy = 0; fy < l.filter_height; ++fy) {
                            for (std::uint64_t fx = 0; fx < l.filter_width; ++fx) {
                                sum += padded[(plane * height + y * step + fy) * width + x * step +
                                              fx] *
                                       filter(f, fy, fx, c);
                            }
                        }
                    }
                    out.values.push_back(sum);
                }
            }
        }
    }
    return out;
}

/// A layer every field of which can be changed, and which is in groups.
inline LayerConfig layer_to_change() {
    return {"", 2, 6, 7, 8, 8, 3, 3, 1, 2, false, 2};
}

/// For every key of workload.layer that a result depends on, changes of it.
inline const std::vector<std::pair<const char*, std::function<void(LayerConfig&)>>>&
layer_changes() {
    static const std::vector<std::pair<const char*, std::function<void(LayerConfig&)>>> kAll = {
        {"batch", [](LayerConfig& l) { l.batch = 3; }},
        {"height", [](LayerConfig& l) { l.height = 7; }},
        {"width", [](LayerConfig& l) { l.width = 8; }},
        {"channels", [](LayerConfig& l) { l.channels = 12; }},
        {"filters", [](LayerConfig& l) { l.filters = 12; }},
        {"filter_height", [](LayerConfig& l) { l.filter_height = 2; }},
        {"filter_width", [](LayerConfig& l) { l.filter_width = 2; }},
        {"pad", [](LayerConfig& l) { l.pad = 0; }},
        {"stride", [](LayerConfig& l) { l.stride = 1; }},
        {"transposed", [](LayerConfig& l) { l.transposed = true; }},
        {"groups", [](LayerConfig& l) { l.groups = 1; }},
        {"groups", [](LayerConfig& l) { l.groups = 4; }},
        {"groups", [](LayerConfig& l) { l.groups = 8; }},
    };
    return kAll;
}

}  // namespace tessera::test
