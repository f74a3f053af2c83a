// Parts of a traced warp's instruction: the static ones, and those of one execution.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/trace/opcode_table.h"
#include "sc_models/trace/trace_header.h"

namespace tessera {

/// Addresses by lane; inactive lanes hold 0.
using LaneAddresses = std::array<Address, kThreadsPerWarp>;

/// Every byte accessed lies below this address.
inline constexpr Address kTraceAddressLimit = Address{1} << 63;

/// File of a register. Tracers before version 6 name vector registers only.
enum class RegisterKind : std::uint8_t { kVector, kUniform, kPredicate, kUniformPredicate };

/// Properties of an instruction that every execution shares. Registers are 0..255; 255 is RZ.
/// Derived data can be cached by `index`.
struct StaticInstruction {
    const SassMnemonic* mnemonic = nullptr;
    std::int64_t immediate = 0;      ///< used by DEPBAR only
    std::uint32_t index = 0;         ///< number in the kernel, from 0 in the order of the trace
    std::uint32_t pc = 0;            ///< bytes from the kernel's start
    std::uint32_t source_line = 0;   ///< with line info
    std::uint16_t memory_width = 0;  ///< as in the trace; 0: no memory instruction
    std::uint8_t destinations = 0;   ///< 0 or 1
    std::uint8_t sources = 0;        ///< 0 to 4
    std::uint8_t destination = 0;
    std::array<std::uint8_t, 4> source{};
    RegisterKind destination_kind = RegisterKind::kVector;
    std::array<RegisterKind, 4> source_kind{};

    [[nodiscard]] SassClass op_class() const { return mnemonic->opcode->op_class; }
    [[nodiscard]] MemorySpace space() const { return mnemonic->opcode->space; }
    [[nodiscard]] std::uint32_t access_bytes() const { return mnemonic->access_bytes; }

    [[nodiscard]] std::uint64_t hash() const;
    friend bool operator==(const StaticInstruction& a, const StaticInstruction& b) {
        return a.mnemonic == b.mnemonic && a.immediate == b.immediate && a.pc == b.pc &&
               a.source_line == b.source_line && a.memory_width == b.memory_width &&
               a.destinations == b.destinations && a.sources == b.sources &&
               a.destination == b.destination && a.source == b.source &&
               a.destination_kind == b.destination_kind && a.source_kind == b.source_kind;
    }
};

/// The lanes that access memory, and their offsets from the first of them. Data that depend only on
/// the pattern (and on the base's alignment) can be cached by `index`.
struct LanePattern {
    static constexpr std::uint32_t kUnshared = UINT32_MAX;

    std::uint32_t index = kUnshared;  ///< number in the kernel; kUnshared: not in the table
    std::uint32_t mask = 0;           ///< never 0
    std::uint32_t access_bytes = 0;   ///< per lane
    std::array<std::int64_t, kThreadsPerWarp> offsets{};  ///< by lane; 0 in inactive lanes
    /// Bases for which all accesses lie in [0, kTraceAddressLimit).
    Address lowest_base = 0;
    Address highest_base = 0;

    /// Makes the pattern of at least one lane; all bytes lie below kTraceAddressLimit.
    [[nodiscard]] static LanePattern make(std::uint32_t mask, std::uint32_t access_bytes,
                                          const LaneAddresses& addresses);
    [[nodiscard]] std::uint64_t hash() const;
    friend bool operator==(const LanePattern& a, const LanePattern& b) {
        return a.mask == b.mask && a.access_bytes == b.access_bytes && a.offsets == b.offsets;
    }
};

/// One executed instruction.
struct TraceInstruction {
    const StaticInstruction* what = nullptr;
    const LanePattern* lanes = nullptr;  ///< null: no memory access (no address, or no lane)
    Address base = 0;                    ///< address of the first lane of `lanes`; unused without
    std::uint32_t active_mask = 0;       ///< lanes that are active and whose predicate is true

    void lane_addresses(LaneAddresses& out) const;
};

/// Index of the lowest set bit; `mask` must not be 0.
[[nodiscard]] inline std::uint32_t first_lane(std::uint32_t mask) {
    return static_cast<std::uint32_t>(__builtin_ctz(mask));
}

}  // namespace tessera
