#include "testbenches/bitmap_im2col/im2col_checker.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {

Im2colChecker::Im2colChecker(Session& session, Im2colDriver& driver)
    : session_(session),
      driver_(driver),
      stride1_(session.coverage.add("stride_1", "a row under a filter with stride 1")),
      stride2_(session.coverage.add("stride_2", "a row with stride 2")),
      rest_(session.coverage.add("rest", "a row whose last element stride 2 leaves out")),
      refused_(session.coverage.add("refused", "a row that does not fit")),
      longest_(session.coverage.add("longest", "a row of 64 elements")),
      one_output_(session.coverage.add("one_output", "a filter as wide as its row")),
      empty_column_(session.coverage.add("empty_column", "a column without a value")),
      full_column_(session.coverage.add("full_column", "a column of 64 values")),
      between_(session.coverage.add("between", "a value between two outputs of a column")),
      wraps_(session.coverage.add("wraps", "an address that wraps around")) {
    driver.operations().on_result = [this](const MapRow& /*row*/, const RowResult& got, Cycle begin,
                                           Cycle end) {
        if (expected_.empty()) return;
        const NaiveLowering expected = std::move(expected_.front());
        expected_.pop_front();
        check(expected, got, begin, end);
        last_ = got;
    };
}

void Im2colChecker::issue(const MapRow& row, Cycle at) {
    expected_.push_back(naive_lowering(row));
    count(row, expected_.back());
    driver_.operations().issue(row, at);
}

void Im2colChecker::drain() {
    driver_.operations().drain();
    if (expected_.empty()) return;
    session_.violations({fmt::format("{} rows have not ended", expected_.size())});
    expected_.clear();
}

const RowResult& Im2colChecker::play(const MapRow& row, Cycle at) {
    issue(row, at);
    drain();
    return last_;
}

void Im2colChecker::count(const MapRow& row, const NaiveLowering& lowering) {
    Coverage& c = session_.coverage;
    c.hit_if(refused_, !lowering.fits);
    if (!lowering.fits) return;
    c.hit(row.stride == 1 ? stride1_ : stride2_);
    c.hit_if(rest_, row.stride == 2 && (row.length - row.filter) % 2 == 1);
    c.hit_if(longest_, row.length == kMapRowBits);
    c.hit_if(one_output_, row.length == row.filter);
    for (const NaiveColumn& column : lowering.columns) {
        c.hit_if(empty_column_, column.length == 0);
        c.hit_if(full_column_, column.count == kMapRowBits);
        c.hit_if(between_, column.length > column.count);
        c.hit_if(wraps_, column.address < row.base);
    }
}

void Im2colChecker::check(const NaiveLowering& expected, const RowResult& got, Cycle begin,
                          Cycle end) {
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(end);
    const std::size_t columns = expected.fits ? expected.columns.size() : 1;
    board.note("row of cycle {}: {} columns, {} expected", begin, got.columns.size(), columns);
    board.expect_count("columns of a row", columns, got.columns.size());
    for (std::size_t k = 0; k < std::min(columns, got.columns.size()); ++k) {
        check_column(expected.fits ? expected.columns[k] : NaiveColumn{}, got.columns[k]);
        board.expect("column_first", k, k == 0 ? 1 : 0, got.columns[k].first);
        board.expect("column_last", k, k + 1 == columns ? 1 : 0, got.columns[k].last);
        board.expect("column_error", k, expected.fits ? 0 : 1, got.columns[k].error);
    }
    check_time(columns, got);
}

void Im2colChecker::check_column(const NaiveColumn& expected, const BitmapIm2col::Column& got) {
    Scoreboard& board = session_.scoreboard;
    board.expect("column_bitmap", naive_bitmap(expected.elements), got.bitmap);
    board.expect("column_window", naive_bitmap(expected.window), got.window);
    board.expect("column_address", expected.address, got.address);
    board.expect_count("values of the window", expected.length, got.length);
    board.expect_count("values of the column", expected.count, got.count);
}

/// A row that is alone takes a cycle for each column, and one for each stall.
void Im2colChecker::check_time(std::size_t columns, const RowResult& got) {
    const Cycle least = BitmapIm2col::kLatency + columns - 1;
    if (got.alone) {
        session_.scoreboard.expect_count("cycles of a row that is alone", least + got.stalls,
                                         got.cycles);
        session_.latency.add("row to its first column", got.first);
        session_.latency.add("row to its last column", got.cycles);
    } else if (got.cycles < least) {
        session_.scoreboard.expect_count("least cycles of a row", least, got.cycles);
    }
}

}  // namespace tessera::testbench
