// Kernel that lowers a feature map to tiles of an SpWMMA operand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/sparse/feature_map_operand.h"
#include "sc_models/workload/staged/staged_registers.h"

namespace tessera {

/// An SpWMMA operand and its place in memory.
struct PlacedTiles {
    const BitmapMatrix& matrix;  ///< must outlive the kernel
    BitmapTiles::TilePlace place;
};

/// Groups of k-tiles that a warp lowers together.
struct TileGroups {
    /// K-tiles of the operand, in an order in which the tiles of a group are consecutive.
    std::vector<std::uint32_t> order;
    std::uint32_t tiles = 1;  ///< of a group
};

/// Explicit im2col of an operand in tiles of 32 lines x 16 k. A warp processes groups of lowered
/// tiles one after the other; a group has the taps of a filter row that read the same channels of
/// the same 32 output pixels. The warp loads the group's part of the map, reorders 32 values at a
/// time, and stores the tiles.
///
/// From a map in bitmaps (bitmap-based sparse im2col, dual-side sparse tensor core, IV-B) it
/// computes bitmaps and values: it shifts, masks, counts (twice) and adds, 32 columns at a time.
/// The positions of a tile's values come from the lowered operand's descriptors, which are in
/// memory: the count of all preceding bitmaps is not modelled. From a dense map it creates tiles
/// with all their elements.
class TileIm2colKernel : public Kernel {
public:
    static constexpr std::uint32_t kWarpsPerCta = 8;
    static constexpr std::uint32_t kGroupsPerWarp = 8;
    static constexpr std::uint32_t kLoweringInstructions = 3;  ///< shift, mask, add
    static constexpr std::uint32_t kPopulationCounts = 2;

    /// `map` is the source of `groups`, in their order along k, `lowered` their destination. Throws
    /// ConfigError if a group does not fit a thread's registers.
    TileIm2colKernel(std::string name, std::unique_ptr<BitmapTiles> map, const PlacedTiles& lowered,
                     TileGroups groups, bool values);

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
    std::uint32_t groups_of_lines_;  ///< groups per line tile
    std::uint64_t groups_;
    std::uint8_t value_register_ = 0, descriptor_register_ = 0, loaded_register_ = 0;
    KernelInfo info_;
};

}  // namespace tessera
