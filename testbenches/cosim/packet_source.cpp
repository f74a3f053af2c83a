#include "testbenches/cosim/packet_source.h"

#include <array>

#include "sc_models/workload/warp_instruction.h"

namespace tessera {

namespace {

struct Layer {
    std::uint32_t size, channels, filter, pad, stride;  // images and filters are square
    bool transposed;
};

/// Duplo Table I: ResNet, GAN, YOLO; 8 images each.
constexpr std::array<Layer, 22> kTable1 = {{
    {224, 3, 7, 3, 2, false},  {56, 64, 3, 1, 1, false},  {56, 64, 3, 0, 2, false},
    {28, 128, 3, 1, 1, false}, {28, 128, 3, 0, 2, false}, {14, 256, 3, 1, 1, false},
    {14, 256, 3, 0, 2, false}, {7, 512, 3, 1, 1, false},  {4, 512, 5, 2, 2, true},
    {8, 256, 5, 2, 2, true},   {16, 128, 5, 2, 2, true},  {32, 64, 5, 2, 2, true},
    {64, 3, 5, 2, 2, false},   {32, 64, 5, 2, 2, false},  {16, 128, 5, 2, 2, false},
    {8, 256, 5, 2, 2, false},  {224, 3, 3, 1, 1, false},  {112, 32, 3, 1, 1, false},
    {56, 64, 3, 1, 1, false},  {28, 128, 3, 1, 1, false}, {14, 256, 3, 1, 1, false},
    {7, 512, 3, 1, 1, false},
}};
constexpr std::uint32_t kImages = 8;
constexpr std::uint32_t kRules = 3;

std::uint32_t positions(std::uint32_t padded, std::uint32_t filter, std::uint32_t stride) {
    return (padded - filter) / stride + 1;
}

}  // namespace

/// Fills in what follows from batch, input, channels, filter, pad, stride and up-factor.
void PacketSource::finish(LoweredGeometry& g, Rule rule) {
    if (rule == Rule::kChannels) g.channels = round_up(g.channels, 16u);
    g.dense = rule == Rule::kDense;
    g.output_height = positions(g.input_height + 2 * g.pad, g.filter_height, g.stride);
    g.output_width = positions(g.input_width + 2 * g.pad, g.filter_width, g.stride);
    const std::uint32_t row = g.filter_width * g.channels;
    g.filter_row_chunks = ceil_div(row, 16u);
    g.row_pitch_chunks =
        g.dense ? ceil_div(row * g.filter_height, 16u) : g.filter_row_chunks * g.filter_height;
    std::uint32_t rows = g.batch * g.output_height * g.output_width;
    if (pick(0, 3) == 0) g.row_pitch_chunks += pick(1, 9);
    if (pick(0, 2) == 0) rows = round_up(rows, 128u);
    g.n_chunks = g.row_pitch_chunks * rows;
    g.base = (rng_() >> pick(20, 40)) & ~Address{31};
    g.index_shift = pick(0, auto_index_shift(g.stride, g.channels));
    g.kernel_tag = static_cast<std::uint8_t>(rng_());
    g.zero_rule = pick(0, 3) != 0;
}

LoweredGeometry PacketSource::table1_layer(std::size_t layer, Rule rule) {
    const Layer& l = kTable1[layer];
    LoweredGeometry g;
    g.batch = kImages;
    g.transposed = l.transposed;
    g.up_factor = l.transposed ? l.stride : 1;
    g.input_height = g.input_width = l.size * g.up_factor;
    g.channels = l.channels;
    g.filter_height = g.filter_width = l.filter;
    g.pad = l.transposed ? l.filter - 1 - l.pad : l.pad;
    g.stride = l.transposed ? 1 : l.stride;
    finish(g, rule);
    return g;
}

LoweredGeometry PacketSource::random_layer() {
    for (;;) {
        LoweredGeometry g;
        const std::uint32_t size = pick(0, 7) == 0 ? 200 : pick(0, 1) == 0 ? 40 : 7;
        g.transposed = pick(0, 3) == 0;
        g.up_factor = g.transposed ? pick(1, pick(0, 3) == 0 ? 15 : 3) : 1;
        g.batch = pick(1, pick(0, 15) == 0 ? 1024 : 4);
        g.input_height = pick(1, size) * g.up_factor;
        g.input_width = pick(1, size) * g.up_factor;
        g.channels = pick(1, pick(0, 2) == 0 ? 600 : 19);
        g.filter_height = pick(1, pick(0, 7) == 0 ? 15 : 5);
        g.filter_width = pick(1, pick(0, 7) == 0 ? 20 : 5);
        g.pad = pick(0, pick(0, 7) == 0 ? 14 : 3);
        g.stride = g.transposed ? 1 : pick(1, pick(0, 7) == 0 ? 9 : 3);
        if (g.input_height + 2 * g.pad < g.filter_height ||
            g.input_width + 2 * g.pad < g.filter_width) {
            continue;
        }
        const std::uint64_t halves = std::uint64_t{g.batch} * (g.input_height + 2 * g.pad) *
                                     (g.input_width + 2 * g.pad) * (g.channels + 15) *
                                     g.filter_height * g.filter_width;
        if (halves > std::uint64_t{1} << 30) continue;  // workspace chunks fit 32 bits
        finish(g, static_cast<Rule>(pick(0, kRules - 1)));
        return g;
    }
}

/// Changes a bit, a field or a few bytes.
void PacketSource::spoil(ConvolutionPacket::Bytes& bytes) {
    const std::uint32_t at = pick(0, ConvolutionPacket::kBytes - 1);
    switch (pick(0, 4)) {
        case 0:
            bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1u << pick(0, 7));
            break;
        case 1:  // one more or one less
            bytes[at] = static_cast<std::uint8_t>(bytes[at] + (pick(0, 1) == 0 ? 1 : 255));
            break;
        case 2:
            bytes[at] = bytes[at ^ 1u] = 0;
            break;
        case 3:  // huge sizes: ranges of products
            for (std::uint32_t i = 8; i < 16; ++i) {
                bytes[i] = static_cast<std::uint8_t>(pick(0, 1) == 0 ? rng_() : 0xff);
            }
            break;
        default:
            for (std::uint32_t i = pick(1, 4); i-- > 0;) {
                bytes[pick(0, ConvolutionPacket::kBytes - 1)] = static_cast<std::uint8_t>(rng_());
            }
    }
}

/// The ends of the ranges.
LoweredGeometry PacketSource::extreme(Extreme which) {
    LoweredGeometry g;
    g.channels = 16;
    g.filter_height = g.filter_width = 1;
    g.input_height = g.input_width = 1;
    switch (which) {
        case Extreme::kIdRange:  // refused: ids would pass 48 bits
            g.batch = 1024;
            g.input_width = 65535;
            g.channels = 512;
            g.stride = 65;
            break;
        case Extreme::kImage:  // 2^32 halves
            g.input_height = g.input_width = 32768;
            g.channels = 4;
            g.stride = 255;
            break;
        case Extreme::kDensePitch:
            g.channels = 3;
            g.filter_width = g.input_width = 3;
            break;
        default:
            break;
    }
    finish(g, which == Extreme::kDensePitch ? Rule::kDense : Rule::kFilterRow);
    if (which == Extreme::kRows) {
        g.row_pitch_chunks = 1;
        g.n_chunks = 0xffffffff - kFragmentRows;  // the model counts rows behind it in 32 bits
    } else if (which == Extreme::kPitch || which == Extreme::kDensePitch) {
        g.row_pitch_chunks = g.n_chunks = 0xffffffff;
    }
    g.base = (Address{1} << 48) - Address{g.n_chunks} * 32;
    return g;
}

ConvolutionPacket::Bytes PacketSource::next() {
    const std::uint64_t number = count_++;
    if (number < kTable1.size() * kRules) {
        return ConvolutionPacket::make(
                   table1_layer(number / kRules, static_cast<Rule>(number % kRules)))
            .encode();
    }
    if (number < kTable1.size() * kRules + kExtremes) {
        const std::uint64_t which = number - kTable1.size() * kRules;
        return ConvolutionPacket::make(extreme(static_cast<Extreme>(which))).encode();
    }
    ConvolutionPacket::Bytes bytes = ConvolutionPacket::make(random_layer()).encode();
    if (pick(0, 1) == 0) spoil(bytes);
    return bytes;
}

}  // namespace tessera
