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
        Coverage::Bin sparse, empty, conflict, full_conflict, repeated_row, first, last, middle,
            preload, drain, clear, turn, negative_zero, not_a_number, underflow;
    };
    static Bins make_bins(Coverage& coverage);
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
