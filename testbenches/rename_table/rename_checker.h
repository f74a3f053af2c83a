// Checker of a rename table: sends operations to it and to a naive one, and compares.
#pragma once

#include <deque>
#include <optional>

#include "testbenches/rename_table/naive_rename.h"

namespace tessera::testbench {

/// Sends operations to a rename table and compares each result with that of a naive one.
class RenameChecker {
public:
    RenameChecker(Session& session, RenameDriver& driver);

    /// Resets both tables, while no operation is under way.
    void program(const RenameOrganisation& organisation);
    /// Sends an operation not before cycle `at`; returns the expected result.
    RenameResult issue(const RenameOperation& operation, Cycle at);
    /// Simulates until all results are there. Each missing one is a violation.
    void drain();

    [[nodiscard]] const NaiveRename& naive() const { return *naive_; }
    [[nodiscard]] const RenameOrganisation& organisation() const { return organisation_; }

private:
    struct Bins {
        Coverage::Bin map, share, revival, detach, detach_nothing, relay, freed, retain, first,
            exhausted, growth, drop_refused, first_refused;
    };
    struct Signals {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal valid = 0, kind = 0, architectural = 0, physical = 0, refused = 0,
                             references = 0, free_units = 0, mapped_units = 0;
    };

    static Bins make_bins(Coverage& coverage);
    void make_signals(WaveRecorder& wave);
    void count(const RenameOperation& operation, const RenameResult& result,
               std::uint32_t units_before);
    void check(const RenameOperation& operation, const RenameResult& result, Cycle begin);
    void record(const RenameOperation& operation, const RenameResult& result, Cycle at);

    Session& session_;
    RenameDriver& driver_;
    RenameOrganisation organisation_;
    std::optional<NaiveRename> naive_;
    std::deque<RenameResult> expected_;
    Signals signals_;
    const Bins bins_;
};

}  // namespace tessera::testbench
