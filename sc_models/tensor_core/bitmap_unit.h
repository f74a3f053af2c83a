// Cycle-accurate bitmap unit: counts a sparse tile's non-zeros and issues its OHMMAs.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/tensor_core/accumulation_buffer.h"

namespace tessera {

inline constexpr std::uint32_t kTileDepth = 16;       ///< k sets of a SpWMMA
inline constexpr std::uint32_t kMaxRowGroups = 4;     ///< of 8 rows
inline constexpr std::uint32_t kMaxColumnGroups = 2;  ///< of 16 columns
inline constexpr std::uint32_t kOhmmasOfKSet = kMaxRowGroups * kMaxColumnGroups;

/// Bitmap unit of a sub-core (dual-side sparse tensor core paper, V-B1 and Figures 5 and 15): for a
/// 32x32x16 SpWMMA tile, given as bitmaps of 16 columns of A and 16 rows of B, it counts the
/// non-zeros, sums the counts before each k (the offset of that k's values), and issues the OHMMAs.
/// OHMMA 2 i + j of set k is needed iff nA > 8 i and nB > 16 j; the others take no time, nor does a
/// k set with nA nB = 0.
///
/// One `step` is one clock cycle; inputs and outputs are those of the RTL block of the same name.
/// Three registers in a row: the tile as given; the tile with counts and sums (the summary
/// outputs), from which one OHMMA per cycle is generated, k, then i, then j ascending; the OHMMA at
/// the output. From tile_valid to ohmma_valid 3 cycles. Tiles follow each other without a gap; a
/// tile without OHMMAs takes one cycle. Data holds while ready does not answer valid; tile_ready
/// depends on ohmma_ready of the same cycle.
class BitmapUnit {
public:
    struct Inputs {
        std::uint32_t tile_valid = 0;
        std::array<std::uint32_t, kTileDepth> a_bitmap{};  ///< bit r: A[r][k] is not zero
        std::array<std::uint32_t, kTileDepth> b_bitmap{};  ///< bit c: B[k][c] is not zero
        std::uint32_t ohmma_ready = 0;
    };
    /// Counts, offsets and predicates of a tile, by k.
    struct Summary {
        std::array<std::uint32_t, kTileDepth> a_count{};
        std::array<std::uint32_t, kTileDepth> b_count{};
        std::array<std::uint32_t, kTileDepth> a_offset{};  ///< non-zeros of smaller k
        std::array<std::uint32_t, kTileDepth> b_offset{};
        std::array<std::uint32_t, kTileDepth> row_groups{};
        std::array<std::uint32_t, kTileDepth> column_groups{};
        std::array<std::uint32_t, kTileDepth> predicates{};  ///< bit 2 i + j: OHMMA is needed
    };
    struct Ohmma {
        std::uint32_t k = 0;
        std::uint32_t i = 0;
        std::uint32_t j = 0;
        std::array<std::uint32_t, kOhmmaRows> row{};  ///< 0 where not valid
        std::uint32_t row_valid = 0;
        std::array<std::uint32_t, kOhmmaColumns> column{};
        std::uint32_t column_valid = 0;
        std::uint32_t a_offset = 0;  ///< offset of the group's first value in the tile's values of
                                     ///< A
        std::uint32_t b_offset = 0;
        std::uint32_t first = 0;  ///< of its tile
        std::uint32_t last = 0;
    };
    struct Outputs {
        std::uint32_t tile_ready = 0;
        std::uint32_t summary_valid = 0;  ///< a tile's OHMMAs are being generated
        Summary summary;
        std::uint32_t tile_done = 0;  ///< that tile's last cycle
        std::uint32_t ohmma_valid = 0;
        Ohmma ohmma;
        std::uint32_t idle = 0;  ///< no tile stored, no OHMMA at the output
    };

    /// Advances one clock cycle. The reference is valid until the next call.
    const Outputs& step(const Inputs& in);
    void reset();

    /// Computes counts, offsets and predicates of a tile.
    [[nodiscard]] static Summary summarise(const std::array<std::uint32_t, kTileDepth>& a_bitmap,
                                           const std::array<std::uint32_t, kTileDepth>& b_bitmap);

private:
    struct Tile {
        std::array<std::uint32_t, kTileDepth> a_bitmap{};
        std::array<std::uint32_t, kTileDepth> b_bitmap{};
    };

    /// k set of the next OHMMA.
    [[nodiscard]] std::uint32_t set() const {
        return static_cast<std::uint32_t>(__builtin_ctz(k_left_));
    }
    [[nodiscard]] bool is_last_of_set() const;
    [[nodiscard]] bool is_last() const;
    [[nodiscard]] Ohmma make_ohmma() const;
    void start_tile();
    void advance();

    bool arrived_valid_ = false;
    Tile arrived_;
    bool current_valid_ = false;
    Tile current_;
    Summary summary_;           ///< of the current tile
    std::uint32_t k_left_ = 0;  ///< bit per k set that has OHMMAs left
    std::uint32_t i_ = 0;
    std::uint32_t j_ = 0;
    bool first_ = false;
    bool pending_valid_ = false;
    Ohmma pending_;  ///< the output register
    Outputs out_;
};

}  // namespace tessera
