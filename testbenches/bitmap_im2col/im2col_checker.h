// Checker of a bitmap im2col: sends rows to it and compares its columns with naive ones.
#pragma once

#include <deque>

#include "testbenches/bitmap_im2col/im2col_driver.h"

namespace tessera::testbench {

class Im2colChecker {
public:
    Im2colChecker(Session& session, Im2colDriver& driver);

    /// Sends a row not before cycle `at`.
    void issue(const MapRow& row, Cycle at);
    /// Simulates until all columns are there. Each missing row is a violation.
    void drain();
    /// Sends one row and returns the block's answer.
    const RowResult& play(const MapRow& row, Cycle at);

private:
    void count(const MapRow& row, const NaiveLowering& lowering);
    void check(const NaiveLowering& expected, const RowResult& got, Cycle begin, Cycle end);
    void check_column(const NaiveColumn& expected, const BitmapIm2col::Column& got);
    void check_time(std::size_t columns, const RowResult& got);

    Session& session_;
    Im2colDriver& driver_;
    std::deque<NaiveLowering> expected_;
    RowResult last_;
    const Coverage::Bin stride1_, stride2_, rest_, refused_, longest_, one_output_, empty_column_,
        full_column_, between_, wraps_;
};

}  // namespace tessera::testbench
