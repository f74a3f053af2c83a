// Checker of a load history buffer: sends operations to it and to a naive one, and compares.
#pragma once

#include <deque>
#include <optional>

#include "testbenches/harness/session.h"
#include "testbenches/load_history_buffer/naive_history.h"

namespace tessera::testbench {

/// Sends operations to a buffer and compares each result with that of a naive buffer. Expectations
/// come from the naive buffer alone, so that every driver meets the same operations.
class HistoryChecker {
public:
    HistoryChecker(Session& session, HistoryDriver& driver);

    /// Organises both buffers, while no operation is under way.
    void program(const HistoryOrganisation& organisation);
    /// Sends an operation not before cycle `at`, and in a cycle after that of the one before;
    /// returns the expected result.
    HistoryResult issue(const HistoryOperation& operation, Cycle at = 0);
    /// Simulates until all results are there. Each missing one is a violation.
    void drain();
    /// Sends one operation and returns the buffer's result.
    HistoryResult play(const HistoryOperation& operation, Cycle at);

    [[nodiscard]] const NaiveHistory& naive() const { return *naive_; }
    [[nodiscard]] const HistoryOrganisation& organisation() const { return organisation_; }

private:
    struct Bins {
        Coverage::Bin hit, miss, conflict, eviction, recency, same_value, released, not_named,
            clear, reinserted;
        Coverage::Bin kept_out;  ///< only with retention
    };
    struct Signals {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal valid = 0, kind = 0, element = 0, batch = 0, phys = 0, found = 0,
                             found_phys = 0, entries = 0;
    };

    static Bins make_bins(Coverage& coverage, bool retains);
    void make_signals(WaveRecorder& wave);
    void count(const HistoryOperation& operation, const HistoryResult& result,
               std::size_t entries_before);
    void check(const HistoryOperation& operation, const HistoryResult& result, Cycle begin,
               Cycle end);
    void record_operation(const HistoryOperation& operation, Cycle begin);
    void record_result(const HistoryResult& result, Cycle end);

    Session& session_;
    HistoryDriver& driver_;
    HistoryOrganisation organisation_;
    std::optional<NaiveHistory> naive_;
    std::deque<HistoryResult> expected_;
    HistoryResult last_;
    Signals signals_;
    const Bins bins_;
};

}  // namespace tessera::testbench
