#include "sc_models/workload/direct/direct_convolution_geometry.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"
#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {
namespace {

void check_filter(std::uint32_t filter, std::uint32_t padded, const char* filter_key,
                  const char* input_key) {
    if (filter <= padded) return;
    throw ConfigError(
        fmt::format("workload.layer.{}: got '{}', expected at most the padded input ({}, "
                    "workload.layer.{} and workload.layer.pad)",
                    filter_key, filter, padded, input_key));
}

bool fully_connected(const LayerConfig& layer) {
    return layer.height == 1 && layer.filter_height == 1 && layer.channels == 1 &&
           layer.pad_of_height() == 0 && layer.pad_of_width() == 0 &&
           layer.filter_width == layer.width;
}

/// Sizes of the padded input and of the output of the forward pass.
struct Forward {
    std::uint32_t height, width, out_height, out_width;

    explicit Forward(const LayerConfig& layer)
        : height(layer.height + 2 * layer.pad_of_height()),
          width(layer.width + 2 * layer.pad_of_width()) {
        check_filter(layer.filter_height, height, "filter_height", "height");
        check_filter(layer.filter_width, width, "filter_width", "width");
        out_height = (height - layer.filter_height) / layer.stride + 1;
        out_width = (width - layer.filter_width) / layer.stride + 1;
    }
};

/// Refuses a padding of a backward pass that is not less than the filter along its axis. `key` sets
/// it unless `of_axis` is kSame.
void check_pad(const LayerConfig& layer, std::uint32_t of_axis, std::uint32_t pad,
               std::uint32_t filter, const char* key) {
    if (pad < filter) return;
    throw ConfigError(fmt::format(
        "workload.layer.{}: got '{}', expected less than the filter ({} x {}) in a "
        "backward pass (workload.pass)",
        of_axis == LayerConfig::kSame ? "pad" : key, pad, layer.filter_height, layer.filter_width));
}

void check_layer(const LayerConfig& layer, LayerPass pass, const DirectConfig& direct) {
    if (layer.transposed) {
        throw ConfigError(
            "workload.layer.transposed: got 'on', expected off with workload.kind "
            "direct_convolution, whose backward_data pass it is");
    }
    check_groups(layer);
    if (pass == LayerPass::kForward) return;
    if (direct.mapping == DirectMapping::kImage && pass == LayerPass::kBackwardWeight) {
        throw ConfigError(
            "workload.direct.mapping: got 'image', expected another one with workload.pass "
            "backward_weight, whose outputs all images share");
    }
    if (layer.stride != 1 || layer.groups != 1) {
        throw ConfigError(
            fmt::format("workload.layer.{}: got '{}', expected 1 in a backward pass "
                        "(workload.pass)",
                        layer.stride != 1 ? "stride" : "groups",
                        layer.stride != 1 ? layer.stride : layer.groups));
    }
    check_pad(layer, layer.pad_height, layer.pad_of_height(), layer.filter_height, "pad_height");
    check_pad(layer, layer.pad_width, layer.pad_of_width(), layer.filter_width, "pad_width");
}

}  // namespace

DirectGeometry DirectGeometry::make(const LayerConfig& layer, LayerPass pass,
                                    const DirectConfig& direct) {
    check_layer(layer, pass, direct);
    const Forward forward(layer);
    DirectGeometry g;
    g.pass = pass;
    g.batch = layer.batch;
    g.stride = 1;
    switch (pass) {
        case LayerPass::kForward:
            g.planes = layer.filters;
            g.in_planes = layer.channels;
            g.reduction = layer.channels / layer.groups;
            g.planes_per_group = layer.filters / layer.groups;
            g.in_height = forward.height, g.in_width = forward.width;
            g.pad_y = layer.pad_of_height(), g.pad_x = layer.pad_of_width();
            g.kernel_height = layer.filter_height, g.kernel_width = layer.filter_width;
            g.stride = layer.stride;
            g.out_height = forward.out_height, g.out_width = forward.out_width;
            break;
        case LayerPass::kBackwardData:
            g.transposed_product = fully_connected(layer);
            if (g.transposed_product) {
                g.planes = layer.width;
                g.in_planes = g.reduction = 1;
                g.in_height = g.kernel_height = 1;
                g.in_width = g.kernel_width = layer.filters;
                g.out_height = g.out_width = 1;
            } else {
                g.planes = layer.channels;
                g.in_planes = g.reduction = layer.filters;
                g.pad_y = layer.filter_height - 1 - layer.pad_of_height();
                g.pad_x = layer.filter_width - 1 - layer.pad_of_width();
                g.in_height = forward.out_height + 2 * g.pad_y;
                g.in_width = forward.out_width + 2 * g.pad_x;
                g.kernel_height = layer.filter_height, g.kernel_width = layer.filter_width;
                g.out_height = layer.height, g.out_width = layer.width;
            }
            g.planes_per_group = g.planes;
            break;
        case LayerPass::kBackwardWeight:
            g.planes = layer.filters * layer.channels;
            g.in_planes = layer.channels;
            g.reduction = 1;
            g.planes_per_group = g.planes;
            g.in_height = forward.height, g.in_width = forward.width;
            g.pad_y = layer.pad_of_height(), g.pad_x = layer.pad_of_width();
            g.kernel_height = forward.out_height, g.kernel_width = forward.out_width;
            g.out_height = layer.filter_height, g.out_width = layer.filter_width;
            break;
    }
    const std::uint64_t alignment = direct.image_alignment_bytes / kFloatBytes;
    const auto image = [alignment](std::uint64_t count, std::uint64_t height, std::uint64_t width) {
        return round_up(count * height * width, alignment);
    };
    g.in_image = image(g.in_planes, g.in_height, g.in_width);
    g.input_floats = g.in_image * g.batch;
    const std::uint64_t kernel = std::uint64_t{g.kernel_height} * g.kernel_width;
    if (pass == LayerPass::kBackwardWeight) {
        g.weight_image = image(layer.filters, g.kernel_height, g.kernel_width);
        g.weight_floats = g.weight_image * g.batch;
        g.output_floats = std::uint64_t{g.planes} * g.out_height * g.out_width;
    } else {
        g.weight_floats = std::uint64_t{g.planes} * g.reduction * kernel;
        g.out_image = image(g.planes, g.out_height, g.out_width);
        g.output_floats = g.out_image * g.batch;
    }
    return g;
}

std::uint64_t DirectGeometry::input_plane(std::uint32_t image, std::uint32_t plane,
                                          std::uint32_t r) const {
    const std::uint32_t index = pass == LayerPass::kBackwardWeight
                                    ? plane % in_planes
                                    : plane / planes_per_group * reduction + r;
    return image * in_image + std::uint64_t{index} * in_height * in_width;
}

std::uint64_t DirectGeometry::weight_plane(std::uint32_t image, std::uint32_t plane,
                                           std::uint32_t r) const {
    const std::uint64_t index = pass == LayerPass::kBackwardWeight
                                    ? std::uint64_t{plane} / in_planes
                                    : std::uint64_t{plane} * reduction + r;
    return image * weight_image + index * kernel_height * kernel_width;
}

std::uint64_t DirectGeometry::output_plane(std::uint32_t image, std::uint32_t plane) const {
    return image * out_image + std::uint64_t{plane} * out_height * out_width;
}

}  // namespace tessera
