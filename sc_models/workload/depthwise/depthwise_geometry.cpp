#include "sc_models/workload/depthwise/depthwise_geometry.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/layer_pass.h"
#include "sc_models/workload/staged/staged_registers.h"

namespace tessera {
namespace {

using OperandExtent = ProductEpilogue::OperandExtent;

constexpr std::uint32_t kOverheadRegisters = 24;  // addresses, bounds, loop counters: chosen

/// The tile with the fewest registers.
constexpr DepthwiseTile kSmallest = {2, 1, 1};

bool is_power_of_two(std::uint32_t n) {
    return (n & (n - 1)) == 0;
}

/// The key that does not suit the kernel, and its permitted values; empty if `config` suits.
struct Refusal {
    std::string key, text;
};
Refusal refusal_of(const WorkloadConfig& config) {
    const LayerConfig& layer = config.layer;
    const std::uint32_t groups = layer.groups;
    if (config.pass != LayerPass::kForward) {
        return {"workload.pass",
                "got a gradient, or forward of a transposed layer, expected forward of one that is "
                "not transposed with workload.kernel depthwise"};
    }
    if (groups < 2 || layer.channels != groups) {
        return {"workload.layer.groups",
                fmt::format("got {}, expected workload.layer.channels ({}), at least 2, with "
                            "workload.kernel depthwise",
                            groups, layer.channels)};
    }
    if (layer.filters % groups != 0 || !is_power_of_two(layer.filters / groups)) {
        return {"workload.layer.filters",
                fmt::format("got {}, expected workload.layer.channels ({}) times a power of two "
                            "with workload.kernel depthwise",
                            layer.filters, layer.channels)};
    }
    if (config.split_k != WorkloadConfig::kAutoSplit && config.split_k != 1) {
        return {"workload.split_k",
                fmt::format("got {}, expected auto or 1 with workload.kernel depthwise, which "
                            "does not divide sums",
                            config.split_k)};
    }
    const DepthwiseRegisters registers(ConvolutionPass(layer, config.pass), kSmallest,
                                       DepthwiseOperands(config.epilogue.get()));
    if (!registers.fit_a_thread()) {
        return {"workload.kernel",
                fmt::format("got depthwise, expected another one: a filter of {}x{} takes {} "
                            "registers a thread, of which there are {}",
                            layer.filter_height, layer.filter_width, registers.per_thread,
                            kMaxThreadRegisters)};
    }
    return {};
}

}  // namespace

DepthwiseOperands::DepthwiseOperands(const ProductEpilogue* epilogue) {
    if (epilogue == nullptr || epilogue->empty()) return;
    for (const ProductEpilogue::Operand& operand : epilogue->operands()) {
        if (operand.place == OperandExtent::kColumns) ++columns;
        if (operand.place == OperandExtent::kElements) ++elements;
    }
}

std::vector<DepthwiseColumn> depthwise_columns(const ConvolutionPass& pass, std::uint32_t strip) {
    const ConvolutionAxis& x = pass.columns();
    std::map<std::int64_t, DepthwiseColumn> columns;
    for (std::uint32_t pixel = 0; pixel < strip; ++pixel) {
        for (std::uint32_t tap = 0; tap < x.filter; ++tap) {
            const std::int64_t offset = pixel * x.stride + tap * x.dilation;
            columns[offset].offset = offset;
            columns[offset].products.emplace_back(pixel, tap);
        }
    }
    std::vector<DepthwiseColumn> sorted;
    sorted.reserve(columns.size());
    for (auto& [offset, column] : columns) sorted.push_back(std::move(column));
    return sorted;
}

DepthwiseRegisters::DepthwiseRegisters(const ConvolutionPass& pass, const DepthwiseTile& tile,
                                       const DepthwiseOperands& operands_in_memory) {
    const auto multiplier = static_cast<std::uint32_t>(pass.filters());
    const auto of_halves = [](std::uint32_t halves) { return ceil_div(halves, 2U); };
    inputs_of_lane = std::max(1U, tile.vector / multiplier);
    of_input = of_halves(inputs_of_lane);
    of_vector = of_halves(tile.vector);
    columns = static_cast<std::uint32_t>(depthwise_columns(pass, tile.strip).size());
    filter = tile.strip * tile.vector;
    inputs = filter + static_cast<std::uint32_t>(pass.taps()) * of_vector;
    operands = inputs + kInputRows * columns * of_input;
    results = operands +
              (operands_in_memory.columns + kResults * operands_in_memory.elements) * of_vector;
    named = results + kResults * of_vector;
    // A row of the filter and a column of the input as floats.
    const auto row = static_cast<std::uint32_t>(pass.columns().filter);
    const std::uint32_t floats = row * tile.vector + inputs_of_lane;
    // Operands and results of the epilogue are loaded when the input is no longer needed.
    const std::uint32_t during = kInputRows * columns * of_input + floats;
    per_thread = kOverheadRegisters + inputs + std::max(during, named - operands);
}

bool DepthwiseRegisters::fit_a_thread() const {
    return per_thread <= kMaxThreadRegisters && named <= kNoRegister;
}

std::uint64_t depthwise_blocks(const ConvolutionPass& pass, const DepthwiseTile& tile) {
    const auto outputs = static_cast<std::uint64_t>(pass.columns().outputs());
    const std::uint64_t lanes =
        ceil_div(outputs, std::uint64_t{tile.strip}) * (pass.output_pitch() / tile.vector);
    return ceil_div(lanes, std::uint64_t{kWarpLanes});
}

std::uint64_t depthwise_warps(const ConvolutionPass& pass, const DepthwiseTile& tile) {
    return pass.batch() * static_cast<std::uint64_t>(pass.rows().outputs()) *
           depthwise_blocks(pass, tile);
}

void check_depthwise(const WorkloadConfig& config) {
    const Refusal refusal = refusal_of(config);
    if (!refusal.key.empty()) throw ConfigError(refusal.key + ": " + refusal.text);
}

bool is_depthwise(const WorkloadConfig& config) {
    if (config.kind != WorkloadKind::kConvolution) return false;
    if (config.kernel == ProductKernel::kDepthwise) return true;
    const bool open = config.kernel == ProductKernel::kAuto ||
                      config.kernel == ProductKernel::kCudnn ||
                      config.kernel == ProductKernel::kMultistage;
    return open && refusal_of(without_transposition(config)).key.empty();
}

}  // namespace tessera
