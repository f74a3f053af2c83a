#include "sc_models/workload/fragment/convolution_geometry.h"

#include <limits>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

void require(bool good, const std::string& message) {
    if (!good) throw ConfigError("workload.layer." + message);
}

std::string got(const char* key, std::uint64_t value) {
    return std::string(key) + ": got " + std::to_string(value) + ", expected ";
}

std::uint32_t pad_channels(std::uint32_t channels, ChannelRule rule) {
    switch (rule) {
        case ChannelRule::kPad16:
            return round_up(channels, 16U);
        case ChannelRule::kPad8FilterRow:
            return round_up(channels, 8U);
        case ChannelRule::kDense:
            return channels;
    }
    throw std::logic_error("unknown channel rule");
}

void check_layer(const LayerConfig& layer) {
    require(layer.batch > 0, got("batch", layer.batch) + "at least 1");
    require(layer.height > 0, got("height", layer.height) + "at least 1");
    require(layer.width > 0, got("width", layer.width) + "at least 1");
    require(layer.channels > 0, got("channels", layer.channels) + "at least 1");
    require(layer.filters > 0, got("filters", layer.filters) + "at least 1");
    require(layer.filter_height > 0, got("filter_height", layer.filter_height) + "at least 1");
    require(layer.filter_width > 0, got("filter_width", layer.filter_width) + "at least 1");
    require(layer.stride > 0, got("stride", layer.stride) + "at least 1");
    require(layer.groups > 0, got("groups", layer.groups) + "at least 1");
    check_groups(layer);
    if (!layer.transposed) return;
    require(
        layer.filter_height == layer.filter_width,
        got("filter_width", layer.filter_width) +
            "the filter_height of a transposed layer: its padding must be the same on all sides");
    require(layer.pad < layer.filter_height,
            got("pad", layer.pad) + "less than filter_height for a transposed layer");
}

}  // namespace

ConvolutionGeometry ConvolutionGeometry::make(const LayerConfig& layer, ChannelRule rule) {
    check_layer(layer);
    ConvolutionGeometry g;
    g.rule = rule;
    constexpr std::uint64_t kLimit = std::numeric_limits<std::int32_t>::max();
    require(std::uint64_t{layer.batch} * layer.groups <= kLimit,
            got("batch", layer.batch) + "an output of less than 2^31 pixels");
    g.groups = layer.groups;
    g.batch = layer.groups * layer.batch;
    g.height = layer.height;
    g.width = layer.width;
    g.channels = layer.channels / layer.groups;
    g.filters = layer.filters / layer.groups;
    g.filter_height = layer.filter_height;
    g.filter_width = layer.filter_width;
    g.up_factor = layer.transposed ? layer.stride : 1;
    g.stride = layer.transposed ? 1 : layer.stride;
    g.pad = layer.transposed ? layer.filter_height - 1 - layer.pad : layer.pad;
    g.padded_channels = pad_channels(g.channels, rule);
    g.inserted_height = layer.height * g.up_factor;
    g.inserted_width = layer.width * g.up_factor;
    g.padded_height = g.inserted_height + 2 * g.pad;
    g.padded_width = g.inserted_width + 2 * g.pad;
    require(g.padded_height >= g.filter_height, got("filter_height", g.filter_height) +
                                                    "at most the padded input height " +
                                                    std::to_string(g.padded_height));
    require(g.padded_width >= g.filter_width, got("filter_width", g.filter_width) +
                                                  "at most the padded input width " +
                                                  std::to_string(g.padded_width));
    g.output_height = (g.padded_height - g.filter_height) / g.stride + 1;
    g.output_width = (g.padded_width - g.filter_width) / g.stride + 1;
    g.filter_row = g.filter_width * g.padded_channels;
    g.filter_row_pitch =
        rule == ChannelRule::kPad8FilterRow ? round_up(g.filter_row, 16U) : g.filter_row;
    g.m = std::uint64_t{g.batch} * g.output_height * g.output_width;
    g.n = g.filters;
    g.k = std::uint64_t{g.filter_height} * g.filter_row_pitch;
    g.k_pitch = round_up(g.k, std::uint64_t{16});
    g.k_unpadded = std::uint64_t{g.filter_height} * g.filter_width * g.channels;
    require(g.m <= kLimit, got("batch", layer.batch) + "an output of less than 2^31 pixels");
    require(g.k_pitch <= kLimit / 2,
            got("channels", layer.channels) + "filters of less than 2^30 weights");
    return g;
}

std::uint64_t ConvolutionGeometry::padded_index(std::uint64_t row, std::uint64_t column) const {
    const std::uint64_t outputs = std::uint64_t{output_height} * output_width;
    const std::uint64_t image = row / outputs;
    const std::uint64_t y = row % outputs / output_width;
    const std::uint64_t x = row % output_width;
    const std::uint64_t filter_y = column / filter_row_pitch;
    const std::uint64_t offset = column % filter_row_pitch;
    const std::uint64_t pixel = (y * stride + filter_y) * padded_width + x * stride;
    return image * padded_image() + pixel * padded_channels + offset;
}

std::optional<std::uint64_t> ConvolutionGeometry::raw_index(std::uint64_t padded_index) const {
    const std::uint64_t channel = padded_index % padded_channels;
    const std::uint64_t pixel = padded_index / padded_channels;
    const std::uint64_t column = pixel % padded_width;
    const std::uint64_t line = pixel / padded_width % padded_height;
    const std::uint64_t image = padded_index / padded_image();
    if (image >= batch) return std::nullopt;
    if (line < pad || line >= pad + inserted_height) return std::nullopt;
    if (column < pad || column >= pad + inserted_width) return std::nullopt;
    const std::uint64_t y = line - pad;
    const std::uint64_t x = column - pad;
    if (y % up_factor != 0 || x % up_factor != 0) return std::nullopt;
    return ((image * height + y / up_factor) * width + x / up_factor) * padded_channels + channel;
}

std::optional<std::uint64_t> ConvolutionGeometry::tap(std::uint64_t column) const {
    if (column >= k) return std::nullopt;
    const std::uint64_t filter_y = column / filter_row_pitch;
    const std::uint64_t offset = column % filter_row_pitch;
    const std::uint64_t filter_x = offset / padded_channels;
    const std::uint64_t channel = offset % padded_channels;
    if (offset >= filter_row || channel >= channels) return std::nullopt;
    return (filter_y * filter_width + filter_x) * channels + channel;
}

}  // namespace tessera
