#include "sc_models/trace/instruction_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>

#include "sc_models/config/engine/config_node.h"
#include "sc_models/trace/line_fields.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMostSources = 4;
constexpr std::uint32_t kMostMemoryWidth = 4096;
constexpr Address kHighestAddress = kTraceAddressLimit - 1;
constexpr std::uint64_t kAny32 = std::numeric_limits<std::uint32_t>::max();

/// Letters before a register's number, by RegisterKind.
constexpr std::array<std::string_view, 4> kRegisterLetters = {"R", "UR", "P", "UP"};

std::uint8_t register_field(LineFields& fields, const TraceHeader& header, RegisterKind& kind) {
    const std::string_view what = header.is_tracer6()
                                      ? "a register R0 to R255, or UR, P or UP with such a number"
                                      : "a register R0 to R255";
    const std::string_view field = fields.next(what);
    const std::size_t letters = std::min(field.find_first_of("0123456789"), field.size());
    const auto* const known =
        std::find(kRegisterLetters.begin(), kRegisterLetters.end(), field.substr(0, letters));
    if (known == kRegisterLetters.end()) throw unexpected(field, what);
    kind = static_cast<RegisterKind>(known - kRegisterLetters.begin());
    if (kind != RegisterKind::kVector && !header.is_tracer6()) throw unexpected(field, what);
    try {
        return static_cast<std::uint8_t>(parse_decimal(field.substr(letters), 255, what));
    } catch (const ConfigError&) {
        throw unexpected(field, what);
    }
}

std::uint64_t decimal_field(LineFields& fields, std::uint64_t max, std::string_view what) {
    return parse_decimal(fields.next(what), max, what);
}

Address address_field(LineFields& fields) {
    constexpr std::string_view kWhat = "an address 0xHEX";
    return parse_hex_0x(fields.next(kWhat), kHighestAddress, kWhat);
}

/// Returns `address + step`; throws if that is no valid address.
Address moved(Address address, std::int64_t step) {
    const Address sum = address + static_cast<Address>(step);
    if (sum > kHighestAddress) {
        throw ConfigError(fmt::format(
            "address overflow: 0x{:x} {} {}, expected at most 0x{:x}", address,
            step < 0 ? '-' : '+',
            step < 0 ? Address{0} - static_cast<Address>(step) : static_cast<Address>(step),
            kHighestAddress));
    }
    return sum;
}

void read_stride(LineFields& fields, InstructionLine& line) {
    const std::uint32_t mask = line.active_mask;
    Address address = address_field(fields);
    constexpr std::string_view kWhat = "a decimal stride";
    const std::int64_t stride = parse_signed(fields.next(kWhat), kWhat);
    if (mask == 0) return;
    const std::uint64_t shifted = std::uint64_t{mask} >> first_lane(mask);
    if ((shifted & (shifted + 1)) != 0) {
        throw ConfigError(fmt::format(
            "got mask {:08x} with address mode 1, expected active lanes without gaps", mask));
    }
    for (std::uint32_t lane = first_lane(mask);; ++lane) {
        line.addresses[lane] = address;
        if (lane + 1 == kThreadsPerWarp || (mask >> (lane + 1) & 1) == 0) break;
        address = moved(address, stride);
    }
}

/// Reads the deltas of a line. Tracers write one for every active lane but the first; a surplus
/// delta is accepted before version 6, as by other readers of the format. Leaves `fields` behind
/// the deltas.
void read_deltas(LineFields& fields, InstructionLine& line, const TraceHeader& header) {
    Address address = address_field(fields);
    bool first = true;
    for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
        if ((line.active_mask >> lane & 1) == 0) continue;
        if (!first) {
            constexpr std::string_view kWhat =
                "an address difference for every active lane but the first";
            address = moved(address, parse_signed(fields.next(kWhat), kWhat));
        }
        line.addresses[lane] = address;
        first = false;
    }
    if (header.is_tracer6() || line.active_mask == 0 || fields.at_end()) return;
    LineFields behind = fields;
    (void)behind.next("");
    if (!behind.at_end()) {
        constexpr std::string_view kWhat = "an address difference";
        (void)parse_signed(fields.next(kWhat), kWhat);
    }
}

void read_addresses(LineFields& fields, InstructionLine& line, const TraceHeader& header) {
    constexpr std::string_view kWhat =
        "address mode 0 (list), 1 (base and stride) or 2 (base and differences)";
    const std::string_view mode = fields.next(kWhat);
    if (mode.size() != 1 || mode[0] < '0' || mode[0] > '2') throw unexpected(mode, kWhat);
    const std::size_t first = fields.offset();
    if (mode[0] == '1') {
        read_stride(fields, line);
    } else if (mode[0] == '2') {
        read_deltas(fields, line, header);
    } else {
        for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
            if ((line.active_mask >> lane & 1) != 0) line.addresses[lane] = address_field(fields);
        }
    }
    const bool several = mode[0] == '0' && (line.active_mask & (line.active_mask - 1)) != 0;
    if (line.active_mask != 0 && !several) line.base_offset = first + 2;
}

/// Reads a second immediate, if there is one, and the values of registers, which nothing uses.
void read_values(LineFields& fields, const StaticInstruction& what) {
    constexpr std::string_view kMark = "NoVal, or Val and the values of registers";
    std::string_view mark = fields.next(kMark);
    if (mark != "Val" && mark != "NoVal") {
        (void)parse_signed(mark, kMark);
        mark = fields.next(kMark);
    }
    if (mark == "NoVal") return;
    if (mark != "Val") throw unexpected(mark, kMark);
    for (std::uint32_t i = 0; i < std::uint32_t{what.destinations} + what.sources; ++i) {
        constexpr std::string_view kCount = "1 value of a register, or 32";
        const std::string_view count = fields.next(kCount);
        if (count != "1" && count != "32") throw unexpected(count, kCount);
        constexpr std::string_view kValue = "a hexadecimal value of a register";
        for (std::size_t lane = 0; lane < (count == "1" ? 1 : kThreadsPerWarp); ++lane) {
            std::string_view value = fields.next(kValue);
            if (value.substr(0, 2) == "0x") value.remove_prefix(2);
            (void)parse_hex(value, std::numeric_limits<std::uint64_t>::max(), kValue);
        }
    }
}

/// The stride if the active lanes have no gaps and evenly spaced addresses.
std::optional<std::int64_t> even_stride(std::uint32_t mask, const LaneAddresses& addresses) {
    const std::uint32_t first = first_lane(mask);
    const std::uint64_t shifted = std::uint64_t{mask} >> first;
    if ((shifted & (shifted + 1)) != 0 || shifted == 1) return std::nullopt;
    const Address stride = addresses[first + 1] - addresses[first];
    for (std::uint32_t lane = first + 1; lane < kThreadsPerWarp && (mask >> lane & 1) != 0;
         ++lane) {
        if (addresses[lane] - addresses[lane - 1] != stride) return std::nullopt;
    }
    return static_cast<std::int64_t>(stride);
}

void append_addresses(std::string& out, std::uint32_t mask, const LaneAddresses& addresses) {
    auto end = std::back_inserter(out);
    if ((mask & (mask - 1)) == 0) {
        out += "0 ";
        if (mask != 0) fmt::format_to(end, "0x{:x} ", addresses[first_lane(mask)]);
        return;
    }
    const Address base = addresses[first_lane(mask)];
    if (const std::optional<std::int64_t> stride = even_stride(mask, addresses)) {
        fmt::format_to(end, "1 0x{:x} {} ", base, *stride);
        return;
    }
    fmt::format_to(end, "2 0x{:x} ", base);
    Address before = base;
    for (std::uint32_t lane = first_lane(mask) + 1; lane < kThreadsPerWarp; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        fmt::format_to(end, "{} ", static_cast<std::int64_t>(addresses[lane] - before));
        before = addresses[lane];
    }
}

}  // namespace

InstructionLine parse_instruction_line(std::string_view text, const TraceHeader& header) {
    InstructionLine line;
    StaticInstruction& what = line.what;
    LineFields fields(text);
    constexpr std::string_view kReplay = "REPLAY_";
    if (text.substr(0, kReplay.size()) == kReplay) check_modelled(fields.next(kReplay));
    if (header.line_info) {
        what.source_line =
            static_cast<std::uint32_t>(decimal_field(fields, kAny32, "a decimal source line"));
    }
    constexpr std::string_view kPc = "a hexadecimal program counter";
    what.pc = static_cast<std::uint32_t>(parse_hex(fields.next(kPc), kAny32, kPc));
    constexpr std::string_view kMask = "a hexadecimal lane mask";
    line.active_mask = static_cast<std::uint32_t>(parse_hex(fields.next(kMask), kAny32, kMask));
    what.destinations =
        static_cast<std::uint8_t>(decimal_field(fields, 1, "a number of destinations"));
    if (what.destinations == 1) {
        what.destination = register_field(fields, header, what.destination_kind);
    }
    line.mnemonic = fields.next("an opcode");
    check_modelled(line.mnemonic);
    what.sources =
        static_cast<std::uint8_t>(decimal_field(fields, kMostSources, "a number of sources"));
    for (std::uint32_t i = 0; i < what.sources; ++i) {
        what.source[i] = register_field(fields, header, what.source_kind[i]);
    }
    what.memory_width =
        static_cast<std::uint16_t>(decimal_field(fields, kMostMemoryWidth, "a memory width"));
    if (what.memory_width > 0) read_addresses(fields, line, header);
    if (header.immediate_required() || !fields.at_end()) {
        constexpr std::string_view kImmediate = "a decimal immediate";
        what.immediate = parse_signed(fields.next(kImmediate), kImmediate);
    }
    if (header.is_tracer6()) read_values(fields, what);
    if (!fields.at_end()) throw unexpected(fields.next(""), "the end of the line");
    return line;
}

void check_memory_columns(const InstructionLine& line, const SassMnemonic& mnemonic) {
    const AddressRule rule = address_rule(*mnemonic.opcode);
    const std::uint32_t width = line.what.memory_width;
    if (width == 0 && rule == AddressRule::kRequired) {
        throw ConfigError(
            fmt::format("got memory width 0 for {}, expected one above 0 and "
                        "addresses",
                        in_quotes(mnemonic.text)));
    }
    if (width == 0) return;
    if (rule == AddressRule::kForbidden) {
        throw ConfigError(
            fmt::format("got memory width {} for {}, expected 0: it is no memory "
                        "instruction",
                        width, in_quotes(mnemonic.text)));
    }
    if (mnemonic.access_bytes == 0) {
        throw ConfigError(fmt::format("got {}, expected a width of {{8, 16, 32, 64, 128}} bits",
                                      in_quotes(mnemonic.text)));
    }
    for (const Address address : line.addresses) {
        if (address > kTraceAddressLimit - mnemonic.access_bytes) {
            throw ConfigError(fmt::format(
                "address overflow: {} bytes at 0x{:x}, expected all of them below 0x{:x}",
                mnemonic.access_bytes, address, kTraceAddressLimit));
        }
    }
}

void check_product(const SassMnemonic& mnemonic, const MmaShapeSet& rates) {
    if (mnemonic.opcode->op_class != SassClass::kTensor) return;
    if (!mnemonic.shape) {
        throw ConfigError(fmt::format(
            "got {}, expected one of the shapes and types of sm.tensor_rates (tessera config "
            "--list): no machine has a rate for it",
            in_quotes(mnemonic.text)));
    }
    if (rates[static_cast<std::size_t>(*mnemonic.shape)]) return;
    throw ConfigError(
        fmt::format("got {}, but the machine has no rate for it: expected "
                    "sm.tensor_rates.{}.products_per_cycle above 0, or a machine that has it",
                    in_quotes(mnemonic.text), text_of(*mnemonic.shape).key));
}

void check_local_addresses(const InstructionLine& line, const SassMnemonic& mnemonic,
                           const TraceHeader& header) {
    if (mnemonic.opcode->space != MemorySpace::kLocal || !line.accesses_memory()) return;
    for (std::uint32_t lane = 0; lane < kThreadsPerWarp; ++lane) {
        const Address address = line.addresses[lane];
        if ((line.active_mask >> lane & 1) == 0 || address < kTraceWindowBytes ||
            header.in_local_window(address)) {
            continue;
        }
        throw ConfigError(
            fmt::format("got address 0x{:x} for {}, expected an offset below 0x{:x} into local "
                        "memory, or one from its window at 0x{:x} on",
                        address, in_quotes(mnemonic.text), kTraceWindowBytes, header.local_base));
    }
}

void append_instruction_line(std::string& out, const StaticInstruction& what,
                             std::uint32_t active_mask, const LaneAddresses& addresses,
                             const TraceHeader& header) {
    auto end = std::back_inserter(out);
    if (header.line_info) fmt::format_to(end, "{} ", what.source_line);
    fmt::format_to(end, "{:04x} {:08x} {} ", what.pc, active_mask, what.destinations);
    const auto append_register = [&](RegisterKind kind, std::uint8_t number) {
        fmt::format_to(end, "{}{} ", kRegisterLetters[static_cast<std::size_t>(kind)], number);
    };
    if (what.destinations > 0) append_register(what.destination_kind, what.destination);
    fmt::format_to(end, "{} {} ", what.mnemonic->text, what.sources);
    for (std::uint32_t i = 0; i < what.sources; ++i) {
        append_register(what.source_kind[i], what.source[i]);
    }
    fmt::format_to(end, "{} ", what.memory_width);
    if (what.memory_width > 0) append_addresses(out, active_mask, addresses);
    fmt::format_to(end, "{} {}\n", what.immediate, header.is_tracer6() ? "NoVal" : "");
}

}  // namespace tessera
