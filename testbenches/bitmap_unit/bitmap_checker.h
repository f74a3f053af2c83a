// Checker of a bitmap unit: sends tiles to it and compares its answers with naive ones.
#pragma once

#include <deque>

#include "testbenches/bitmap_unit/bitmap_driver.h"

namespace tessera::testbench {

class BitmapChecker {
public:
    BitmapChecker(Session& session, BitmapDriver& driver);

    /// Sends a tile not before cycle `at`.
    void issue(const TileBitmaps& tile, Cycle at);
    /// Simulates until all OHMMAs are there. Each missing tile is a violation.
    void drain();
    /// Sends one tile and returns the unit's answer.
    const TileResult& play(const TileBitmaps& tile, Cycle at);

private:
    void count(const NaiveTile& tile);
    void check(const NaiveTile& expected, const TileResult& got, Cycle begin, Cycle end);
    void check_summary(const NaiveTile& expected, const BitmapUnit::Summary& got);
    void check_ohmma(const NaiveOhmma& expected, const BitmapUnit::Ohmma& got);
    template <std::size_t kLanes>
    void check_lanes(const char* name, const std::vector<std::uint32_t>& expected,
                     const std::array<std::uint32_t, kLanes>& got, std::uint32_t valid);
    void check_time(const TileResult& got);

    Session& session_;
    BitmapDriver& driver_;
    std::deque<NaiveTile> expected_;
    TileResult last_;
    std::array<Coverage::Bin, 8> predicates_{};
    Coverage::Bin empty_tile_ = 0, empty_set_ = 0, full_set_ = 0, full_tile_ = 0, one_side_ = 0,
                  partial_ = 0;
};

}  // namespace tessera::testbench
