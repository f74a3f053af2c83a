// Cache blocks and sectors that a vector operation reads.
#pragma once

#include "sc_models/isa/vector_operation.h"
#include "sc_models/memory/core/block_watch.h"
#include "sc_models/opportunistic/assign_table.h"
#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {

/// Calls `visit(number)` for every aligned piece of `bytes` bytes, a power of two, that the lanes'
/// vectors of an operand touch, until it returns false. A piece that adjacent lanes share is
/// visited once.
template <class Visit>
void for_each_piece(const VectorOperation& operation, LaneLayout::Operand operand,
                    std::uint32_t bytes, Visit&& visit) {
    const Address base =
        operand == LaneLayout::Operand::kInput ? operation.input : operation.weights;
    const auto shift = static_cast<unsigned>(__builtin_ctz(bytes));
    const Address last_byte = Address{operation.length} * sizeof(float) - 1;
    Address visited = 0;  // first piece of the last contiguous range
    Address count = 0;    // number of its pieces
    for (std::uint32_t lane = 0; lane < operation.layout->lanes(); ++lane) {
        const Address begin =
            base + static_cast<Address>(std::int64_t{operation.layout->offset(operand, lane)});
        const Address end = (begin + last_byte) >> shift;
        for (Address piece = begin >> shift; piece <= end; ++piece) {
            if (piece - visited < count) continue;
            if (!visit(piece)) return;
            const bool behind = piece == visited + count;
            visited = behind ? visited : piece;
            count = behind ? count + 1 : 1;
        }
    }
}

/// First cycle from which all operands can be read without a miss, as in
/// BlockPresence::sector_ready.
[[nodiscard]] Cycle operands_ready(const VectorOperation& operation, const BlockPresence& cache);

/// The blocks of lane 0.
[[nodiscard]] BlockPair dominant_pair(const VectorOperation& operation, std::uint32_t line_bytes);

}  // namespace tessera
