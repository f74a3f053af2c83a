// Checker of a pair of tensor cores: values by triple loops, cycles by counting OHMMAs.
#pragma once

#include <array>
#include <map>

#include "testbenches/tensor_core/tensor_driver.h"

namespace tessera::testbench {

class TensorChecker {
public:
    TensorChecker(Session& session, TensorDriver& driver);

    /// Sends an operation not before cycle `at`.
    void issue(const TensorOperation& operation, Cycle at);
    void drain();
    /// Sends one operation, when the pair is free, and returns its answer.
    const TensorResult& play(const TensorOperation& operation);
    /// Compares the pair's counters with the naive numbers, and its links with the protocol.
    void finish();

private:
    using Kind = TensorOperation::Kind;
    using Sums = std::array<std::array<int, kSparse>, kSparse>;
    struct Bins {
        Coverage& coverage;
        Coverage::Bin dense = coverage.add("dense", "a dense product");
        Coverage::Bin copies = coverage.add("copies", "a dense product with different copies of A");
        Coverage::Bin summand =
            coverage.add("summand", "a dense product with a C that is not zero");
        Coverage::Bin busy = coverage.add("busy", "an operation waits for the one before it");
        Coverage::Bin sparse = coverage.add("sparse", "a SpWMMA");
        Coverage::Bin resident = coverage.add("resident", "a SpWMMA whose sums are in the buffer");
        Coverage::Bin swap = coverage.add("swap", "a SpWMMA that exchanges the buffer's sums");
        Coverage::Bin flush = coverage.add("flush", "a flush of sums in the buffer");
        Coverage::Bin needless_flush =
            coverage.add("needless_flush", "a flush of sums that are in registers");
        Coverage::Bin empty = coverage.add("empty", "a SpWMMA without OHMMAs");
        Coverage::Bin some = coverage.add("some", "a SpWMMA that skips some of its OHMMAs");
        Coverage::Bin full = coverage.add("full", "a SpWMMA with all its OHMMAs");
    };
    struct Signals {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal busy = 0, kind = 0, warp = 0, ohmmas = 0;
    };
    void check(const TensorOperation& operation, const TensorResult& got, Cycle begin);
    void check_dense(const TensorValues& values, const TensorResult& got);
    void check_sparse(const TensorOperation& operation, const TensorResult& got);
    void check_sums(std::uint32_t warp);
    void record(const TensorOperation& operation, Cycle start, Cycle free);

    Session& session_;
    TensorDriver& driver_;
    std::map<std::uint32_t, Sums> naive_;
    std::int64_t resident_ = -1;  ///< warp whose sums the buffer holds; -1: none
    Cycle free_ = 0;              ///< cycle at which the pair is free
    std::uint64_t issued_ = 0, finished_ = 0;
    std::uint64_t products_ = 0, spwmmas_ = 0, ohmmas_ = 0;
    TensorResult last_;
    Signals signals_;
    const Bins bins_;
};

}  // namespace tessera::testbench
