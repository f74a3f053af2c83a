#include "sc_models/opportunistic/operation_blocks.h"

#include <algorithm>

namespace tessera {

Cycle operands_ready(const VectorOperation& operation, const BlockPresence& cache) {
    using Operand = LaneLayout::Operand;
    const std::uint32_t sector = operation.layout->granularity().sector_bytes;
    Cycle ready = 0;
    const auto look = [&](Address piece) {
        ready = std::max(ready, cache.sector_ready(piece * sector));
        return ready != kNever;
    };
    for_each_piece(operation, Operand::kWeights, sector, look);
    if (ready != kNever) for_each_piece(operation, Operand::kInput, sector, look);
    return ready;
}

BlockPair dominant_pair(const VectorOperation& operation, std::uint32_t line_bytes) {
    return {operation.input / line_bytes, operation.weights / line_bytes};
}

}  // namespace tessera
