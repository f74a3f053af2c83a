#include "sc_models/workload/simt/simt_geometry.h"

#include <string>

#include "sc_models/common/error.h"
#include "sc_models/workload/simt/simt_product_kernel.h"

namespace tessera {
namespace {

std::int64_t to_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

std::uint64_t outputs(std::uint64_t size, std::int64_t pad, std::uint64_t filter,
                      std::int64_t stride, std::int64_t dilation, const char* axis) {
    const std::int64_t padded = to_signed(size) + 2 * pad;
    const std::int64_t covered = (to_signed(filter) - 1) * dilation + 1;
    if (covered > padded || pad < 0) {
        throw ConfigError(std::string("workload.layer.filter_") + axis + ": got '" +
                          std::to_string(filter) +
                          "', expected a filter that fits the padded input (" +
                          std::to_string(padded) + ") and is larger than a transposed layer's pad");
    }
    return static_cast<std::uint64_t>((padded - covered) / stride + 1);
}

}  // namespace

SimtGeometry SimtGeometry::make(const LayerConfig& layer) {
    if (layer.groups != 1) {
        throw ConfigError("workload.layer.groups: got '" + std::to_string(layer.groups) +
                          "', expected 1 with workload.kernel simt, winograd and fft");
    }
    SimtGeometry g;
    g.batch = layer.batch;
    g.height = layer.height, g.width = layer.width, g.channels = layer.channels;
    g.filters = layer.filters;
    g.filter_height = layer.filter_height, g.filter_width = layer.filter_width;
    g.pad_y = layer.pad_of_height(), g.pad_x = layer.pad_of_width();
    g.dilation = layer.dilation;
    if (layer.transposed) {
        g.up = layer.stride;
        g.pad_y = to_signed(g.filter_height) - 1 - g.pad_y;
        g.pad_x = to_signed(g.filter_width) - 1 - g.pad_x;
    } else {
        g.stride_y = layer.stride_of_height(), g.stride_x = layer.stride_of_width();
    }
    const auto up = static_cast<std::uint64_t>(g.up);
    g.out_height =
        outputs(g.height * up, g.pad_y, g.filter_height, g.stride_y, g.dilation, "height");
    g.out_width = outputs(g.width * up, g.pad_x, g.filter_width, g.stride_x, g.dilation, "width");
    return g;
}

std::uint64_t SimtGeometry::out_pitch() const {
    return simt_columns(filters);
}

std::int64_t SimtGeometry::input_at(std::uint64_t image, std::int64_t row, std::int64_t column,
                                    std::uint64_t c) const {
    if (row < 0 || column < 0 || row >= to_signed(height) || column >= to_signed(width)) return -1;
    return ((to_signed(image * height) + row) * to_signed(width) + column) * to_signed(channels) +
           to_signed(c);
}

std::int64_t SimtGeometry::input_of(std::uint64_t pixel, std::uint64_t y, std::uint64_t x,
                                    std::uint64_t c) const {
    const std::uint64_t of_image = out_height * out_width;
    const std::uint64_t at = pixel % of_image;
    const std::int64_t row = to_signed(at / out_width) * stride_y - pad_y + to_signed(y) * dilation;
    const std::int64_t column =
        to_signed(at % out_width) * stride_x - pad_x + to_signed(x) * dilation;
    if (row < 0 || column < 0 || row % up != 0 || column % up != 0) return -1;
    return input_at(pixel / of_image, row / up, column / up, c);
}

}  // namespace tessera
