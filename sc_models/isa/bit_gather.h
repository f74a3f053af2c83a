// Bits of registers that an instruction moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Pieces of `unit_bits` bits that move from one position to another, both counted in bits.
struct BitGather {
    struct Move {
        std::uint32_t from = 0, to = 0;
    };
    std::uint32_t unit_bits = 1;  ///< 1, or a multiple of 8
    std::vector<Move> moves;

    /// Copies the pieces; single bits are only ever set, never cleared.
    void apply(const std::byte* from, std::byte* to) const;
};

}  // namespace tessera
