// Coverage plan of the bitmap unit's bench.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/tensor_core/bitmap_unit.h"
#include "testbenches/cosim/word_pins.h"

namespace tessera {

/// Input pins of a bitmap unit of `depth` k sets that carry numbers.
inline WordPins<BitmapUnit::Inputs> bitmap_pins(std::uint32_t depth = kTileDepth) {
    using Inputs = BitmapUnit::Inputs;
    return WordPins<Inputs>()
        .add("a_bitmap_i", kTileSize, &Inputs::a_bitmap, 0, depth)
        .add("b_bitmap_i", kTileSize, &Inputs::b_bitmap, 0, depth);
}

/// Situations and pins that the bench must reach. It follows the block by its pins alone.
class BitmapPlan : public CoveragePlan {
public:
    using Inputs = BitmapUnit::Inputs;
    using Outputs = BitmapUnit::Outputs;

    const Bin empty = add("tile without an OHMMA"),
              empty_behind = add("tile without an OHMMA behind another"),
              only_first = add("tile whose only OHMMA is in k set 0"),
              only_last = add("tile whose only OHMMA is in the last k set"),
              whole = add("tile of all OHMMAs"), tile_waits = add("tile waits"),
              tile_at_end = add("tile in the last cycle of the tile before it"),
              tile_change = add("OHMMA of the next tile without a gap"),
              streak = add("OHMMAs in eight cycles running"), ohmma_waits = add("OHMMA waits"),
              waits_in_full = add("OHMMA waits while a tile waits"),
              closes = add("tile taken while an OHMMA waits"),
              no_row = add("k set without a row and with columns"),
              no_column = add("k set without a column and with rows"),
              reset_tile = add("reset with a tile that was taken"),
              reset_ohmma = add("reset with an OHMMA that waits");

    explicit BitmapPlan(std::uint32_t depth) : depth_(depth), pins_(bitmap_pins(depth)) {
        for (std::uint32_t n = 0; n < kOhmmasOfKSet; ++n) {
            groups_[n] = add(fmt::format("OHMMA of rows {} to {} and columns {} to {}",
                                         n / kMaxColumnGroups * kOhmmaRows,
                                         n / kMaxColumnGroups * kOhmmaRows + kOhmmaRows - 1,
                                         n % kMaxColumnGroups * kOhmmaColumns,
                                         n % kMaxColumnGroups * kOhmmaColumns + kOhmmaColumns - 1));
        }
    }
    /// Notes a clock cycle. Outputs are those of the model.
    void cycle(const Inputs& in, const Outputs& out);
    /// Notes a reset behind the cycle that was noted last.
    void reset();

    [[nodiscard]] bool holds_tile() const { return holds_tile_; }
    [[nodiscard]] bool holds_ohmma() const { return ohmma_waits_; }
    /// Returns the number of OHMMAs of a tile in each k set.
    [[nodiscard]] static std::array<std::uint32_t, kTileDepth> ohmmas_of(const Inputs& in);

private:
    void note_tile(const Inputs& in);

    const std::uint32_t depth_;
    const WordPins<Inputs> pins_;
    const Pin first_ = pins_.plan_in(*this);
    std::array<Bin, kOhmmasOfKSet> groups_{};
    bool holds_tile_ = false, ohmma_waits_ = false;
    bool empty_before_ = false;  ///< the last tile had no OHMMA
    bool last_before_ = false;   ///< the last OHMMA of a tile was taken in the last cycle
    std::uint32_t streak_ = 0;
};

/// Error of the RTL at its inputs, which the bench has to find.
struct BitmapError {
    using Inputs = BitmapUnit::Inputs;

    StuckPin stuck;
    std::string wrong;  ///< situation of the plan; empty: none
    std::uint32_t depth = kTileDepth;

    [[nodiscard]] bool is(std::string_view situation) const { return wrong == situation; }
    /// Returns the inputs with the error. Outputs are those of the model.
    [[nodiscard]] Inputs seen_by_rtl(const Inputs& in, const BitmapUnit::Outputs& out) const;
};

}  // namespace tessera
