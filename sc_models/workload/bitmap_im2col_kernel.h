// The kernel that lowers a feature map in bitmaps to an operand in bitmaps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/workload/feature_map_operand.h"
#include "sc_models/workload/kernel.h"
#include "sc_models/workload/staged_registers.h"

namespace tessera {

/// Bitmap-based sparse im2col as a kernel of its own (dual-side sparse tensor core, IV-B): its
/// traffic and time, no values. A warp makes one group of lowered tiles after the other, those of
/// the taps of a filter row that read the same channels of the same 32 output pixels: it loads the
/// map's tiles they lie in, shifts, masks, counts (twice) and adds, 32 columns at a time, reads the
/// values, 32 at a time, and stores bitmaps, descriptors and values. Where a tile's values go in
/// memory is taken to be known (a count over the bitmaps would have to come before).
class BitmapIm2colKernel : public Kernel {
public:
    static constexpr std::uint32_t kWarpsPerCta = 8;
    static constexpr std::uint32_t kGroupsPerWarp = 8;
    static constexpr std::uint32_t kLoweringInstructions = 3;  ///< shift, mask, add
    static constexpr std::uint32_t kPopulationCounts = 2;

    BitmapIm2colKernel(std::string name, const LoweringShape& shape, const BitmapMatrix& map,
                       const BitmapTiles::Place& map_place, const BitmapMatrix& lowered,
                       const BitmapTiles::Place& lowered_place);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    friend class BitmapIm2colProgram;

    const BitmapMatrix& lowered_;
    BitmapTiles::Place place_;
    std::vector<std::uint32_t> order_;
    std::uint32_t group_tiles_;      ///< of a group
    std::uint32_t groups_of_lines_;  ///< groups of a line tile
    std::uint64_t groups_;
    MapTiles tiles_;
    std::uint32_t copies_ = 0;  ///< of the group that needs most
    KernelInfo info_;
};

}  // namespace tessera
