#include "sc_models/workload/staged/staged_descriptors.h"

#include <algorithm>

#include "sc_models/isa/coalescer.h"

namespace tessera {
namespace {

// Per 32 descriptors: the next one's offset (a shuffle), a test for an empty tile, and the vote.
constexpr std::uint32_t kDescriptorInstructions = 3;
// A shift and an or join the votes on two line tiles.
constexpr std::uint32_t kJoinInstructions = 2;

}  // namespace

void StagedDescriptors::add(std::uint32_t step, std::vector<StagedCopy>& copies) {
    if (step >= kernel_.steps()) return;
    const auto& b = static_cast<const BitmapTiles&>(kernel_.b());
    const std::uint32_t first = step * product_.depth_tiles;
    const auto line = static_cast<std::uint32_t>(at_.column / kLineTile);
    const std::uint32_t live = std::min(kernel_.b_tiles(), b.matrix().line_tiles() - line);
    for (std::uint32_t t = 0; t < live; ++t) {
        b.descriptor_copies(
            line + t, first, product_.depth_tiles,
            kernel_.slot(first / BitmapTiles::kDescriptors % 2, kernel_.a_tiles() + t), copies);
    }
}

void StagedDescriptors::read(std::uint32_t step, std::vector<AddressRange>& needed) {
    const auto& a = static_cast<const BitmapTiles&>(kernel_.a());
    const auto& b = static_cast<const BitmapTiles&>(kernel_.b());
    const std::uint32_t first = step * product_.depth_tiles;
    const std::uint32_t depth = std::min(product_.depth_tiles, b.matrix().k_tiles() - first);
    const auto line = static_cast<std::uint32_t>(at_.column / kLineTile);
    const std::uint32_t live = std::min(kernel_.b_tiles(), b.matrix().line_tiles() - line);
    const std::uint8_t reg = registers_.first_descriptor();
    WarpInstruction& load = emit(Opcode::kLoadShared);
    load.dst = reg;
    load.memory().set_rows(
        kernel_.slot(first / BitmapTiles::kDescriptors % 2, kernel_.a_tiles()) +
            first % BitmapTiles::kDescriptors / product_.depth_tiles * product_.depth_tiles *
                std::uint32_t{sizeof(std::uint32_t)},
        live, depth * sizeof(std::uint32_t),
        kernel_.slot(0, kernel_.a_tiles() + 1) - kernel_.slot(0, kernel_.a_tiles()));
    load.registers().pitch_bytes = load.memory().row_bytes;
    emit_alu(kDescriptorInstructions * ceil_div(live * depth, kWarpLanes) +
             kJoinInstructions * (live - 1));
    out_.back().src_a = out_.back().dst = reg;

    const std::uint32_t met = met_tiles(step);
    const auto a_line = static_cast<std::uint32_t>(at_.row / kLineTile);
    needed.clear();
    for (std::uint32_t t = 0; t < kernel_.a_tiles(); ++t) {
        if (a_line + t >= a.matrix().line_tiles()) break;
        a.needed(a_line + t, first, product_.depth_tiles, met, needed);
    }
}

/// Bit t: some tile of B of the CTA has elements at depth tile t of the step.
std::uint32_t StagedDescriptors::met_tiles(std::uint32_t step) const {
    const BitmapMatrix& b = static_cast<const BitmapTiles&>(kernel_.b()).matrix();
    const std::uint32_t first = step * product_.depth_tiles;
    const std::uint32_t end = std::min(first + product_.depth_tiles, b.k_tiles());
    const auto line = static_cast<std::uint32_t>(at_.column / kLineTile);
    const std::uint32_t lines = std::min(line + kernel_.b_tiles(), b.line_tiles());
    std::uint32_t met = 0;
    for (std::uint32_t i = line; i < lines; ++i) {
        for (std::uint32_t tile = first; tile < end; ++tile) {
            if (!b.tile_empty(b.tile(i, tile))) met |= 1U << (tile - first);
        }
    }
    return met;
}

}  // namespace tessera
