#include "sc_models/workload/fragment/lowered_convolution.h"

#include <limits>

#include "sc_models/common/error.h"
#include "sc_models/workload/fragment/convolution_operands.h"

namespace tessera {
namespace {

constexpr std::uint64_t kHalfBytes = sizeof(HalfBits);
constexpr std::uint64_t kChunkHalves = 16;

}  // namespace

LoweredGeometry lowered_geometry(const ConvolutionGeometry& g, Address base,
                                 const PacketOptions& options) {
    const std::uint64_t chunks = g.workspace_bytes() / (kChunkHalves * kHalfBytes);
    if (chunks > std::numeric_limits<std::uint32_t>::max()) {
        throw ConfigError("workload.layer.batch: got " + std::to_string(g.batch / g.groups) +
                          ", expected a workspace of less than 2^32 chunks of 32 bytes");
    }
    LoweredGeometry packet;
    packet.base = base;
    packet.batch = g.batch;
    packet.input_height = g.inserted_height;
    packet.input_width = g.inserted_width;
    packet.output_height = g.output_height;
    packet.output_width = g.output_width;
    packet.channels = g.padded_channels;
    packet.filter_height = g.filter_height;
    packet.filter_width = g.filter_width;
    packet.pad = g.pad;
    packet.stride = g.stride;
    packet.up_factor = g.up_factor;
    packet.transposed = g.up_factor > 1;
    packet.zero_rule = options.zero_rule;
    packet.dense = g.rule == ChannelRule::kDense && g.filter_row % kChunkHalves != 0;
    packet.filter_row_chunks =
        static_cast<std::uint32_t>(ceil_div(std::uint64_t{g.filter_row_pitch}, kChunkHalves));
    packet.row_pitch_chunks = static_cast<std::uint32_t>(g.k_pitch / kChunkHalves);
    packet.n_chunks = static_cast<std::uint32_t>(chunks);
    packet.index_shift = options.index_shift == PacketOptions::kAutoShift
                             ? auto_index_shift(g.stride, g.padded_channels)
                             : options.index_shift;
    return packet;
}

LoweredConvolution::LoweredConvolution(const WorkloadConfig& config, std::uint64_t seed,
                                       bool values, const PacketOptions& packet)
    : Workload(config.layer.name.empty() ? "convolution" : config.layer.name, config, seed, values),
      geometry_(ConvolutionGeometry::make(config.layer, config.channel_rule)),
      activations_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kActivations, values)),
      weights_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kWeights, values)) {
    const ConvolutionGeometry& g = geometry_;
    const TilingConfig& tiling = config.tiling;
    check_tiling(tiling);
    const std::uint64_t pitch = g.k_pitch * kHalfBytes;
    const Address input = allocate("input", g.input_halves() * kHalfBytes);
    GemmOperands operands;
    operands.groups = g.groups;
    operands.m = g.group_rows();
    operands.n = g.n;
    operands.k = g.k_pitch;
    const std::uint64_t outputs = operands.m * operands.d_columns();
    operands.b = allocate("filters", operands.allocated_columns(tiling) * pitch);
    operands.a = allocate("workspace", operands.allocated_rows(tiling) * pitch);
    operands.c = allocate("c", outputs * sizeof(float));
    operands.d = allocate("d", outputs * sizeof(float));
    operands.a_pitch_bytes = operands.b_pitch_bytes = static_cast<std::uint32_t>(pitch);
    if (g.batch <= ConvolutionPacket::kMostImages) {
        operands.convolution_packet = allocate("packet", ConvolutionPacket::kBytes);
        packet_ = ConvolutionPacket::make(lowered_geometry(g, operands.a, packet)).encode();
    }

    auto gemm = std::make_unique<GemmKernel>(name() + ".gemm", operands, tiling);
    if (config.im2col == Im2colMode::kTimed) {
        add(std::make_unique<Im2colKernel>(name() + ".im2col", g, input, operands.a,
                                           gemm->rows_read()));
    }
    add_gemm(std::move(gemm));
}

void LoweredConvolution::initialise(const MemoryWriter& write) const {
    const Address packet = gemm().operands().convolution_packet;
    if (packet != 0) write(packet, packet_.data(), packet_.size());
    if (!values()) return;
    write_input(write);
    write_filters(write);
    if (config().im2col == Im2colMode::kFunctional) write_workspace(write);
}

std::vector<HalfBits> LoweredConvolution::input_line(std::uint64_t line) const {
    const ConvolutionGeometry& g = geometry_;
    const std::uint64_t group_lines = std::uint64_t{g.batch} / g.groups * g.height;
    const std::uint64_t first_channel = line / group_lines * g.channels;
    const std::uint64_t first_pixel = line % group_lines * g.width;
    std::vector<HalfBits> halves(std::uint64_t{g.width} * g.padded_channels);
    for (std::uint64_t x = 0; x < g.width; ++x) {
        for (std::uint64_t c = 0; c < g.channels; ++c) {
            halves[x * g.padded_channels + c] =
                activations_((first_pixel + x) * g.channels * g.groups + first_channel + c);
        }
    }
    return halves;
}

void LoweredConvolution::write_input(const MemoryWriter& write) const {
    Address next = region("input").base;
    for (std::uint64_t i = 0; i < std::uint64_t{geometry_.batch} * geometry_.height; ++i) {
        const std::vector<HalfBits> line = input_line(i);
        write(next, line.data(), line.size() * kHalfBytes);
        next += line.size() * kHalfBytes;
    }
}

void LoweredConvolution::write_filters(const MemoryWriter& write) const {
    std::vector<HalfBits> filter(geometry_.k_pitch);
    for (std::uint64_t n = 0; n < geometry_.n * geometry_.groups; ++n) {
        for (std::uint64_t k = 0; k < geometry_.k_pitch; ++k) {
            const auto tap = geometry_.tap(k);
            filter[k] = tap ? weights_(n * geometry_.k_unpadded + *tap) : HalfBits{0};
        }
        write(region("filters").base + n * geometry_.k_pitch * kHalfBytes, filter.data(),
              filter.size() * kHalfBytes);
    }
}

void LoweredConvolution::write_workspace(const MemoryWriter& write) const {
    std::vector<HalfBits> input;
    input.reserve(geometry_.input_halves());
    for (std::uint64_t i = 0; i < std::uint64_t{geometry_.batch} * geometry_.height; ++i) {
        const std::vector<HalfBits> line = input_line(i);
        input.insert(input.end(), line.begin(), line.end());
    }
    std::vector<HalfBits> row(geometry_.k_pitch);
    for (std::uint64_t m = 0; m < gemm().rows_read(); ++m) {
        for (std::uint64_t k = 0; k < geometry_.k_pitch; ++k) {
            const auto source = geometry_.source(m, k);
            row[k] = source ? input[*source] : HalfBits{0};
        }
        write(region("workspace").base + m * geometry_.k_pitch * kHalfBytes, row.data(),
              row.size() * kHalfBytes);
    }
}

std::unique_ptr<Operands> LoweredConvolution::operands() const {
    if (geometry_.groups > 1) throw std::logic_error("each group has matrices of its own");
    return std::make_unique<ConvolutionOperands>(config().layer, geometry_, activations_, weights_);
}

std::vector<Reference> LoweredConvolution::references() const {
    const LayerConfig& layer = config().layer;
    Reference reference;
    reference.kind = Reference::Kind::kConvolution;
    reference.channels_last = true;
    reference.pad_y = layer.pad;
    reference.source = [this, &layer] {
        return activations_.rounded(std::uint64_t{layer.batch} * layer.height * layer.width *
                                    layer.channels);
    };
    reference.weights = [this, &layer] {
        return weights_.rounded(std::uint64_t{layer.filters} * layer.filter_height *
                                layer.filter_width * (layer.channels / layer.groups));
    };
    reference.result = product();
    return {reference};
}

VerificationReport LoweredConvolution::verify(const MemoryReader& read, TensorCoreKind kind) const {
    if (!values() || geometry_.groups == 1) return Workload::verify(read, kind);
    const ProductShape& all = product();
    ConvolutionOperands operands(config().layer, geometry_, activations_, weights_);
    VerificationReport report;
    for (std::uint32_t group = 0; group < geometry_.groups; ++group) {
        const std::uint64_t first = group * geometry_.n;
        ProductShape shape = all;
        shape.n = geometry_.n;
        shape.d += first * sizeof(float);
        shape.makes = [&all, first](std::uint64_t row, std::uint64_t column) {
            return all.makes(row, first + column);
        };
        operands.select_group(group);
        report.add(compare_with_golden(kind, shape, operands, read, seed() + group),
                   "group " + std::to_string(group));
    }
    return report;
}

}  // namespace tessera
