#include "sc_models/workload/staged/staged_registers.h"

#include <algorithm>

#include "sc_models/workload/staged/compressed_lines.h"

namespace tessera {
namespace {

/// Registers of a fragment of 16x16 halves without a second copy.
constexpr std::uint32_t kRegistersOfMatrix = kRegistersPerFragment / 2;

const BitmapTiles* bitmaps_of(const StagedOperand& operand) {
    return dynamic_cast<const BitmapTiles*>(&operand);
}

std::uint32_t bitmap_registers(const StagedOperand& operand, std::uint32_t depth_tiles) {
    const BitmapTiles* const tiles = bitmaps_of(operand);
    if (tiles == nullptr || !tiles->with_bitmaps()) return 0;
    if (!tiles->lowers() && tiles->matrix().all_full()) return 0;
    return ceil_div(depth_tiles * BitmapTiles::kBitmapBytes, kWarpRegisterBytes) *
           (tiles->lowers() ? 2 : 1);
}

/// Maximum registers of a warp if `copies` copies with `all` registers in total are each given to
/// the warp with the fewest.
std::uint32_t most_copy_registers(std::uint32_t copies, std::uint32_t all, std::uint32_t warps) {
    if (all == copies * kCopyRegisters) return ceil_div(copies, warps) * kCopyRegisters;
    // The last copy adds to at most the mean of the others.
    return all <= kCopyRegisters ? all : (all - kCopyRegisters) / warps + kCopyRegisters;
}

}  // namespace

StagedRegisters::StagedRegisters(const StagedProduct& product, const StagedOperand& a,
                                 const StagedOperand& b, const StagedOperand::Needs& a_needs,
                                 const StagedOperand::Needs& b_needs, std::uint32_t copy_registers)
    : sum_edge(bitmaps_of(a) != nullptr ? kLineTile : kFragmentRows),
      sums_m(product.tiling.warp_m / sum_edge),
      sums_n(product.tiling.warp_n / sum_edge),
      buffers(product.tiling.fragment_buffers),
      copies(copy_registers),
      descriptors(product.skip_unmet_tiles
                      ? ceil_div(product.tiling.cta_n / kLineTile * product.depth_tiles *
                                     std::uint32_t{sizeof(std::uint32_t)},
                                 kWarpRegisterBytes)
                      : 0) {
    if (bitmaps_of(a) == nullptr) {
        if (dynamic_cast<const CompressedLines*>(&b) != nullptr) {
            a_depth = CompressedLines::kTilesOfWord;
            metadata =
                ceil_div(product.tiling.warp_n * CompressedLines::kWordBytes, kWarpRegisterBytes);
        }
        a_values = sums_m * buffers * a_depth;
        b_values = sums_n * buffers;
        a_each = b_each = product.asynchronous ? kRegistersOfMatrix : kRegistersPerFragment;
        set_slots(product);
        return;
    }
    // All line tiles of A are kept for a step; those of B are replaced within it.
    a_values = sums_m;
    b_values = buffers;
    a_each = a_needs.value_registers;
    b_each = b_needs.value_registers;
    a_bitmaps = bitmap_registers(a, product.depth_tiles);
    b_bitmaps = bitmap_registers(b, product.depth_tiles);
    set_slots(product);
}

/// Allocates as many slots as fit, at least those of a strip. Rows of a slot are a power of two
/// apart, so that an access has whole rows.
void StagedRegisters::set_slots(const StagedProduct& product) {
    if (!product.is_narrow()) return;
    column_operands = product.column_operands();
    slots_of_strip = std::max(1U, product.strip_operands());
    slot_pitch_bytes = kFragmentRowBytes;
    while (slot_pitch_bytes < product.tiling.warp_n * product.element_bytes()) {
        slot_pitch_bytes *= 2;
    }
    const std::uint32_t of_columns = column_operands * kAccessRegisters;
    const std::uint32_t room = of_steps() > of_columns ? of_steps() - of_columns : 0;
    const std::uint32_t ahead = std::clamp(room / (slots_of_strip * slot_registers()), 1U, sums_m);
    slots = ahead * slots_of_strip;
}

StagedResources::StagedResources(const StagedProduct& product, const StagedOperand& a,
                                 const StagedOperand& b)
    : sparse(dynamic_cast<const BitmapTiles*>(&a) != nullptr),
      warps(product.tiling.cta_m / product.tiling.warp_m *
            (product.tiling.cta_n / product.tiling.warp_n)),
      a_tiles(product.tiling.cta_m / kLineTile),
      b_tiles(product.tiling.cta_n / kLineTile) {
    const StagedOperand::Needs a_needs = a.needs(product.depth_tiles);
    StagedOperand::Needs b_needs = b.needs(product.depth_tiles);
    if (product.skip_unmet_tiles) {
        // Descriptors are loaded with the copies of a step that has none of its own.
        ++b_needs.copies;
        ++b_needs.copy_registers;
    }
    a_slot = a_needs.slot_bytes;
    b_slot = b_needs.slot_bytes;
    const std::uint32_t copies = a_tiles * a_needs.copies + b_tiles * b_needs.copies;
    const std::uint32_t all = a_tiles * a_needs.copy_registers + b_tiles * b_needs.copy_registers;
    registers = StagedRegisters(product, a, b, a_needs, b_needs,
                                product.asynchronous ? 0 : most_copy_registers(copies, all, warps));
    if (product.asynchronous) {
        registers.copies_in_flight = (product.stages - 1) * ceil_div(copies, warps);
    }
    registers_per_thread = round_up(registers.total() + product.tiling.overhead_registers, 8U);
    shared_memory_bytes = product.stages * (a_tiles * a_slot + b_tiles * b_slot);
}

}  // namespace tessera
