// Memory pieces that the lanes of an instruction access.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// Memory pieces of an instruction with per-lane addresses. Instructions repeat their lane
/// patterns, so it is computed once per pattern.
struct LaneAccess {
    struct Piece {
        std::int64_t offset = 0;  ///< relative to MemoryAccess::address
        std::uint32_t bytes = 0;
        std::uint32_t place = 0;  ///< byte offset into the registers, if has_places
    };
    std::vector<Piece> pieces;     ///< global memory: sectors ascending, those of a line merged
    std::uint32_t bytes = 0;       ///< of all pieces
    std::uint32_t wavefronts = 0;  ///< shared memory: cycles the banks are busy
    /// Global memory: pieces are the bytes themselves, in any order, with places in registers.
    bool has_places = false;
    /// Loads of shared memory, and of global memory whose pieces are whole sectors: the bytes that
    /// the lanes read, and their places in registers (values only).
    std::vector<Piece> wanted;
    /// Copies to shared memory: places that become zero, of lanes that read nothing (values only).
    std::vector<Piece> zeros;
};

}  // namespace tessera
