#include "sc_models/isa/convolution_packet.h"

#include <numeric>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {

namespace {

constexpr std::uint32_t kChunkHalves = 16;
constexpr std::uint32_t kDenseFlag = 0x8000;
constexpr std::uint32_t kMaxShift = 4;

[[noreturn]] void refuse(const char* field, const std::string& why) {
    throw ConfigError(std::string("convolution packet: ") + field + ": " + why);
}

void need_range(const char* field, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
    if (value < low || value > high) {
        refuse(field, "got " + std::to_string(value) + ", expected " + std::to_string(low) +
                          " to " + std::to_string(high));
    }
}

void need_equal(const char* field, std::uint64_t value, std::uint64_t expected,
                const std::string& from) {
    if (value != expected) {
        refuse(field, "got " + std::to_string(value) + ", but " + from + " give " +
                          std::to_string(expected));
    }
}

std::uint32_t get(const ConvolutionPacket::Bytes& bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        value |= std::uint32_t{bytes[at + i]} << (8 * i);
    }
    return value;
}

void put(ConvolutionPacket::Bytes& bytes, std::size_t at, std::size_t count, std::uint64_t value) {
    for (std::size_t i = 0; i < count; ++i) {
        bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
}

/// Filter positions along an axis.
std::uint32_t positions(std::uint32_t padded, std::uint32_t filter, std::uint32_t stride) {
    return (padded - filter) / stride + 1;
}

/// Checks that some filter width explains both the length of a filter row and the output's width.
/// The packet stores only the former.
void check_width(const ConvolutionPacket& p) {
    const std::uint32_t longest = p.filter_row_halves() / p.channels;
    const std::uint32_t shortest =
        p.dense ? longest : (p.filter_row_halves() - kChunkHalves) / p.channels + 1;
    if (longest == 0 || shortest > longest || (p.dense && longest * p.channels != p.filter_row)) {
        refuse("filter_row", "got " + std::to_string(p.filter_row) +
                                 ", which no whole number of pixels of " +
                                 std::to_string(p.channels) + " channels gives");
    }
    if (shortest > p.padded_width) {
        refuse("filter_row", "the filter is wider than the padded input (" +
                                 std::to_string(p.padded_width) + ")");
    }
    for (std::uint32_t width = shortest; width <= longest && width <= p.padded_width; ++width) {
        if (positions(p.padded_width, width, p.stride) == p.output_width) {
            return;
        }
    }
    refuse(
        "output_width",
        "got " + std::to_string(p.output_width) + ", but padded width " +
            std::to_string(p.padded_width) + ", filter width " + std::to_string(longest) +
            " and stride " + std::to_string(p.stride) + " give " +
            std::to_string(positions(p.padded_width, std::min(longest, p.padded_width), p.stride)));
}

void check_end(const ConvolutionPacket& p) {
    if (p.end() > (Address{1} << 48)) refuse("n_chunks", "the data ends beyond 48 address bits");
}

/// Whether the packet of an implicit GEMM leaves all workspace fields at their defaults.
bool says_nothing_else(const ConvolutionPacket& p) {
    ConvolutionPacket nothing_else;
    nothing_else.base = p.base;
    nothing_else.n_chunks = p.n_chunks;
    nothing_else.index_shift = p.index_shift;
    nothing_else.kernel_tag = p.kernel_tag;
    return p == nothing_else;
}

}  // namespace

std::uint32_t auto_index_shift(std::uint32_t stride, std::uint32_t channels) {
    const std::uint32_t common = std::gcd(kChunkHalves, stride * channels);
    std::uint32_t shift = 0;
    while ((2u << shift) <= common && shift < kMaxShift) {
        ++shift;
    }
    return shift;
}

ConvolutionPacket ConvolutionPacket::by_place(Address base, std::uint64_t n_chunks) {
    need_range("n_chunks", n_chunks, 1, 0xffffffffu);
    ConvolutionPacket p;
    p.base = base;
    p.n_chunks = static_cast<std::uint32_t>(n_chunks);
    p.index_shift = kMaxShift;
    p.check();
    return p;
}

ConvolutionPacket ConvolutionPacket::make(const LoweredGeometry& g) {
    need_range("channels", g.channels, 1, 65535);
    need_range("filter_width", g.filter_width, 1, kMostFilterWidth);
    need_range("pad", g.pad, 0, 255);
    need_range("stride", g.stride, 1, 255);
    need_range("input_height", g.input_height, 1, 65535);
    need_range("input_width", g.input_width, 1, 65535);
    const std::uint32_t row_halves = g.filter_width * g.channels;
    need_equal("filter_row_chunks", g.filter_row_chunks, ceil_div(row_halves, kChunkHalves),
               "filter width and channels");
    const std::uint32_t padded_width = g.input_width + 2 * g.pad;
    if (g.filter_width > padded_width) {
        refuse("filter_width", "got " + std::to_string(g.filter_width) +
                                   ", wider than the padded input (" +
                                   std::to_string(padded_width) + ")");
    }
    need_equal("output_width", g.output_width, positions(padded_width, g.filter_width, g.stride),
               "padded width, filter width and stride");
    if (g.up_factor != 0 &&
        (g.input_height % g.up_factor != 0 || g.input_width % g.up_factor != 0)) {
        refuse("up_factor", "got " + std::to_string(g.up_factor) +
                                ", which does not divide the zero-inserted input");
    }

    ConvolutionPacket p;
    p.base = g.base;
    p.batch = g.batch;
    p.transposed = g.transposed;
    p.zero_rule = g.zero_rule;
    p.index_shift = g.index_shift;
    p.padded_width = padded_width;
    p.padded_height = g.input_height + 2 * g.pad;
    p.output_height = g.output_height;
    p.output_width = g.output_width;
    p.channels = g.channels;
    p.filter_height = g.filter_height;
    p.up_factor = g.up_factor;
    p.pad = g.pad;
    p.stride = g.stride;
    p.kernel_tag = g.kernel_tag;
    // A dense filter row of a whole number of chunks is packed as an ordinary one.
    p.dense = g.dense && row_halves % kChunkHalves != 0;
    p.filter_row = p.dense ? row_halves : g.filter_row_chunks;
    p.row_pitch_chunks = g.row_pitch_chunks;
    p.n_chunks = g.n_chunks;
    p.check();
    return p;
}

void ConvolutionPacket::check() const {
    if (!valid) {
        refuse("valid", "the packet is not marked valid");
    }
    if (base % 32 != 0) {
        refuse("base", "got " + std::to_string(base) + ", which is not 32-byte aligned");
    }
    need_range("base", base, 0, (Address{1} << 48) - 1);
    if (is_by_place() && says_nothing_else(*this)) {
        need_range("n_chunks", n_chunks, 1, 0xffffffffu);
        need_range("index_shift", index_shift, 0, kMaxShift);
        check_end(*this);
        return;
    }
    need_range("batch", batch, 1, kMostImages);
    need_range("stride", stride, 1, 255);
    need_range("pad", pad, 0, 255);
    need_range("channels", channels, 1, 65535);
    need_range("filter_height", filter_height, 1, kMostFilterHeight);
    need_range("filter_row", filter_row, 1, kDenseFlag - 1);
    need_range("up_factor", up_factor, 1, 15);
    need_range("padded_width", padded_width, 2 * pad + 1, 65535);
    need_range("padded_height", padded_height, 2 * pad + 1, 65535);
    need_range("output_height", output_height, 1, 65535);
    need_range("output_width", output_width, 1, 65535);
    need_range("row_pitch_chunks", row_pitch_chunks, 1, 0xffffffffu);
    need_range("index_shift", index_shift, 0, auto_index_shift(stride, channels));
    if (transposed) {
        need_range("stride", stride, 1, 1);
    } else {
        need_range("up_factor", up_factor, 1, 1);
    }
    if (std::uint64_t{padded_height} * padded_width * channels > (std::uint64_t{1} << 32)) {
        refuse("channels", "a padded image has more than 2^32 halves, element ids would repeat");
    }
    if (filter_height > padded_height) {
        refuse("filter_height", "got " + std::to_string(filter_height) +
                                    ", higher than the padded input (" +
                                    std::to_string(padded_height) + ")");
    }
    need_equal("output_height", output_height, positions(padded_height, filter_height, stride),
               "padded height, filter height and stride");
    check_width(*this);
    const std::uint64_t row_chunks =
        dense ? ceil_div(std::uint64_t{filter_height} * filter_row, std::uint64_t{kChunkHalves})
              : std::uint64_t{filter_height} * filter_row;
    if (row_pitch_chunks < row_chunks) {
        refuse("row_pitch_chunks", "got " + std::to_string(row_pitch_chunks) +
                                       ", less than a row (" + std::to_string(row_chunks) + ")");
    }
    const std::uint64_t total_rows = std::uint64_t{batch} * output_height * output_width;
    if (n_chunks % row_pitch_chunks != 0 || n_chunks / row_pitch_chunks < total_rows) {
        refuse("n_chunks", "got " + std::to_string(n_chunks) +
                               ", expected a multiple of the pitch (" +
                               std::to_string(row_pitch_chunks) + ") of at least " +
                               std::to_string(total_rows) + " rows");
    }
    check_end(*this);
}

ConvolutionPacket::Bytes ConvolutionPacket::encode() const {
    Bytes bytes{};
    put(bytes, 0, 6, base);
    put(bytes, 6, 2,
        ((batch - 1) & 0x3ffu) | (valid ? 1u << 10 : 0) | (transposed ? 1u << 11 : 0) |
            (zero_rule ? 1u << 12 : 0) | ((index_shift & 7u) << 13));
    put(bytes, 8, 2, padded_width);
    put(bytes, 10, 2, output_height);
    put(bytes, 12, 2, output_width);
    put(bytes, 14, 2, channels);
    put(bytes, 16, 1, (filter_height & 0xfu) | (up_factor & 0xfu) << 4);
    put(bytes, 17, 1, pad);
    put(bytes, 18, 1, stride);
    put(bytes, 19, 1, kernel_tag);
    put(bytes, 20, 2, filter_row | (dense ? kDenseFlag : 0));
    put(bytes, 22, 2, padded_height);
    put(bytes, 24, 4, row_pitch_chunks);
    put(bytes, 28, 4, n_chunks);
    return bytes;
}

ConvolutionPacket ConvolutionPacket::decode(const Bytes& bytes) {
    ConvolutionPacket p;
    p.base = get(bytes, 0, 4) | Address{get(bytes, 4, 2)} << 32;
    const std::uint32_t flags = get(bytes, 6, 2);
    p.batch = (flags & 0x3ffu) + 1;
    p.valid = (flags >> 10 & 1u) != 0;
    p.transposed = (flags >> 11 & 1u) != 0;
    p.zero_rule = (flags >> 12 & 1u) != 0;
    p.index_shift = flags >> 13;
    p.padded_width = get(bytes, 8, 2);
    p.output_height = get(bytes, 10, 2);
    p.output_width = get(bytes, 12, 2);
    p.channels = get(bytes, 14, 2);
    p.filter_height = bytes[16] & 0xfu;
    p.up_factor = bytes[16] >> 4;
    p.pad = bytes[17];
    p.stride = bytes[18];
    p.kernel_tag = bytes[19];
    const std::uint32_t filter_row = get(bytes, 20, 2);
    p.dense = (filter_row & kDenseFlag) != 0;
    p.filter_row = filter_row & (kDenseFlag - 1);
    p.padded_height = get(bytes, 22, 2);
    p.row_pitch_chunks = get(bytes, 24, 4);
    p.n_chunks = get(bytes, 28, 4);
    return p;
}

}  // namespace tessera
