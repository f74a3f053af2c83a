#include "testbenches/cosim/packet_source.h"

#include "sc_models/isa/warp_instruction.h"
#include "testbenches/cosim/packet_violation.h"
#include "testbenches/cosim/table1_layers.h"

namespace tessera {

namespace {

constexpr std::uint32_t kImages = 8;
constexpr std::uint32_t kMaxSize = 65535;       // of fields of 16 bits
constexpr std::uint32_t kMaxFilterRow = 32767;  // halves of a dense one
constexpr std::uint32_t kRules = 3;
constexpr std::uint64_t kDirectedViolations = 3 * kPacketViolations;
constexpr std::uint64_t kViolationPairs = std::uint64_t{kPacketViolations} * kPacketViolations;
/// The model counts rows behind the last one in 32 bits.
constexpr std::uint64_t kMaxChunks = 0xffffffffu - kFragmentRows;

std::uint32_t positions(std::uint32_t padded, std::uint32_t filter, std::uint32_t stride) {
    return (padded - filter) / stride + 1;
}

/// Whether packets have room for a layer, whatever `finish` rounds up.
bool fits(const LoweredGeometry& g) {
    const std::uint64_t width = g.input_width + 2 * g.pad;
    const std::uint64_t height = g.input_height + 2 * g.pad;
    const std::uint64_t channels = round_up(g.channels, 16u);
    const std::uint64_t row = g.filter_width * channels;
    if (width > kMaxSize || height > kMaxSize || channels > kMaxSize || row > kMaxFilterRow ||
        width < g.filter_width || height < g.filter_height ||
        width * height * channels > std::uint64_t{1} << 32) {
        return false;
    }
    const std::uint64_t rows =
        g.batch *
        (std::uint64_t{positions(static_cast<std::uint32_t>(height), g.filter_height, g.stride)} *
             positions(static_cast<std::uint32_t>(width), g.filter_width, g.stride) +
         127);
    return rows * (g.filter_height * ceil_div(row, std::uint64_t{16}) + 9) <= kMaxChunks;
}

}  // namespace

/// Sets the fields derived from batch, input, channels, filter, pad, stride and up-factor.
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
    if (pick(0, 2) == 0) rows = round_up(rows, 128u);
    const auto longest_pitch = static_cast<std::uint32_t>(kMaxChunks / rows);
    if (pick(0, 3) == 0) g.row_pitch_chunks += pick(1, 9);
    if (pick(0, 7) == 0)
        g.row_pitch_chunks = pick(g.row_pitch_chunks, std::max(g.row_pitch_chunks, longest_pitch));
    g.n_chunks = g.row_pitch_chunks * rows;
    g.base = (rng_() >> pick(20, 40)) & ~Address{31};
    g.index_shift = pick(0, auto_index_shift(g.stride, g.channels));
    g.kernel_tag = static_cast<std::uint8_t>(rng_());
    g.zero_rule = pick(0, 3) != 0;
}

LoweredGeometry PacketSource::table1_layer(std::size_t layer, Rule rule) {
    const Table1Layer& l = kTable1[layer];
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

std::uint32_t PacketSource::pick_size(std::uint32_t high) {
    const std::uint32_t bits = pick(0, 16);
    return pick(1, std::min(high, (2u << bits) - 1));
}

LoweredGeometry PacketSource::wide_layer() {
    for (;;) {
        LoweredGeometry g;
        g.transposed = pick(0, 3) == 0;
        g.up_factor = g.transposed ? pick(1, 15) : 1;
        g.batch = pick_size(1024);
        g.input_height = pick_size(kMaxSize / g.up_factor) * g.up_factor;
        g.input_width = pick_size(kMaxSize / g.up_factor) * g.up_factor;
        g.channels = pick_size(kMaxSize);
        g.filter_height = pick(1, 15);
        g.filter_width = pick_size(255);
        g.pad = pick_size(256) - 1;
        g.stride = g.transposed ? 1 : pick_size(255);
        if (!fits(g)) continue;
        finish(g, static_cast<Rule>(pick(0, kRules - 1)));
        return g;
    }
}

LoweredGeometry PacketSource::long_layer() {
    for (;;) {
        LoweredGeometry g;
        g.batch = many_images();
        g.input_width = pick(1u << 14, kMaxSize);
        g.filter_height = pick(1, 15);
        g.input_height = g.filter_height + pick(0, 9);
        g.filter_width = pick(1, 8);
        g.stride = pick(1, 255);
        const std::uint64_t span =
            std::uint64_t{g.batch} * g.stride * positions(g.input_width, g.filter_width, g.stride);
        const std::uint64_t channels =
            (std::uint64_t{1} << 48) / ((span + g.filter_height) * g.input_width) + pick(0, 1);
        if (channels == 0 || channels > kMaxSize) continue;
        g.channels = static_cast<std::uint32_t>(channels);
        if (!fits(g)) continue;
        finish(g, pick(0, 1) == 0 ? Rule::kFilterRow : Rule::kDense);
        return g;
    }
}

LoweredGeometry PacketSource::deep_layer() {
    LoweredGeometry g;
    const bool single = pick(0, 2) == 0;
    g.batch = single ? 1 : many_images();
    g.channels = pick(1U << 15, kMaxSize);
    g.filter_height = pick(1, 3);
    g.filter_width = pick(1, 3);
    g.input_height = g.filter_height + (single ? 0 : pick(0, 3));
    g.input_width = g.filter_width + (single ? 0 : pick(0, 7));
    g.stride = pick(1, 4);
    finish(g, Rule::kFilterRow);
    if (single) {  // one row of the workspace, of any length
        g.n_chunks = pick(g.row_pitch_chunks, static_cast<std::uint32_t>(kMaxChunks));
        g.row_pitch_chunks = g.n_chunks;
    }
    return g;
}

LoweredGeometry PacketSource::tall_layer() {
    LoweredGeometry g;
    g.batch = pick(0, 1) == 0 ? pick(1, 4) : many_images();
    const std::uint64_t image = (std::uint64_t{1} << pick(24, 31)) / g.batch;
    g.input_width = pick(static_cast<std::uint32_t>(ceil_div(image, std::uint64_t{kMaxSize})),
                         static_cast<std::uint32_t>(std::min<std::uint64_t>(image, kMaxSize)));
    g.input_height = static_cast<std::uint32_t>(image / g.input_width);
    g.channels = pick(1, 2);
    g.filter_height = g.filter_width = 1;
    finish(g, Rule::kFilterRow);
    g.row_pitch_chunks = 1;
    g.n_chunks = g.batch * g.output_height * g.output_width;
    return g;
}

LoweredGeometry PacketSource::padded_layer() {
    for (;;) {
        LoweredGeometry g;
        g.transposed = pick(0, 1) == 0;
        g.up_factor = g.transposed ? pick(1, 15) : 1;
        g.batch = pick(1, 3);
        g.input_height = pick(1, 6) * g.up_factor;
        g.input_width = pick(1, 6) * g.up_factor;
        g.channels = pick(1, 17);
        g.filter_height = pick(1, 7);
        g.filter_width = pick(1, 20);
        g.pad = pick(0, 16);
        g.stride = g.transposed ? 1 : pick(1, 3);
        if (!fits(g)) continue;
        finish(g, static_cast<Rule>(pick(1, kRules - 1)));
        g.zero_rule = true;
        return g;
    }
}

LoweredGeometry PacketSource::stretched_layer() {
    for (;;) {
        LoweredGeometry g;
        g.transposed = true;
        g.up_factor = pick(2, 15);
        const bool upright = pick(0, 1) == 0;
        (upright ? g.input_height : g.input_width) =
            pick_size(kMaxSize / g.up_factor) * g.up_factor;
        (upright ? g.input_width : g.input_height) = pick(1, 3) * g.up_factor;
        g.channels = pick(1, 9);
        g.filter_height = pick(1, 4);
        g.filter_width = pick(1, 8);
        g.pad = pick(0, 1) == 0 ? pick(0, 8) : pick(0, 255);
        if (!fits(g)) continue;
        finish(g, static_cast<Rule>(pick(1, kRules - 1)));
        g.zero_rule = true;
        return g;
    }
}

bool PacketSource::set_filter_width(ConvolutionPacket& p, std::uint32_t width) {
    if (width > p.padded_width) return false;
    const std::uint64_t halves = std::uint64_t{width} * p.channels;
    const std::uint64_t row = p.dense ? halves : ceil_div(halves, std::uint64_t{16});
    if (row > kMaxFilterRow) return false;
    const std::uint64_t pitch =
        p.dense ? ceil_div(row * p.filter_height, std::uint64_t{16}) : row * p.filter_height;
    const std::uint32_t output_width = positions(p.padded_width, width, p.stride);
    const std::uint64_t chunks = pitch * p.batch * p.output_height * output_width;
    if (chunks > kMaxChunks) return false;
    p.filter_row = static_cast<std::uint32_t>(row);
    p.output_width = output_width;
    p.row_pitch_chunks = static_cast<std::uint32_t>(pitch);
    p.n_chunks = static_cast<std::uint32_t>(chunks);
    return true;
}

void PacketSource::widen_filter(ConvolutionPacket& p) {
    static_cast<void>(set_filter_width(
        p, pick(0, 1) == 0 ? pick(1, p.padded_width)
                           : p.padded_width - std::min(pick(0, 3), p.padded_width - 1)));
}

ConvolutionPacket PacketSource::far_packet() {
    for (;;) {
        LoweredGeometry g;
        const std::uint32_t kind = pick(0, 2);
        g.transposed = kind != 2;
        g.up_factor = g.transposed ? pick(2, 15) : 1;
        g.filter_height = pick(1, 2);
        g.filter_width = 1;
        g.input_height = g.up_factor;
        g.channels = 1;
        std::uint32_t filter_width = 1;
        if (kind == 0) {  // a filter of more than 1024 pixels, a chunk of one or two each
            g.input_width = pick(2048 / g.up_factor + 1, 6000 / g.up_factor) * g.up_factor;
            g.channels = pick(8, 16);
            g.pad = pick(0, 1);
            filter_width = pick(1025, 32767 / g.channels);
        } else if (kind == 1) {  // the last of more than 2^15 rows
            g.pad = pick(0, 255);
            g.input_height = pick(32768 / g.up_factor, 65000 / g.up_factor) * g.up_factor;
            g.input_width = g.up_factor * pick(1, 3);
            g.channels = pick(1, 17);
        } else {  // a filter of more than 2^15 pixels
            g.input_width = pick(32800, kMaxSize);
            filter_width = pick(32769, g.input_width);
        }
        if (!fits(g)) continue;
        finish(g, kind == 0 && pick(0, 1) == 0 ? Rule::kDense : Rule::kFilterRow);
        g.zero_rule = true;
        ConvolutionPacket packet = ConvolutionPacket::make(g);
        if (kind == 1 || set_filter_width(packet, filter_width)) return packet;
    }
}

ConvolutionPacket PacketSource::random_packet() {
    ConvolutionPacket packet;
    switch (pick(0, 15)) {
        case 0:
            return ConvolutionPacket::make(pick(0, 7) == 0 ? deep_layer() : long_layer());
        case 1:
            return pick(0, 1) == 0 ? far_packet() : ConvolutionPacket::make(tall_layer());
        case 2:
        case 3:
            return ConvolutionPacket::make(wide_layer());
        case 4:
        case 5:
        case 6:
        case 7:
        case 10:
            return ConvolutionPacket::make(padded_layer());
        case 11:
        case 12:
        case 13:
            return ConvolutionPacket::make(stretched_layer());
        case 8:
            packet = ConvolutionPacket::make(wide_layer());
            break;
        case 9:
            packet = ConvolutionPacket::make(random_layer());
            break;
        default:
            return ConvolutionPacket::make(random_layer());
    }
    widen_filter(packet);
    return packet;
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
        case Extreme::kIdRangeByOne:  // refused: (1023 x 820 x 5 + 4) x 4096 x 16384 is 2^48
            g.batch = 1023;
            g.input_width = 4096;
            g.channels = 16384;
            g.stride = 5;
            g.input_height = g.filter_height = 4;
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
        case Extreme::kStretched:  // 2^14 is in the midst of ten inserted zeros
        case Extreme::kStretchedUpright:
            g.transposed = true;
            g.up_factor = 11;
            g.channels = 2;
            g.input_height = g.input_width = 11;
            (which == Extreme::kStretched ? g.input_width : g.input_height) = 11 * 2980;
            break;
        default:
            break;
    }
    finish(g, which == Extreme::kDensePitch ? Rule::kDense : Rule::kFilterRow);
    if (which == Extreme::kRows) {
        g.row_pitch_chunks = 1;
        g.n_chunks = kMaxChunks;
    } else if (which == Extreme::kPitch || which == Extreme::kDensePitch) {
        g.row_pitch_chunks = g.n_chunks = 0xffffffff;
    } else if (g.transposed) {
        g.zero_rule = true;
    }
    g.base = (Address{1} << 48) - Address{g.n_chunks} * 32;
    return g;
}

ConvolutionPacket::Bytes PacketSource::broken() {
    ConvolutionPacket packet = random_packet();
    const std::uint32_t which = pick(0, 3) == 0 ? 0 : pick(0, kPacketViolations - 1);
    apply_violation(packet, static_cast<PacketViolation>(which), pick(0, 0xffff));
    return packet.encode();
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
    const std::uint64_t violations = number - kTable1.size() * kRules - kExtremes;
    if (violations < kDirectedViolations) {
        ConvolutionPacket packet = ConvolutionPacket::make(
            table1_layer(violations % kTable1.size(), static_cast<Rule>(violations % kRules)));
        apply_violation(packet, static_cast<PacketViolation>(violations % kPacketViolations),
                        pick(0, 0xffff));
        return packet.encode();
    }
    if (violations < kDirectedViolations + kViolationPairs) {
        // Which of two rules comes first.
        const auto pair = static_cast<std::uint32_t>(violations - kDirectedViolations);
        ConvolutionPacket packet = ConvolutionPacket::make(
            table1_layer(pair % kTable1.size(), static_cast<Rule>(pair % kRules)));
        apply_violation(packet, static_cast<PacketViolation>(pair / kPacketViolations),
                        pick(0, 0xffff));
        apply_violation(packet, static_cast<PacketViolation>(pair % kPacketViolations),
                        pick(0, 0xffff));
        return packet.encode();
    }
    ConvolutionPacket packet = random_packet();
    ConvolutionPacket::Bytes bytes = packet.encode();
    switch (pick(0, 7)) {
        case 0:
        case 1:
        case 2:
            apply_violation(packet, static_cast<PacketViolation>(pick(0, kPacketViolations - 1)),
                            pick(0, 0xffff));
            if (pick(0, 2) == 0) {
                apply_violation(packet,
                                static_cast<PacketViolation>(pick(0, kPacketViolations - 1)),
                                pick(0, 0xffff));
            }
            return packet.encode();
        case 3:
            spoil(bytes);
            break;
        default:
            break;
    }
    return bytes;
}

}  // namespace tessera
