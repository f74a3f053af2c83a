// One instruction of a traced warp, in the parts that repeat and the parts that do not.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/trace/opcode_table.h"
#include "sc_models/trace/trace_header.h"

namespace tessera {

/// By lane; inactive lanes hold 0.
using LaneAddresses = std::array<Address, kThreadsPerWarp>;

/// Every byte accessed lies below this address.
inline constexpr Address kTraceAddressLimit = Address{1} << 63;

/// What is the same whenever an instruction is executed. Registers are 0..255; 255 is RZ. What a
/// machine makes of one can be worked out once for each `index`.
struct StaticInstruction {
    const SassMnemonic* mnemonic = nullptr;
    std::int64_t immediate = 0;      ///< means something for DEPBAR only
    std::uint32_t index = 0;         ///< within the kernel, from 0 in the order of the trace
    std::uint32_t pc = 0;            ///< bytes from the kernel's start
    std::uint32_t source_line = 0;   ///< with line info
    std::uint16_t memory_width = 0;  ///< as the trace has it; 0: no memory instruction
    std::uint8_t destinations = 0;   ///< 0 or 1
    std::uint8_t sources = 0;        ///< 0 to 4
    std::uint8_t destination = 0;
    std::array<std::uint8_t, 4> source{};

    [[nodiscard]] SassClass op_class() const { return mnemonic->opcode->op_class; }
    [[nodiscard]] MemorySpace space() const { return mnemonic->opcode->space; }
    [[nodiscard]] std::uint32_t access_bytes() const { return mnemonic->access_bytes; }

    [[nodiscard]] std::uint64_t hash() const;
    friend bool operator==(const StaticInstruction& a, const StaticInstruction& b) {
        return a.mnemonic == b.mnemonic && a.immediate == b.immediate && a.pc == b.pc &&
               a.source_line == b.source_line && a.memory_width == b.memory_width &&
               a.destinations == b.destinations && a.sources == b.sources &&
               a.destination == b.destination && a.source == b.source;
    }
};

/// Which lanes access memory, and where relative to the first of them. What only depends on the
/// pattern (and on the base's alignment) can be worked out once for each `index`.
struct LanePattern {
    static constexpr std::uint32_t kUnshared = UINT32_MAX;

    std::uint32_t index = kUnshared;  ///< within the kernel; kUnshared: not worth remembering
    std::uint32_t mask = 0;           ///< never 0
    std::uint32_t access_bytes = 0;   ///< by each lane
    std::array<std::int64_t, kThreadsPerWarp> offsets{};  ///< by lane; 0 in inactive lanes
    /// Bases for which all accesses lie in [0, kTraceAddressLimit).
    Address lowest_base = 0;
    Address highest_base = 0;

    /// Of at least one lane, all their bytes below kTraceAddressLimit.
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
    const LanePattern* lanes = nullptr;  ///< null: accesses no memory (no address, or no lane)
    Address base = 0;                    ///< of the first lane of `lanes`; nothing without
    std::uint32_t active_mask = 0;       ///< lanes that are active and whose predicate is true

    void lane_addresses(LaneAddresses& out) const;
};

/// Index of the lowest bit that is set; `mask` must not be 0.
[[nodiscard]] inline std::uint32_t first_lane(std::uint32_t mask) {
    return static_cast<std::uint32_t>(__builtin_ctz(mask));
}

}  // namespace tessera
