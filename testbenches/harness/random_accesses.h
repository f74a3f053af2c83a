// Random accesses of memory-mapped modules: their bytes and their cycles.
#pragma once

#include <cstdint>

#include "testbenches/harness/memory_operations.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Draws any bytes of the block that begins at the operation's address.
inline void draw_bytes(Session& session, MemoryOperation& operation, std::uint32_t block_bytes) {
    const auto offset = static_cast<std::uint32_t>(session.below(block_bytes));
    operation.address += offset;
    operation.bytes = 1 + static_cast<std::uint32_t>(session.below(block_bytes - offset));
}

/// Draws a whole sector of the block that begins at the operation's address.
inline void draw_sector(Session& session, MemoryOperation& operation, std::uint32_t block_bytes,
                        std::uint32_t sector_bytes) {
    operation.address += session.below(block_bytes / sector_bytes) * sector_bytes;
    operation.bytes = sector_bytes;
}

/// Plays `count` operations of `draw` that overlap, from cycle `from` on and on average `gap` / 8
/// cycles apart.
template <class Draw, class Play>
void play_overlapping(Session& session, Cycle from, std::uint64_t count, Cycle gap,
                      const Draw& draw, const Play& play) {
    Cycle at = from;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (gap > 0 && session.below(4) == 0) at += session.below(gap);
        MemoryOperation operation = draw();
        operation.at = at;
        play(operation);
    }
}

}  // namespace tessera::testbench
