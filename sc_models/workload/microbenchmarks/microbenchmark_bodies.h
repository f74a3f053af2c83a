// Instructions repeated by microbenchmarks.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera::microbenchmark {

inline constexpr std::uint32_t kWarpThreads = 32;
inline constexpr Address kData = 0x40000000;
inline constexpr std::uint32_t kSharedBytes = 4096;
/// Lengths of the short and long kernel that time chains of loads and arithmetic.
inline constexpr std::uint32_t kFew = 64, kMany = 192;
/// Number of warps that saturates their shared resources.
inline constexpr std::uint32_t kFullWarps = 16;

inline LaneOffsets one_lane() {
    LaneOffsets lanes;
    lanes.mask = 1;
    lanes.access_bytes = 4;
    return lanes;
}

/// Offsets of all lanes, contiguous.
inline LaneOffsets full_warp(std::uint32_t access_bytes) {
    LaneOffsets lanes;
    lanes.mask = ~std::uint32_t{0};
    lanes.access_bytes = access_bytes;
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        lanes.offset[lane] = std::int64_t{lane} * access_bytes;
    }
    return lanes;
}

/// Lanes of an instruction; the bodies that use them share them.
using Lanes = std::shared_ptr<const LaneAccess>;

/// Returns the lanes as the instructions of a kernel hold them.
inline Lanes lanes_of(LaneAccess lanes) {
    return std::make_shared<const LaneAccess>(std::move(lanes));
}

inline WarpInstruction access(Opcode opcode, const Lanes& lanes, Address address, std::uint8_t dst,
                              std::uint8_t source) {
    WarpInstruction w(opcode);
    w.dst = dst;
    w.src_a = source;
    w.memory().address = address;
    w.memory().lanes = lanes.get();
    return w;
}

/// Returns a load whose address is the result of the preceding load.
inline WarpInstruction chased(Opcode opcode, const Lanes& lanes, Address address) {
    constexpr std::uint8_t kPointer = 2;
    return access(opcode, lanes, address, kPointer, kPointer);
}

inline WarpInstruction operation(Operation kind, std::uint8_t dst) {
    WarpInstruction w(Opcode::kOperation);
    w.set_operation(kind);
    w.dst = dst;
    w.src_a = dst;
    return w;
}

/// Returns rotating destination registers for several results in flight.
inline std::uint8_t rotating(std::uint32_t i) {
    return static_cast<std::uint8_t>(8 + 4 * (i % 8));
}

}  // namespace tessera::microbenchmark
