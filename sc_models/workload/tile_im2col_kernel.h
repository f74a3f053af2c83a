// The kernel that lowers a feature map to tiles of an SpWMMA operand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/feature_map_operand.h"
#include "sc_models/workload/staged_registers.h"

namespace tessera {

/// Explicit im2col of an operand that lies in tiles of 32 lines x 16 k. A warp makes one group of
/// lowered tiles after the other, those of the taps of a filter row that read the same channels of
/// the same 32 output pixels: it loads what they need of the map, puts 32 values at a time in their
/// order, and stores the tiles.
///
/// From a map in bitmaps (bitmap-based sparse im2col, dual-side sparse tensor core, IV-B) it makes
/// bitmaps and values: it shifts, masks, counts (twice) and adds, 32 columns at a time. Where a
/// tile's values go it reads from the lowered operand's descriptors, which lie in memory: counting
/// all bitmaps before is not modelled. From a dense map it makes tiles with all their elements.
class TileIm2colKernel : public Kernel {
public:
    static constexpr std::uint32_t kWarpsPerCta = 8;
    static constexpr std::uint32_t kGroupsPerWarp = 8;
    static constexpr std::uint32_t kLoweringInstructions = 3;  ///< shift, mask, add
    static constexpr std::uint32_t kPopulationCounts = 2;

    /// `map`: what groups read, in an order along k in which `group_tiles` follow each other;
    /// `order`: the lowered operand's k-tile at each place of it. Throws ConfigError if a group
    /// does not fit a thread's registers.
    TileIm2colKernel(std::string name, std::unique_ptr<BitmapTiles> map,
                     const BitmapMatrix& lowered, const BitmapTiles::TilePlace& lowered_place,
                     std::vector<std::uint32_t> order, std::uint32_t group_tiles, bool values);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    friend class TileIm2colProgram;

    std::unique_ptr<BitmapTiles> map_;
    const BitmapMatrix& lowered_;
    BitmapTiles::TilePlace place_;
    std::vector<std::uint32_t> order_;
    std::uint32_t group_tiles_;
    bool values_;
    std::uint32_t groups_of_lines_;  ///< groups of a line tile
    std::uint64_t groups_;
    std::uint8_t value_register_ = 0, descriptor_register_ = 0, loaded_register_ = 0;
    KernelInfo info_;
};

}  // namespace tessera
