#include "sc_models/workload/layer_pass.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

/// Number of output pixels along an axis of a transposed layer.
std::uint32_t transposed_outputs(const char* side, std::int64_t size, std::int64_t filter,
                                 std::int64_t pad, std::int64_t stride, std::int64_t dilation) {
    const std::int64_t outputs = size * stride + (filter - 1) * dilation - 2 * pad;
    if (outputs >= 1) return static_cast<std::uint32_t>(outputs);
    throw ConfigError(fmt::format(
        "workload.layer.pad: got {}, expected one that leaves a transposed layer an output ({})",
        pad, side));
}

/// Number of output pixels along an axis of a convolution whose windows cover all of its input.
std::uint32_t outputs_of_all(const char* side, const LayerConfig& layer, std::uint32_t size) {
    const std::uint32_t padded = size + 2 * layer.pad;
    if (padded < layer.filter_height || (padded - layer.filter_height + 1) % layer.stride != 0) {
        throw ConfigError(
            fmt::format("workload.layer.{}: got {}, expected the padded input ({}) less the filter "
                        "({}) and one more to be a multiple of workload.layer.stride ({}) where "
                        "workload.pass backward_data is lowered",
                        side, size, padded, layer.filter_height, layer.stride));
    }
    return (padded - layer.filter_height) / layer.stride + 1;
}

}  // namespace

WorkloadConfig without_transposition(WorkloadConfig config) {
    LayerConfig& layer = config.layer;
    if (!layer.transposed) return config;
    layer.height =
        transposed_outputs("height", layer.height, layer.filter_height, layer.pad_of_height(),
                           layer.stride_of_height(), layer.dilation);
    layer.width = transposed_outputs("width", layer.width, layer.filter_width, layer.pad_of_width(),
                                     layer.stride_of_width(), layer.dilation);
    std::swap(layer.channels, layer.filters);
    layer.transposed = false;
    if (config.pass == LayerPass::kForward) {
        config.pass = LayerPass::kBackwardData;
    } else if (config.pass == LayerPass::kBackwardData) {
        config.pass = LayerPass::kForward;
    }
    return config;
}

WorkloadConfig lowered_pass(WorkloadConfig config) {
    if (config.pass == LayerPass::kForward) return config;
    if (config.pass == LayerPass::kBackwardWeight) {
        throw ConfigError(
            "workload.pass: got 'backward_weight', expected forward or backward_data with "
            "workload.kernel fragments, which lowers an input");
    }
    if (config.layer.transposed) return without_transposition(std::move(config));
    LayerConfig& layer = config.layer;
    if (layer.filter_height != layer.filter_width || layer.pad >= layer.filter_height) {
        throw ConfigError(fmt::format(
            "workload.layer.filter_width: got {}, expected a square filter (height {}) larger than "
            "workload.layer.pad ({}) where workload.pass backward_data is lowered",
            layer.filter_width, layer.filter_height, layer.pad));
    }
    const std::uint32_t height = outputs_of_all("height", layer, layer.height);
    const std::uint32_t width = outputs_of_all("width", layer, layer.width);
    layer.height = height;
    layer.width = width;
    std::swap(layer.channels, layer.filters);
    if (layer.stride == 1) {
        layer.pad = layer.filter_height - 1 - layer.pad;
    } else {
        layer.transposed = true;
    }
    config.pass = LayerPass::kForward;
    return config;
}

}  // namespace tessera
