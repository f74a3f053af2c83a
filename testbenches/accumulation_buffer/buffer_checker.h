// Checker of an accumulation buffer: sends operations to it and compares its sums with naive ones.
#pragma once

#include <deque>
#include <vector>

#include "testbenches/accumulation_buffer/buffer_driver.h"

namespace tessera::testbench {

class BufferChecker {
public:
    BufferChecker(Session& session, BufferDriver& driver);

    /// Sends an operation not before cycle `at`.
    void issue(const BufferOperation& operation, Cycle at);
    /// Simulates until all sums are there. Each missing answer is a violation.
    void drain();

private:
    struct Expected {
        std::vector<NaiveBuffer::Row> sums;
        std::uint32_t first_word = 0;
        std::uint32_t fullest = 0;   ///< products for the fullest bank; sparse
        bool distinct_rows = false;  ///< no sum is met twice
    };
    struct Bins {
        Coverage& coverage;
        Coverage::Bin sparse = coverage.add("sparse", "a sparse OHMMA");
        Coverage::Bin empty = coverage.add("empty", "a sparse OHMMA without products");
        Coverage::Bin conflict =
            coverage.add("conflict", "two products of an OHMMA meet in a bank");
        Coverage::Bin full_conflict =
            coverage.add("full_conflict", "eight products of an OHMMA meet in a bank");
        Coverage::Bin repeated_row =
            coverage.add("repeated_row", "two products of an OHMMA have one sum");
        Coverage::Bin first = coverage.add("first", "a dense OHMMA that is the first of its sums");
        Coverage::Bin middle = coverage.add("middle", "a dense OHMMA between first and last");
        Coverage::Bin last = coverage.add("last", "a dense OHMMA that is the last of its sums");
        Coverage::Bin preload = coverage.add("preload", "a preload");
        Coverage::Bin drain = coverage.add("drain", "a drain that keeps the sums");
        Coverage::Bin clear = coverage.add("clear", "a drain that clears the sums");
        Coverage::Bin turn =
            coverage.add("turn", "a sparse OHMMA behind a dense one, or the reverse");
        Coverage::Bin negative_zero =
            coverage.add("negative_zero", "a preload of -0, which counts as +0");
        Coverage::Bin not_a_number = coverage.add("not_a_number", "a NaN among the sums");
        Coverage::Bin underflow = coverage.add("subnormal", "a subnormal sum");
    };
    void count(const BufferOperation& operation, const Expected& expected);
    void check(const BufferOperation& operation, const BufferResult& got, Cycle begin, Cycle end);
    void check_time(const BufferOperation& operation, const Expected& expected,
                    const BufferResult& got, Cycle begin, Cycle end);

    Session& session_;
    BufferDriver& driver_;
    NaiveBuffer naive_;
    std::deque<Expected> expected_;
    bool was_dense_ = false;
    const Bins bins_;
};

}  // namespace tessera::testbench
