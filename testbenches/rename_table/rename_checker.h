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
        Coverage& coverage;
        Coverage::Bin map = coverage.add("map", "an architectural unit takes the first free unit");
        Coverage::Bin share = coverage.add("share", "a second mapping to a unit in use");
        Coverage::Bin revival =
            coverage.add("revival", "a mapping to a free unit, which leaves the free list");
        Coverage::Bin detach = coverage.add("detach", "a mapping ends, its reference stays");
        Coverage::Bin detach_nothing =
            coverage.add("detach_nothing", "a unit without a mapping is detached");
        Coverage::Bin relay = coverage.add("relay", "a reference is dropped, others remain");
        Coverage::Bin freed =
            coverage.add("freed", "the last reference is dropped, the unit becomes free");
        Coverage::Bin retain = coverage.add("retain", "a reference beside the mappings is added");
        Coverage::Bin first = coverage.add("first", "a free unit moves to the front of the list");
        Coverage::Bin exhausted =
            coverage.add("exhausted", "no unit is free, the mapping is refused");
        Coverage::Bin growth = coverage.add("growth", "no unit is free, the pool doubles");
        Coverage::Bin drop_refused =
            coverage.add("drop_refused", "a unit without references is dropped");
        Coverage::Bin first_refused =
            coverage.add("first_refused", "a unit in use is to move to the front");
    };
    struct Signals {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal valid = 0, kind = 0, architectural = 0, physical = 0, refused = 0,
                             references = 0, free_units = 0, mapped_units = 0;
    };

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
