#include "sc_models/workload/staged_registers.h"

namespace tessera {
namespace {

std::uint32_t bitmap_registers(std::uint32_t depth_tiles) {
    return ceil_div(depth_tiles * BitmapTiles::kBitmapBytes, kWarpRegisterBytes);
}

}  // namespace

StagedRegisters::StagedRegisters(const StagedProduct& product, bool sparse,
                                 const StagedOperand::Needs& a, const StagedOperand::Needs& b,
                                 std::uint32_t copy_slots)
    : sum_edge(sparse ? kLineTile : kFragmentRows),
      sums_m(product.tiling.warp_m / sum_edge),
      sums_n(product.tiling.warp_n / sum_edge),
      buffers(product.tiling.fragment_buffers),
      a_values(sparse ? sums_m : sums_m * buffers),
      b_values(sparse ? buffers : sums_n * buffers),
      a_each(sparse ? a.value_registers : kRegistersPerFragment),
      b_each(sparse ? b.value_registers : kRegistersPerFragment),
      a_bitmaps(sparse ? bitmap_registers(product.depth_tiles) : 0),
      b_bitmaps(a_bitmaps),
      copies(copy_slots) {}

StagedResources::StagedResources(const StagedProduct& product, const StagedOperand& a,
                                 const StagedOperand& b)
    : sparse(dynamic_cast<const BitmapTiles*>(&a) != nullptr),
      warps(product.tiling.cta_m / product.tiling.warp_m *
            (product.tiling.cta_n / product.tiling.warp_n)),
      a_tiles(product.tiling.cta_m / kLineTile),
      b_tiles(product.tiling.cta_n / kLineTile) {
    const StagedOperand::Needs a_needs = a.needs(product.depth_tiles);
    const StagedOperand::Needs b_needs = b.needs(product.depth_tiles);
    a_slot = a_needs.slot_bytes;
    b_slot = b_needs.slot_bytes;
    const std::uint32_t copies = a_tiles * a_needs.copies + b_tiles * b_needs.copies;
    registers = StagedRegisters(product, sparse, a_needs, b_needs, ceil_div(copies, warps));
    registers_per_thread = round_up(registers.total() + product.tiling.overhead_registers, 8U);
    shared_memory_bytes = 2 * (a_tiles * a_slot + b_tiles * b_slot);
}

}  // namespace tessera
