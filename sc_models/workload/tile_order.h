// Order in which CTAs walk over the tiles of a product's result.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sc_models/config/workload_config.h"

namespace tessera {

/// The same order of a product whose M and N are swapped.
[[nodiscard]] constexpr RasterOrder with_sides_swapped(RasterOrder order) {
    switch (order) {
        case RasterOrder::kNFastest:
            return RasterOrder::kMFastest;
        case RasterOrder::kMFastest:
            return RasterOrder::kNFastest;
        case RasterOrder::kNGroups:
            return RasterOrder::kMGroups;
        case RasterOrder::kMGroups:
            return RasterOrder::kNGroups;
    }
    return order;
}

/// Walk over `tiles_m` x `tiles_n` tiles (workload.tiling.raster). In groups it goes along strips
/// of up to eight tiles, so that few lines of tiles of both operands are in use at a time; strips
/// are as wide as CUTLASS's GemmIdentityThreadblockSwizzle<8> makes them. Tiles are in units of the
/// CTA tile.
class TileOrder {
public:
    struct Tile {
        std::uint64_t m = 0, n = 0;
    };

    TileOrder(RasterOrder order, std::uint64_t tiles_m, std::uint64_t tiles_n)
        : by_m_(order == RasterOrder::kMFastest || order == RasterOrder::kMGroups),
          fast_(by_m_ ? tiles_m : tiles_n),
          slow_(by_m_ ? tiles_n : tiles_m),
          width_(order == RasterOrder::kMGroups || order == RasterOrder::kNGroups ? width_of(fast_)
                                                                                  : fast_) {}

    [[nodiscard]] Tile tile(std::uint64_t index) const {
        const std::uint64_t strip = index / (width_ * slow_);
        const std::uint64_t width = std::min(width_, fast_ - strip * width_);
        const std::uint64_t within = index - strip * width_ * slow_;
        const std::uint64_t fast = strip * width_ + within % width;
        const std::uint64_t slow = within / width;
        return by_m_ ? Tile{fast, slow} : Tile{slow, fast};
    }
    [[nodiscard]] std::uint64_t index(std::uint64_t m, std::uint64_t n) const {
        const std::uint64_t fast = by_m_ ? m : n;
        const std::uint64_t slow = by_m_ ? n : m;
        const std::uint64_t strip = fast / width_;
        const std::uint64_t width = std::min(width_, fast_ - strip * width_);
        return strip * width_ * slow_ + slow * width + fast % width_;
    }
    /// Number of tiles after which the walk is at the same place of another line or strip.
    [[nodiscard]] std::uint64_t period() const { return width_ == fast_ ? fast_ : width_ * slow_; }
    /// Number of lines of tiles along M that the first `count` tiles are in.
    [[nodiscard]] std::uint64_t rows_of_first(std::uint64_t count) const {
        if (!by_m_) {
            return count >= width_ * slow_ ? slow_ : (count + width_ - 1) / width_;
        }
        const std::uint64_t strips = count / (width_ * slow_);
        const std::uint64_t rest = count - strips * width_ * slow_;
        return std::min(strips * width_ + std::min(rest, width_), fast_);
    }

private:
    static std::uint64_t width_of(std::uint64_t tiles) {
        const std::uint64_t width = tiles >= 6 ? 8 : tiles >= 3 ? 4 : tiles >= 2 ? 2 : 1;
        return std::min(width, tiles);
    }

    bool by_m_;
    std::uint64_t fast_, slow_;  ///< tiles along the side that changes first, and the other
    std::uint64_t width_;        ///< of a strip, along the first
};

}  // namespace tessera
