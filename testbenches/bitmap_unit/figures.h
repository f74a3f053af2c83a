// Figures 5 and 15 of the dual-side sparse tensor core paper, played on the bitmap unit.
#pragma once

#include <functional>
#include <string>

#include "testbenches/bitmap_unit/bitmap_driver.h"

namespace tessera::testbench {

/// Plays one k-set of a figure: which of its eight OHMMAs are issued, and which are skipped.
class BitmapFigures {
public:
    /// Sends one tile to the unit and returns its answer.
    using Play = std::function<const TileResult&(const TileBitmaps&)>;

    BitmapFigures(Session& session, Play play) : session_(session), play_(std::move(play)) {}
    /// Figure 5 (III-B3): 20 by 11 non-zeros.
    void figure5();
    /// Figure 15 (V-B1): Set 4 with 20 by 12 non-zeros.
    void figure15();

private:
    /// Prints bitmaps and OHMMAs of a set; returns the mask of the issued OHMMAs.
    std::uint32_t play_set(std::uint32_t k, std::uint32_t a_nonzeros, std::uint32_t b_nonzeros);

    Session& session_;
    const Play play_;
};

}  // namespace tessera::testbench
