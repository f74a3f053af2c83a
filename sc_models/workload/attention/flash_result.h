// Moves of a strip of the result of a fused attention kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Appends accesses of 512 bytes that move `rows` rows of `row_bytes` bytes, which lie side by side
/// from register `first` on, to or from memory at `address`, where they are `pitch` bytes apart.
/// `opcode`: kStoreShared, kLoadShared or kStoreGlobal.
inline void move_rows(std::vector<WarpInstruction>& out, Opcode opcode, std::uint8_t first,
                      Address address, std::uint32_t rows, std::uint32_t row_bytes,
                      std::uint64_t pitch) {
    constexpr std::uint32_t kAccessBytes = kAccessRegisters * kWarpRegisterBytes;
    const std::uint32_t of_access = kAccessBytes / row_bytes;
    for (std::uint32_t r = 0; r < rows; r += of_access) {
        WarpInstruction& w = out.emplace_back(opcode);
        const auto reg = static_cast<std::uint8_t>(first + r * row_bytes / kWarpRegisterBytes);
        (opcode == Opcode::kLoadShared ? w.dst : w.src_a) = reg;
        w.memory().set_rows(address + r * pitch, std::min(of_access, rows - r), row_bytes, pitch);
        w.registers().pitch_bytes = static_cast<std::uint16_t>(row_bytes);
    }
}

}  // namespace tessera
