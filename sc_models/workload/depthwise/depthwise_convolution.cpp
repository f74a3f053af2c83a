#include "sc_models/workload/depthwise/depthwise_convolution.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint64_t kHalfBytes = sizeof(HalfBits);

/// Throws ConfigError if the layer does not suit the kernel.
const WorkloadConfig& checked(const WorkloadConfig& config) {
    check_depthwise(config);
    return config;
}

std::uint64_t to_index(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

bool same_halves(HalfBits a, HalfBits b, Float16 format) {
    const auto is_nan = [format](HalfBits half) {
        const float value = to_float(half, format);
        return value != value;
    };
    return a == b || (is_nan(a) && is_nan(b));
}

}  // namespace

DepthwiseTile choose_depthwise_tile(const ConvolutionPass& pass, const DepthwiseOperands& operands,
                                    const TargetMachine& machine) {
    constexpr std::uint32_t kVectors[] = {8, 4, 2};
    constexpr std::uint32_t kStrips[] = {4, 2, 1};
    constexpr std::uint32_t kWarps = 4;           // of a CTA: chosen
    constexpr std::uint32_t kComfortable = 128;   // registers of a thread: chosen
    constexpr std::uint64_t kWarpsOfSubCore = 4;  // that should have work: chosen
    const std::uint64_t wanted = kWarpsOfSubCore * machine.sub_cores * machine.sms;
    DepthwiseTile best;
    std::uint64_t most = 0;
    std::uint32_t fewest = 0;
    for (std::uint32_t warps = kWarps; warps > 0 && most == 0; warps /= 2) {
        for (const std::uint32_t strip : kStrips) {
            for (const std::uint32_t vector : kVectors) {
                const DepthwiseTile tile{vector, strip, warps};
                const DepthwiseRegisters registers(pass, tile, operands);
                const bool fits = registers.fit_a_thread() &&
                                  registers.per_thread * warps <= machine.warp_registers &&
                                  round_up(warps, machine.sub_cores) <= machine.warps;
                if (!fits) continue;
                const std::uint64_t there = std::min(wanted, depthwise_warps(pass, tile));
                const std::uint32_t too_many = std::max(registers.per_thread, kComfortable);
                if (most > 0 &&
                    std::pair(too_many, wanted - there) >= std::pair(fewest, wanted - most)) {
                    continue;
                }
                best = tile;
                most = there;
                fewest = too_many;
            }
        }
    }
    if (most == 0) {
        throw ConfigError(
            "workload.kernel: got auto, cudnn or depthwise, but no kernel for depthwise "
            "convolutions fits an SM (sm.register_file_kib, sm.max_warps)");
    }
    return best;
}

DepthwiseConvolution::DepthwiseConvolution(const WorkloadConfig& config, std::uint64_t seed,
                                           bool values, const TargetMachine& machine)
    : Workload(config.layer.name.empty() ? "convolution" : config.layer.name, checked(config), seed,
               values),
      pass_(config.layer, config.pass),
      activations_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kActivations, values)
                       .as_type(config.operand_type(), 1)),
      weights_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kWeights, values)
                   .as_type(config.operand_type(), 1)) {
    DepthwiseTask task;
    task.pass = &pass_;
    task.input = allocate("input", pass_.input_elements() * kHalfBytes);
    task.filters = allocate("filters", pass_.taps() * pass_.output_pitch() * kHalfBytes);
    task.output = output_ = allocate("result", pass_.output_elements() * kHalfBytes);
    task.epilogue = place_epilogue(pass_.output_elements() / pass_.output_pitch(),
                                   config.layer.filters, pass_.output_pitch());
    task.tile = tile_ =
        choose_depthwise_tile(pass_, DepthwiseOperands(task.epilogue.epilogue.get()), machine);
    task.granularity = machine.granularity;
    task.values = values;
    task.format = format_of(config.operand_type());
    task.name = fmt::format("{}.forward.depthwise{}x{}", name(), tile_.vector, tile_.strip);
    add(std::make_unique<DepthwiseKernel>(std::move(task)));
}

/// Writes the operands; unwritten memory is zero.
void DepthwiseConvolution::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    write_epilogue(write);
    const LayerConfig& layer = config().layer;
    const std::uint64_t pixels = pass_.batch() * to_index(pass_.rows().size * pass_.columns().size);
    std::vector<HalfBits> pixel(layer.channels);
    for (std::uint64_t i = 0; i < pixels; ++i) {
        for (std::uint64_t c = 0; c < layer.channels; ++c) {
            pixel[c] = activations_(i * layer.channels + c);
        }
        write(region("input").base + i * pass_.input_pitch() * kHalfBytes, pixel.data(),
              pixel.size() * kHalfBytes);
    }
    std::vector<HalfBits> tap(layer.filters);
    for (std::uint64_t i = 0; i < pass_.taps(); ++i) {
        for (std::uint64_t o = 0; o < layer.filters; ++o) tap[o] = weights_(o * pass_.taps() + i);
        write(region("filters").base + i * pass_.output_pitch() * kHalfBytes, tap.data(),
              tap.size() * kHalfBytes);
    }
}

VerificationReport DepthwiseConvolution::verify(const MemoryReader& read,
                                                TensorCoreKind /*kind*/) const {
    VerificationReport report;
    if (!values()) return report;
    report.checked = true;
    const LayerConfig& layer = config().layer;
    const ConvolutionAxis &y = pass_.rows(), &x = pass_.columns();
    const std::vector<float> input =
        activations_.rounded(pass_.batch() * to_index(y.size * x.size) * layer.channels);
    const std::vector<float> filters = weights_.rounded(layer.filters * pass_.taps());
    const auto epilogue = golden_epilogue();
    const Float16 format = format_of(config().operand_type());
    const std::uint64_t pitch = pass_.output_pitch();
    std::vector<HalfBits> got(pitch);
    std::vector<float> sums(pitch);
    const std::uint64_t rows = pass_.batch() * to_index(y.outputs() * x.outputs());
    for (std::uint64_t row = 0; row < rows; ++row) {
        const auto of_image = to_index(y.outputs() * x.outputs());
        const auto image = static_cast<std::int64_t>(row / of_image);
        const auto at_y = static_cast<std::int64_t>(row % of_image) / x.outputs();
        const auto at_x = static_cast<std::int64_t>(row % of_image) % x.outputs();
        std::fill(sums.begin(), sums.end(), 0.0F);
        for (std::int64_t tap = 0; tap < y.filter * x.filter; ++tap) {
            const std::int64_t from_y = at_y * y.stride - y.pad + tap / x.filter * y.dilation;
            const std::int64_t from_x = at_x * x.stride - x.pad + tap % x.filter * x.dilation;
            if (from_y < 0 || from_y >= y.size || from_x < 0 || from_x >= x.size) continue;
            const float* const pixel =
                input.data() +
                to_index((image * y.size + from_y) * x.size + from_x) * layer.channels;
            for (std::uint64_t o = 0; o < layer.filters; ++o) {
                sums[o] += pixel[o / pass_.filters()] * filters[o * pass_.taps() + to_index(tap)];
            }
        }
        read(output_ + row * pitch * kHalfBytes, got.data(), pitch * kHalfBytes);
        for (std::uint64_t o = 0; o < layer.filters; ++o) {
            const float sum = epilogue ? epilogue(sums[o], row, o) : sums[o];
            const HalfBits want = to_bits(sum, format);
            ++report.outputs;
            if (same_halves(got[o], want, format) || report.mismatches++ > 0) continue;
            report.first_mismatch = fmt::format("pixel {}, channel {}: expected {}, got {}", row, o,
                                                to_float(want, format), to_float(got[o], format));
        }
    }
    return report;
}

std::vector<Reference> DepthwiseConvolution::references() const {
    const LayerConfig& layer = config().layer;
    Reference reference;
    reference.kind = Reference::Kind::kConvolution;
    reference.channels_last = true;
    reference.pad_y = layer.pad_of_height();
    reference.source = [this, &layer] {
        return activations_.rounded(std::uint64_t{layer.batch} * layer.height * layer.width *
                                    layer.channels);
    };
    reference.weights = [this, &layer] {
        return weights_.rounded(std::uint64_t{layer.filters} * pass_.taps());
    };
    ProductShape& result = reference.result;
    result.m = pass_.output_elements() / pass_.output_pitch();
    result.n = layer.filters;
    result.d = output_;
    result.pitch = pass_.output_pitch();
    result.halves = true;
    result.operands = config().operand_type();
    result.makes = [](std::uint64_t, std::uint64_t) { return true; };
    return {reference};
}

}  // namespace tessera
