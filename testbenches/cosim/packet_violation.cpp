#include "testbenches/cosim/packet_violation.h"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::uint32_t kMaxSize = 65535;  // of fields of 16 bits
constexpr Address kMemory = Address{1} << 48;

/// One more or one less.
std::uint32_t by_one(std::uint32_t value, std::uint32_t draw) {
    return value + (draw % 2 == 0 ? 1 : ~0u);
}

/// The lowest image with more than 2^32 halves, and of the most channels if none is high enough.
void enlarge_image(ConvolutionPacket& p) {
    const std::uint64_t row =
        std::max<std::uint64_t>(1, std::uint64_t{p.padded_width} * p.channels);
    const std::uint64_t rows = (std::uint64_t{1} << 32) / row + 1;
    p.padded_height = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, kMaxSize));
    if (rows > kMaxSize) {
        const std::uint64_t column =
            std::max<std::uint64_t>(1, std::uint64_t{p.padded_height} * p.padded_width);
        p.channels = static_cast<std::uint32_t>(
            std::min<std::uint64_t>((std::uint64_t{1} << 32) / column + 1, kMaxSize));
        p.index_shift = 0;
    }
}

std::uint32_t row_chunks(const ConvolutionPacket& p) {
    const std::uint32_t length = p.filter_height * p.filter_row;
    return p.dense ? ceil_div(length, 16u) : length;
}

}  // namespace

void apply_violation(ConvolutionPacket& p, PacketViolation how, std::uint32_t draw) {
    switch (how) {
        case PacketViolation::kValid:
            p.valid = false;
            break;
        case PacketViolation::kBase:
            p.base ^= Address{1} << draw % 5;
            break;
        case PacketViolation::kNoStride:
            p.stride = 0;
            break;
        case PacketViolation::kStrideOfTransposed:
            p.transposed = true;
            p.stride = draw % 2 == 0 ? 1u << draw / 2 % 8 : draw / 2 % 256;
            p.index_shift = 0;
            break;
        case PacketViolation::kNoChannels:
            p.channels = 0;
            break;
        case PacketViolation::kImageSize:
            enlarge_image(p);
            break;
        case PacketViolation::kNoFilterHeight:
            p.filter_height = 0;
            break;
        case PacketViolation::kFilterTooHigh:
            p.filter_height = 2 + draw % 14;
            p.padded_height = p.filter_height - 1;
            p.pad = 0;
            break;
        case PacketViolation::kNoFilterRow:
            p.filter_row = 0;
            break;
        case PacketViolation::kFilterRowTooShort:
            p.filter_row = std::max(1u, p.dense ? p.channels - 1 : (p.channels - 1) / 16);
            break;
        case PacketViolation::kFilterRowUneven:
            p.filter_row = p.filter_row_halves() + 1 + draw % 2;
            p.dense = true;
            break;
        case PacketViolation::kFilterRowByOne:
            p.filter_row = by_one(p.filter_row, draw);
            break;
        case PacketViolation::kFilterTooWide:
            p.padded_width =
                std::max(1u, p.filter_row_halves() / std::max(1u, p.channels) - draw % 2);
            p.pad = 0;
            break;
        case PacketViolation::kNoUpFactor:
            p.up_factor = 0;
            break;
        case PacketViolation::kUpFactorOfOrdinary:
            p.transposed = false;
            p.up_factor = draw % 2 == 0 ? 1u << draw / 2 % 4 : draw / 2 % 16;
            break;
        case PacketViolation::kPaddedWidth:
            p.pad = draw / 4 % 256;
            p.padded_width = 2 * p.pad + draw % 3;
            break;
        case PacketViolation::kPaddedHeight:
            p.pad = draw / 4 % 256;
            p.padded_width = std::max(p.padded_width, 2 * p.pad + 1);
            p.padded_height = 2 * p.pad + draw % 3;
            break;
        case PacketViolation::kNoOutputHeight:
            p.output_height = 0;
            break;
        case PacketViolation::kOutputHeightByOne:
            p.output_height = by_one(p.output_height, draw);
            break;
        case PacketViolation::kNoOutputWidth:
            p.output_width = 0;
            break;
        case PacketViolation::kOutputWidthByOne:
            p.output_width = by_one(p.output_width, draw);
            break;
        case PacketViolation::kNoRowPitch:
            p.row_pitch_chunks = 0;
            break;
        case PacketViolation::kRowPitchTooShort:
            p.row_pitch_chunks = row_chunks(p) - draw % 2;
            p.n_chunks = p.row_pitch_chunks * p.rows();
            break;
        case PacketViolation::kIndexShift:
            p.index_shift =
                draw % 2 == 0 ? auto_index_shift(p.stride, p.channels) + 1 : draw / 2 % 8;
            break;
        case PacketViolation::kChunksUneven:
            p.n_chunks += draw % 2 == 0 ? 1u << draw / 2 % 32 : ~0u;
            break;
        case PacketViolation::kChunksTooFew:
            p.n_chunks = p.row_pitch_chunks * (p.rows() - draw % 2);
            break;
        case PacketViolation::kEndOfMemory:
            p.base = kMemory - Address{p.n_chunks} * 32;
            if (draw % 2 == 0 && p.n_chunks > 1) p.base += Address{32} << draw / 2 % 4;
            p.base = std::min(p.base, kMemory - 32);
            break;
    }
}

}  // namespace tessera
