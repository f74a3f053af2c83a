// Checker of a multiplier array: sends operations to it and compares its results with naive ones.
#pragma once

#include "testbenches/feop_array/feop_driver.h"

namespace tessera::testbench {

/// Compares products, bits and latency with float arithmetic, and counts the situations.
class FeopChecker {
public:
    FeopChecker(Session& session, FeopDriver& driver);

    /// Sends an operation not before cycle `at`.
    void issue(FeopArrayInputs in, Cycle at);
    /// Simulates until all results are there. Each missing one is a violation.
    void drain();
    [[nodiscard]] std::uint32_t issued() const { return issued_; }

private:
    struct Bins {
        Coverage::Bin ohmma, bohmma, off, subnormal, zero, infinity, nan, zero_times_infinity;
    };
    static Bins make_bins(Coverage& coverage);
    void count(const FeopArrayInputs& in);
    void check(const FeopArrayInputs& in, const FeopResult& got, Cycle begin, Cycle end);
    void check_values(const FeopArrayInputs& in, const FeopArrayOutputs& out);

    Session& session_;
    FeopDriver& driver_;
    const Bins bins_;
    std::uint32_t issued_ = 0, finished_ = 0;
};

}  // namespace tessera::testbench
