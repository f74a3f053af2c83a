#include "sc_models/workload/lowered_convolution.h"

#include <limits>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint64_t kHalfBytes = sizeof(HalfBits);
constexpr std::uint64_t kChunkHalves = 16;

/// A and B as the layer defines them. Holds the input, without which every element would be
/// generated filter_height x filter_width times.
class ConvolutionOperands : public Operands {
public:
    explicit ConvolutionOperands(const LoweredConvolution& layer)
        : geometry_(layer.geometry()),
          weights_(layer.weights()),
          input_(std::uint64_t{geometry_.batch} * geometry_.height * geometry_.width *
                 geometry_.channels) {
        for (std::uint64_t i = 0; i < input_.size(); ++i) input_[i] = layer.activations()(i);
    }

    void a_row(std::uint64_t row, HalfBits* out) const override {
        for (std::uint64_t column = 0; column < geometry_.k_pitch; ++column) {
            const auto raw = geometry_.source(row, column);
            out[column] = raw ? at(*raw) : HalfBits{0};
        }
    }

    void b_column(std::uint64_t column, HalfBits* out) const override {
        const std::uint64_t first = column * geometry_.k_unpadded;
        for (std::uint64_t k = 0; k < geometry_.k_pitch; ++k) {
            const auto tap = geometry_.tap(k);
            out[k] = tap ? weights_(first + *tap) : HalfBits{0};
        }
    }

private:
    [[nodiscard]] HalfBits at(std::uint64_t raw) const {
        const std::uint64_t channel = raw % geometry_.padded_channels;
        if (channel >= geometry_.channels) return 0;
        return input_[raw / geometry_.padded_channels * geometry_.channels + channel];
    }

    const ConvolutionGeometry& geometry_;
    const ValueGenerator& weights_;
    std::vector<HalfBits> input_;
};

}  // namespace

LoweredGeometry lowered_geometry(const ConvolutionGeometry& g, Address base,
                                 const PacketOptions& options) {
    const std::uint64_t chunks = g.workspace_bytes() / (kChunkHalves * kHalfBytes);
    if (chunks > std::numeric_limits<std::uint32_t>::max()) {
        throw ConfigError("workload.layer.batch: got " + std::to_string(g.batch) +
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
    : Workload(config.layer.name->empty() ? "convolution" : config.layer.name.get(), config, seed,
               values),
      geometry_(ConvolutionGeometry::make(config.layer, config.channel_rule)),
      activations_(seed, ValueGenerator::Tensor::kActivations,
                   pattern_of(config.activations, values)),
      weights_(seed, ValueGenerator::Tensor::kWeights, pattern_of(config.weights, values)) {
    const ConvolutionGeometry& g = geometry_;
    const TilingConfig& tiling = config.tiling;
    check_tiling(tiling);
    const std::uint64_t pitch = g.k_pitch * kHalfBytes;
    const Address input = allocate("input", g.input_halves() * kHalfBytes);
    GemmOperands operands;
    operands.m = g.m;
    operands.n = g.n;
    operands.k = g.k_pitch;
    operands.b = allocate("filters", GemmKernel::allocated_columns(g.n, tiling) * pitch);
    operands.a = allocate("workspace", GemmKernel::allocated_rows(g.m, tiling) * pitch);
    operands.c = allocate("c", g.m * g.n * sizeof(float));
    operands.d = allocate("d", g.m * g.n * sizeof(float));
    operands.a_pitch_bytes = operands.b_pitch_bytes = static_cast<std::uint32_t>(pitch);
    operands.convolution_packet = allocate("packet", ConvolutionPacket::kBytes);
    packet_ = ConvolutionPacket::make(lowered_geometry(g, operands.a, packet)).encode();

    auto gemm = std::make_unique<GemmKernel>(name() + ".gemm", operands, tiling);
    if (config.im2col == Im2colMode::kTimed) {
        add(std::make_unique<Im2colKernel>(name() + ".im2col", g, input, operands.a,
                                           gemm->rows_read()));
    }
    add_gemm(std::move(gemm));
}

void LoweredConvolution::initialise(const MemoryWriter& write) const {
    write(region("packet").base, packet_.data(), packet_.size());
    if (!values()) return;
    write_input(write);
    write_filters(write);
    if (config().im2col == Im2colMode::kFunctional) write_workspace(write);
}

void LoweredConvolution::write_input(const MemoryWriter& write) const {
    const std::uint64_t pixels =
        std::uint64_t{geometry_.batch} * geometry_.height * geometry_.width;
    std::vector<HalfBits> line(std::uint64_t{geometry_.width} * geometry_.padded_channels);
    for (std::uint64_t pixel = 0; pixel < pixels; pixel += geometry_.width) {
        for (std::uint64_t x = 0; x < geometry_.width; ++x) {
            for (std::uint64_t c = 0; c < geometry_.channels; ++c) {
                line[x * geometry_.padded_channels + c] =
                    activations_((pixel + x) * geometry_.channels + c);
            }
        }
        write(region("input").base + pixel * geometry_.padded_channels * kHalfBytes, line.data(),
              line.size() * kHalfBytes);
    }
}

void LoweredConvolution::write_filters(const MemoryWriter& write) const {
    const ConvolutionOperands layer(*this);
    std::vector<HalfBits> column(geometry_.k_pitch);
    for (std::uint64_t n = 0; n < geometry_.n; ++n) {
        layer.b_column(n, column.data());
        write(region("filters").base + n * geometry_.k_pitch * kHalfBytes, column.data(),
              column.size() * kHalfBytes);
    }
}

void LoweredConvolution::write_workspace(const MemoryWriter& write) const {
    const ConvolutionOperands layer(*this);
    std::vector<HalfBits> row(geometry_.k_pitch);
    for (std::uint64_t m = 0; m < gemm().rows_read(); ++m) {
        layer.a_row(m, row.data());
        write(region("workspace").base + m * geometry_.k_pitch * kHalfBytes, row.data(),
              row.size() * kHalfBytes);
    }
}

std::unique_ptr<Operands> LoweredConvolution::operands() const {
    return std::make_unique<ConvolutionOperands>(*this);
}

}  // namespace tessera
