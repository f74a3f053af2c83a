// Plan of one warp's share of a step in a product of bitmap operands.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/workload/staged/staged_operand.h"

namespace tessera {

/// A line tile's part of a step: `depth` tiles of 32 lines x 16 k. Masks have one bit per k of a
/// tile.
struct SparseLine {
    const BitmapTiles* side = nullptr;
    std::uint64_t first = 0;              ///< tile
    std::vector<std::uint16_t> occupied;  ///< by tile: k with elements
    std::vector<std::uint16_t> wanted;    ///< the occupied k opposite elements of another line tile
    std::vector<bool> opposite;           ///< by tile: whether another line tile has a tile with
                                          ///< elements

    /// Whether the tile's bitmaps are in its slot. They are not if the descriptor shows none or all
    /// of its elements.
    [[nodiscard]] bool stores_bitmaps(std::uint32_t tile) const {
        return side->with_bitmaps() &&
               (side->lowers() || (occupied[tile] != 0 && !side->matrix().tile_full(first + tile)));
    }
    /// Whether the tile's bitmaps are stored and needed.
    [[nodiscard]] bool reads_bitmaps(std::uint32_t tile) const {
        return stores_bitmaps(tile) && (side->lowers() || opposite[tile]);
    }
    /// Number of needed bitmaps of the first `end` tiles: in registers they are contiguous.
    [[nodiscard]] std::uint32_t bitmaps_read(std::uint32_t end) const;
    [[nodiscard]] std::uint32_t bitmaps_read() const {
        return bitmaps_read(static_cast<std::uint32_t>(occupied.size()));
    }
    /// Computes the 16-byte pieces of the step's values at wanted k, 32 pieces per word.
    void pieces(std::vector<std::uint32_t>& words) const;
};

/// The line tiles of a warp in a step. If one side has no elements at a k, the other's values at
/// that k are not needed, and a pair of tiles without a common k is not multiplied (dual-side
/// sparse tensor core, III-C: "skips").
class SparseStep {
public:
    /// Plans `a_lines` line tiles of A from `a_line` on, likewise of B, and `depth` k-tiles from
    /// `first` on.
    void plan(const BitmapTiles& a, std::uint32_t a_line, std::uint32_t a_lines,
              const BitmapTiles& b, std::uint32_t b_line, std::uint32_t b_lines,
              std::uint32_t first, std::uint32_t depth);

    [[nodiscard]] std::uint32_t depth() const { return depth_; }
    [[nodiscard]] const std::vector<SparseLine>& a() const { return a_; }
    [[nodiscard]] const std::vector<SparseLine>& b() const { return b_; }
    /// Whether some pair of tiles has elements on both sides, according to the descriptors.
    [[nodiscard]] bool has_work() const { return has_work_; }
    /// The k that tile `t` has in both line tiles `i` and `j`.
    [[nodiscard]] std::uint16_t common(std::uint32_t i, std::uint32_t j, std::uint32_t t) const {
        return static_cast<std::uint16_t>(a_[i].occupied[t] & b_[j].occupied[t]);
    }
    /// Number of tiles with elements on both sides, neither of which has elements at all k: only
    /// their masks show whether they have a common k.
    [[nodiscard]] std::uint32_t candidates(std::uint32_t i, std::uint32_t j) const;
    [[nodiscard]] bool multiplies(std::uint32_t i, std::uint32_t j) const;

private:
    static void plan_side(std::vector<SparseLine>& lines, const BitmapTiles& side,
                          std::uint32_t line, std::uint32_t count, std::uint32_t first,
                          std::uint32_t depth);

    std::vector<SparseLine> a_, b_;
    std::uint32_t depth_ = 0;
    bool has_work_ = false;
};

}  // namespace tessera
