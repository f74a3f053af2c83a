// Checker of a rename table: sends operations to it and to a naive one, and compares.
#pragma once

#include <optional>

#include "testbenches/rename_table/naive_rename.h"

namespace tessera::testbench {

/// Sends operations to a rename table and compares each result with that of a naive one. Behind
/// pins a mapping may overtake the end of another one, so two naive tables run: one in the order of
/// issue, by which the stimulus is legal, and one in the order in which the table's contents
/// change.
class RenameChecker {
public:
    RenameChecker(Session& session, RenameDriver& driver);

    /// Resets both tables, while no operation is under way.
    void program(const RenameOrganisation& organisation);
    /// Sends an operation not before cycle `at`; returns its result in the order of issue.
    RenameResult issue(const RenameOperation& operation, Cycle at);
    /// Simulates until all results are there. Each missing one is a violation.
    void drain();

    /// Naive table in the order of issue.
    [[nodiscard]] const NaiveRename& naive() const { return *planned_; }
    [[nodiscard]] const RenameOrganisation& organisation() const { return organisation_; }

private:
    struct Bins {
        Coverage::Bin map, share, end_nothing, relay, freed;
        // Only of implementations that have their operations.
        Coverage::Bin revival, detach, retain, first, exhausted, growth, drop_refused,
            first_refused;
    };
    struct Signals {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal valid = 0, kind = 0, architectural = 0, physical = 0, refused = 0,
                             references = 0, free_units = 0, mapped_units = 0;
    };

    static Bins make_bins(Coverage& coverage, bool all);
    void make_signals(WaveRecorder& wave);
    void count(const RenameOperation& operation, const RenameResult& result,
               std::uint32_t units_before);
    void check(const RenameOperation& step, const RenameResult& result, Cycle at);
    void check_counts(std::uint32_t free_units, std::uint32_t mapped_units, Cycle at);
    void record(const RenameOperation& operation, const RenameResult& result, Cycle at);

    Session& session_;
    RenameDriver& driver_;
    RenameOrganisation organisation_;
    std::optional<NaiveRename> planned_, changed_;
    std::uint64_t under_way_ = 0;  ///< operations without their last result
    Signals signals_;
    const Bins bins_;
};

}  // namespace tessera::testbench
