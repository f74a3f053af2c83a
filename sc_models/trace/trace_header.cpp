#include "sc_models/trace/trace_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <vector>

#include "sc_models/config/engine/config_node.h"
#include "sc_models/trace/line_fields.h"

namespace tessera {
namespace {

// CUDA's launch limits.
constexpr Dim3 kLargestGrid{0x7fffffff, 65535, 65535};
constexpr Dim3 kLargestBlock{1024, 1024, 64};
constexpr std::uint64_t kMostThreadsPerBlock = 1024;
constexpr std::uint32_t kMostRegisters = 256;
constexpr std::uint32_t kMostSharedBytes = 1 << 20;
constexpr std::uint32_t kNewestTracer = 6;
constexpr std::size_t kMostHeaderLines = 1000;
constexpr std::array<std::uint32_t, 10> kBinaryVersions = {35, 60, 61, 70, 75, 80, 86, 87, 89, 90};
/// CtaId must be able to represent all CTAs and an invalid id.
constexpr std::uint64_t kMostCtas = std::numeric_limits<std::uint32_t>::max() - 1ULL;

std::uint32_t decimal(std::string_view text, std::uint32_t min, std::uint32_t max) {
    const std::string what = fmt::format("a decimal number from {} to {}", min, max);
    const std::uint64_t value =
        parse_decimal(text, std::numeric_limits<std::uint64_t>::max(), what);
    if (value < min || value > max) throw unexpected(text, what);
    return static_cast<std::uint32_t>(value);
}

Address base_address(std::string_view text) {
    return parse_hex_0x(text, std::numeric_limits<Address>::max(), "0x and a hexadecimal address");
}

Dim3 positive_dim3(std::string_view text, const Dim3& max) {
    const std::string what =
        fmt::format("(X,Y,Z) with numbers from 1 to ({},{},{})", max.x, max.y, max.z);
    const Dim3 dim = parse_dim3(text, max, what);
    if (dim.count() == 0) throw unexpected(text, what);
    return dim;
}

Dim3 grid_size(std::string_view text) {
    const Dim3 grid = positive_dim3(text, kLargestGrid);
    // The product of the largest sizes just fits 63 bits.
    if (grid.count() > kMostCtas) {
        throw unexpected(text, fmt::format("a grid of at most {} thread blocks", kMostCtas));
    }
    return grid;
}

Dim3 block_size(std::string_view text) {
    const Dim3 block = positive_dim3(text, kLargestBlock);
    if (block.count() > kMostThreadsPerBlock) {
        throw unexpected(text, fmt::format("a block of at most {} threads", kMostThreadsPerBlock));
    }
    return block;
}

std::uint32_t binary_version(std::string_view text) {
    const std::uint32_t version = decimal(text, 0, std::numeric_limits<std::uint32_t>::max());
    if (std::find(kBinaryVersions.begin(), kBinaryVersions.end(), version) ==
        kBinaryVersions.end()) {
        throw unexpected(text, fmt::format("a supported binary version {{{}}}",
                                           fmt::join(kBinaryVersions, ", ")));
    }
    return version;
}

struct HeaderKey {
    std::string_view name;
    bool required;
    std::function<void(TraceHeader&, std::string_view)> read;
    bool seen = false;
};

std::vector<HeaderKey> header_keys() {
    constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
    using H = TraceHeader;
    using V = std::string_view;
    return {
        {"kernel name", true,
         [](H& h, V v) {
             if (v.empty()) throw unexpected(v, "the kernel's name");
             h.name = v;
         }},
        {"kernel id", true, [](H& h, V v) { h.id = decimal(v, 0, kAny); }},
        {"grid dim", true, [](H& h, V v) { h.grid = grid_size(v); }},
        {"block dim", true, [](H& h, V v) { h.block = block_size(v); }},
        {"shmem", true, [](H& h, V v) { h.shared_memory_bytes = decimal(v, 0, kMostSharedBytes); }},
        {"nregs", true, [](H& h, V v) { h.registers = decimal(v, 1, kMostRegisters); }},
        {"binary version", true, [](H& h, V v) { h.binary_version = binary_version(v); }},
        {"cuda stream id", true,
         [](H& h, V v) {
             h.stream =
                 parse_decimal(v, std::numeric_limits<std::uint64_t>::max(), "a decimal stream id");
         }},
        {"shmem base_addr", true, [](H& h, V v) { h.shared_base = base_address(v); }},
        {"local mem base_addr", true, [](H& h, V v) { h.local_base = base_address(v); }},
        {"accelsim tracer version", true,
         [](H& h, V v) { h.tracer_version = decimal(v, 1, kNewestTracer); }},
        {"enable lineinfo", false, [](H& h, V v) { h.line_info = decimal(v, 0, 1) != 0; }},
    };
}

void read_header_line(std::string_view line, std::vector<HeaderKey>& keys, TraceHeader& header) {
    constexpr std::string_view kSeparator = " = ";
    const std::string_view text = trimmed(line);
    std::size_t equals = text.find(kSeparator);
    std::string_view value;
    if (equals != std::string_view::npos) {
        value = trimmed(text.substr(equals + kSeparator.size()));
    } else if (text.size() > 2 && text.substr(text.size() - 2) == " =") {
        equals = text.size() - 2;  // nothing behind it
    }
    if (text[0] != '-' || equals == std::string_view::npos) {
        throw unexpected(text, "'-key = value' or the '#traces format' line");
    }
    const std::string_view name = trimmed(text.substr(1, equals - 1));
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [name](const HeaderKey& k) { return k.name == name; });
    if (key == keys.end()) return;
    if (key->seen) throw ConfigError(fmt::format("'-{}' occurs twice", name));
    key->seen = true;
    try {
        key->read(header, value);
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("-{}: {}", name, error.what()));
    }
}

}  // namespace

Dim3 parse_dim3(std::string_view text, const Dim3& max, std::string_view what) {
    std::string_view rest = text;
    if (rest.size() >= 2 && rest.front() == '(' && rest.back() == ')') {
        rest = rest.substr(1, rest.size() - 2);
    }
    const std::array<std::uint32_t, 3> limits = {max.x, max.y, max.z};
    std::array<std::uint32_t, 3> sizes{};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t comma = rest.find(',');
        if ((comma == std::string_view::npos) != (i == 2)) throw unexpected(text, what);
        try {
            sizes[i] = static_cast<std::uint32_t>(
                parse_decimal(trimmed(rest.substr(0, comma)), limits[i], what));
        } catch (const ConfigError&) {
            throw unexpected(text, what);
        }
        rest.remove_prefix(i == 2 ? 0 : comma + 1);
    }
    return {sizes[0], sizes[1], sizes[2]};
}

TraceHeader read_trace_header(LineReader& lines) {
    TraceHeader header;
    std::vector<HeaderKey> keys = header_keys();
    for (std::size_t count = 0;; ++count) {
        const std::string_view line = lines.next_not_blank();
        if (line.empty()) {
            throw lines.error("the file ends in the header, expected the '#traces format' line");
        }
        if (line[0] == '#') break;
        if (count == kMostHeaderLines) {
            throw lines.error(
                fmt::format("more than {} lines in the header, expected the '#traces "
                            "format' line",
                            kMostHeaderLines));
        }
        try {
            read_header_line(line, keys, header);
        } catch (const ConfigError& error) {
            throw lines.error(error.what());
        }
    }
    for (const HeaderKey& key : keys) {
        if (key.required && !key.seen) {
            throw lines.error(
                fmt::format("the header ends here, expected '-{} = ...' in it", key.name));
        }
    }
    return header;
}

std::string to_text(const TraceHeader& h) {
    return fmt::format(
        "-kernel name = {}\n-kernel id = {}\n-grid dim = ({},{},{})\n-block dim = ({},{},{})\n"
        "-shmem = {}\n-nregs = {}\n-binary version = {}\n-cuda stream id = {}\n"
        "-shmem base_addr = 0x{:016x}\n-local mem base_addr = 0x{:016x}\n-nvbit version = 1.5.5\n"
        "-accelsim tracer version = {}\n-enable lineinfo = {}\n\n"
        "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
        "mem_width [adrrescompress?] [mem_addresses] immediate\n\n",
        h.name, h.id, h.grid.x, h.grid.y, h.grid.z, h.block.x, h.block.y, h.block.z,
        h.shared_memory_bytes, h.registers, h.binary_version, h.stream, h.shared_base, h.local_base,
        h.tracer_version, h.line_info ? 1 : 0);
}

}  // namespace tessera
