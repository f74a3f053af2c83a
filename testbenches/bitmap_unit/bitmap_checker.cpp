#include "testbenches/bitmap_unit/bitmap_checker.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {

namespace {
// The unit has three registers in a row, and OHMMAs leave the last one at one a cycle.
constexpr Cycle kFirstOhmma = 3, kEmptyTile = 2;
}  // namespace

BitmapChecker::BitmapChecker(Session& session, BitmapDriver& driver)
    : session_(session), driver_(driver) {
    Coverage& c = session.coverage;
    for (std::uint32_t n = 0; n < 8; ++n) {
        predicates_[n] = c.add(fmt::format("ohmma_{}", n),
                               fmt::format("a k-set whose last OHMMA is number {}", n));
    }
    empty_tile_ = c.add("empty_tile", "a tile without OHMMAs");
    empty_set_ = c.add("empty_set", "a k-set without non-zeros on both sides");
    one_side_ = c.add("one_side", "a k-set with non-zeros on one side only");
    partial_ = c.add("partial", "an OHMMA with fewer than 8 rows and 16 columns");
    full_set_ = c.add("full_set", "a k-set with 32 non-zeros on both sides");
    full_tile_ = c.add("full_tile", "a tile with all its 128 OHMMAs");
    driver.operations().on_result = [this](const TileBitmaps& /*tile*/, const TileResult& got,
                                           Cycle begin, Cycle end) {
        if (expected_.empty()) return;
        const NaiveTile expected = std::move(expected_.front());
        expected_.pop_front();
        check(expected, got, begin, end);
        last_ = got;
    };
}

void BitmapChecker::issue(const TileBitmaps& tile, Cycle at) {
    expected_.push_back(naive_tile(tile));
    count(expected_.back());
    driver_.operations().issue(tile, at);
}

void BitmapChecker::drain() {
    driver_.operations().drain();
    if (expected_.empty()) return;
    session_.violations({fmt::format("{} tiles have not ended", expected_.size())});
    expected_.clear();
}

const TileResult& BitmapChecker::play(const TileBitmaps& tile, Cycle at) {
    issue(tile, at);
    drain();
    return last_;
}

void BitmapChecker::count(const NaiveTile& tile) {
    Coverage& c = session_.coverage;
    for (const NaiveSet& set : tile.sets) {
        for (std::uint32_t n = 8; n-- > 0;) {
            if (!set.needed[n]) continue;
            c.hit(predicates_[n]);
            break;
        }
        c.hit_if(empty_set_, set.rows.empty() && set.columns.empty());
        c.hit_if(one_side_, set.rows.empty() != set.columns.empty());
        c.hit_if(full_set_, set.rows.size() == 32 && set.columns.size() == 32);
    }
    for (const NaiveOhmma& ohmma : tile.ohmmas) {
        c.hit_if(partial_, ohmma.rows.size() < 8 && ohmma.columns.size() < 16);
    }
    c.hit_if(empty_tile_, tile.ohmmas.empty());
    c.hit_if(full_tile_, tile.ohmmas.size() == 128);
}

void BitmapChecker::check(const NaiveTile& expected, const TileResult& got, Cycle begin,
                          Cycle end) {
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(end);
    board.note("tile of cycle {}: {} OHMMAs, {} expected", begin, got.ohmmas.size(),
               expected.ohmmas.size());
    check_summary(expected, got.summary);
    board.expect_count("OHMMAs of a tile", expected.ohmmas.size(), got.ohmmas.size());
    for (std::size_t n = 0; n < std::min(expected.ohmmas.size(), got.ohmmas.size()); ++n) {
        check_ohmma(expected.ohmmas[n], got.ohmmas[n]);
        board.expect("ohmma_first", n, n == 0 ? 1 : 0, got.ohmmas[n].first);
        board.expect("ohmma_last", n, n + 1 == expected.ohmmas.size() ? 1 : 0, got.ohmmas[n].last);
    }
    check_time(got);
}

void BitmapChecker::check_summary(const NaiveTile& expected, const BitmapUnit::Summary& got) {
    Scoreboard& board = session_.scoreboard;
    for (std::size_t k = 0; k < expected.sets.size(); ++k) {
        const NaiveSet& set = expected.sets[k];
        std::uint32_t predicates = 0;
        for (std::uint32_t n = 0; n < 8; ++n) predicates |= (set.needed[n] ? 1U : 0U) << n;
        board.expect("a_count", k, set.rows.size(), got.a_count[k]);
        board.expect("b_count", k, set.columns.size(), got.b_count[k]);
        board.expect("a_offset", k, set.a_offset, got.a_offset[k]);
        board.expect("b_offset", k, set.b_offset, got.b_offset[k]);
        board.expect("row_groups", k, set.row_groups, got.row_groups[k]);
        board.expect("column_groups", k, set.column_groups, got.column_groups[k]);
        board.expect("predicates", k, predicates, got.predicates[k]);
    }
}

void BitmapChecker::check_ohmma(const NaiveOhmma& expected, const BitmapUnit::Ohmma& got) {
    Scoreboard& board = session_.scoreboard;
    board.expect("ohmma_k", expected.k, got.k);
    board.expect("ohmma_i", expected.i, got.i);
    board.expect("ohmma_j", expected.j, got.j);
    board.expect("ohmma_a_offset", expected.a_offset, got.a_offset);
    board.expect("ohmma_b_offset", expected.b_offset, got.b_offset);
    check_lanes("ohmma_row", expected.rows, got.row, got.row_valid);
    check_lanes("ohmma_column", expected.columns, got.column, got.column_valid);
}

template <std::size_t kLanes>
void BitmapChecker::check_lanes(const char* name, const std::vector<std::uint32_t>& expected,
                                const std::array<std::uint32_t, kLanes>& got, std::uint32_t valid) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const bool used = lane < expected.size();
        session_.scoreboard.expect("valid lane", lane, used ? 1 : 0, valid >> lane & 1U);
        session_.scoreboard.expect(name, lane, used ? expected[lane] : 0, got[lane]);
    }
}

/// A tile that is alone takes a cycle for each OHMMA, and one for each stall.
void BitmapChecker::check_time(const TileResult& got) {
    const Cycle ohmmas = got.ohmmas.size();
    const Cycle least = ohmmas == 0 ? kEmptyTile : kFirstOhmma + ohmmas - 1;
    if (got.alone) {
        session_.scoreboard.expect_count("cycles of a tile that is alone", least + got.stalls,
                                         got.cycles);
        session_.latency.add(ohmmas == 0 ? "tile without OHMMAs" : "tile to its last OHMMA",
                             got.cycles);
        if (ohmmas > 0) session_.latency.add("tile to its first OHMMA", got.first);
    } else if (got.cycles < least) {
        session_.scoreboard.expect_count("least cycles of a tile", least, got.cycles);
    }
}

}  // namespace tessera::testbench
