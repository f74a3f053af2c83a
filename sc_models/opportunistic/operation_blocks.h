// The cache blocks and sectors that a vector operation needs.
#pragma once

#include "sc_models/isa/vector_operation.h"
#include "sc_models/memory/core/block_watch.h"
#include "sc_models/opportunistic/assign_table.h"
#include "sc_models/workload/lane_layout.h"

namespace tessera {

/// Calls `visit(number)` for every aligned piece of `bytes` bytes that the lanes' vectors of an
/// operand touch; some more than once.
template <class Visit>
void for_each_piece(const VectorOperation& operation, LaneLayout::Operand operand,
                    std::uint32_t bytes, Visit&& visit) {
    const Address base =
        operand == LaneLayout::Operand::kInput ? operation.input : operation.weights;
    Address last = ~Address{0};
    for (std::uint32_t lane = 0; lane < operation.layout->lanes(); ++lane) {
        const Address begin =
            base + static_cast<Address>(std::int64_t{operation.layout->offset(operand, lane)});
        const Address end = (begin + Address{operation.length} * sizeof(float) - 1) / bytes;
        for (Address piece = begin / bytes; piece <= end; ++piece) {
            if (piece == last) continue;
            visit(piece);
            last = piece;
        }
    }
}

/// From which cycle on all operands can be read without a miss, as BlockPresence::sector_ready.
[[nodiscard]] Cycle operands_ready(const VectorOperation& operation, const BlockPresence& cache);

/// Blocks of lane 0.
[[nodiscard]] BlockPair dominant_pair(const VectorOperation& operation, std::uint32_t line_bytes);

}  // namespace tessera
