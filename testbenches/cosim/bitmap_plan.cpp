#include "testbenches/cosim/bitmap_plan.h"

#include <numeric>

namespace tessera {
namespace {

constexpr std::uint32_t kStreak = 8;

}  // namespace

std::array<std::uint32_t, kTileDepth> BitmapPlan::ohmmas_of(const Inputs& in) {
    const BitmapUnit::Summary summary = BitmapUnit::summarise(in.a_bitmap, in.b_bitmap);
    std::array<std::uint32_t, kTileDepth> counts{};
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        counts[k] = static_cast<std::uint32_t>(__builtin_popcount(summary.predicates[k]));
    }
    return counts;
}

void BitmapPlan::cycle(const Inputs& in, const Outputs& out) {
    const bool stalls = out.ohmma_valid != 0 && in.ohmma_ready == 0;
    const bool issued = out.ohmma_valid != 0 && in.ohmma_ready != 0;
    const bool taken = in.tile_valid != 0 && out.tile_ready != 0;
    hit_if(tile_waits, in.tile_valid != 0 && out.tile_ready == 0);
    hit_if(tile_at_end, taken && out.tile_done != 0);
    hit_if(ohmma_waits, stalls);
    hit_if(waits_in_full, stalls && in.tile_valid != 0 && out.tile_ready == 0);
    hit_if(closes, stalls && taken);
    streak_ = issued ? streak_ + 1 : 0;
    hit_if(streak, streak_ == kStreak);
    hit_if(tile_change, issued && last_before_);
    last_before_ = issued && out.ohmma.last != 0;
    if (issued) hit(groups_.at(out.ohmma.i * kMaxColumnGroups + out.ohmma.j));
    if (taken) note_tile(in);
    holds_tile_ = taken;
    ohmma_waits_ = stalls;
}

void BitmapPlan::note_tile(const Inputs& in) {
    pins_.sample(*this, first_, in);
    const auto counts = ohmmas_of(in);
    const std::uint32_t all = std::accumulate(counts.begin(), counts.end(), 0U);
    hit_if(empty, all == 0);
    hit_if(empty_behind, all == 0 && empty_before_);
    hit_if(only_first, all == 1 && counts.front() == 1);
    hit_if(only_last, all == 1 && counts[depth_ - 1] == 1);
    hit_if(whole, all == depth_ * kOhmmasOfKSet);
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        hit_if(no_row, in.a_bitmap[k] == 0 && in.b_bitmap[k] != 0);
        hit_if(no_column, in.a_bitmap[k] != 0 && in.b_bitmap[k] == 0);
    }
    empty_before_ = all == 0;
}

void BitmapPlan::reset() {
    hit_if(reset_tile, holds_tile_);
    hit_if(reset_ohmma, ohmma_waits_);
    forget_transactions();
    holds_tile_ = ohmma_waits_ = empty_before_ = last_before_ = false;
    streak_ = 0;
}

BitmapUnit::Inputs BitmapError::seen_by_rtl(const Inputs& in,
                                            const BitmapUnit::Outputs& out) const {
    if (stuck.pin.empty() && wrong.empty()) return in;
    Inputs seen = in;
    bitmap_pins(depth).stick(seen, stuck);
    const bool stalls = out.ohmma_valid != 0 && in.ohmma_ready == 0;
    if (is("OHMMA waits")) seen.ohmma_ready = 1;
    if (is("OHMMA waits while a tile waits") && stalls && out.tile_ready == 0) {
        seen.ohmma_ready = 1;
    }
    if (is("tile taken while an OHMMA waits") && stalls && out.tile_ready != 0) {
        seen.tile_valid = 0;
    }
    if (in.tile_valid == 0) return seen;
    if (is("tile in the last cycle of the tile before it") && out.tile_done != 0) {
        seen.tile_valid = 0;
    }
    const auto counts = BitmapPlan::ohmmas_of(in);
    const std::uint32_t all = std::accumulate(counts.begin(), counts.end(), 0U);
    if (is("tile without an OHMMA") && all == 0) seen.a_bitmap[0] = seen.b_bitmap[0] = 1;
    if ((is("tile whose only OHMMA is in k set 0") && all == 1 && counts.front() == 1) ||
        (is("tile of all OHMMAs") && all == depth * kOhmmasOfKSet)) {
        seen.a_bitmap[0] = 0;
    }
    if (is("tile whose only OHMMA is in the last k set") && all == 1 && counts[depth - 1] == 1) {
        seen.a_bitmap[depth - 1] = 0;
    }
    return seen;
}

}  // namespace tessera
