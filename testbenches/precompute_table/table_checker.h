// Checker of a precompute table: sends operations to it and to a naive one, and compares.
#pragma once

#include <deque>
#include <optional>

#include "sc_models/opportunistic/precompute_table_module.h"
#include "testbenches/precompute_table/description.h"
#include "testbenches/precompute_table/naive_table.h"
#include "testbenches/precompute_table/table_driver.h"
#include "testbenches/precompute_table/table_waves.h"

namespace tessera::testbench {

/// Sends operations to a table and to a list with the same rules. One operation takes one cycle, or
/// as many as it needs behind pins; results, states and all counters are compared after each.
class TableChecker {
public:
    /// `module` is the table under test unless `driver` has one behind pins; both outlive the
    /// checker. Entries have `lanes` results.
    TableChecker(Session& session, PrecomputeTableModule& module, TableDriver& driver,
                 std::uint32_t lanes);

    /// Records the operations in the waveform, after the module has added its signals there.
    void watch(WaveRecorder* wave) { waves_.emplace(wave); }
    /// Plays one operation on table and reference, and compares both.
    void play(const TableOperation& operation);
    /// Starts a kernel, from which on entries are eliminated periodically.
    void start_kernel();

    /// Returns the number of operations played.
    [[nodiscard]] std::uint64_t played() const { return played_; }
    /// Returns whether an assistant warp computes an entry.
    [[nodiscard]] bool computes() const { return !running_.empty(); }
    [[nodiscard]] const NaiveTable& naive() const { return naive_; }

private:
    struct Bins {
        Coverage& coverage;
        Coverage::Bin predict = coverage.add("predict", "a prediction that gets an entry");
        Coverage::Bin present =
            coverage.add("predict_again", "a prediction whose key has an entry already");
        Coverage::Bin replace =
            coverage.add("replace", "a prediction that replaces the oldest entry");
        Coverage::Bin reject =
            coverage.add("reject", "a prediction without room: all entries are being computed");
        Coverage::Bin hit = coverage.add("hit", "a lookup that finds a complete entry");
        Coverage::Bin miss = coverage.add("miss", "a lookup that finds no entry");
        Coverage::Bin too_late =
            coverage.add("too_late", "a lookup that finds an incomplete entry, which it drops");
        Coverage::Bin other_weights =
            coverage.add("other_weights", "a miss while the input vector has another entry");
        Coverage::Bin other_geometry =
            coverage.add("other_geometry", "a miss while another layout has an entry");
        Coverage::Bin start =
            coverage.add("start", "an assistant warp starts the oldest waiting entry");
        Coverage::Bin idle = coverage.add("idle", "an assistant warp finds no waiting entry");
        Coverage::Bin complete = coverage.add("complete", "a result is stored");
        Coverage::Bin late = coverage.add("late_result", "a result whose entry is gone");
        Coverage::Bin reused =
            coverage.add("reused_entry", "a late result whose entry holds another operation");
        Coverage::Bin eliminate = coverage.add("eliminate", "the oldest entries are dropped");
        Coverage::Bin eliminate_running =
            coverage.add("eliminate_running", "an entry is dropped while it is computed");
        Coverage::Bin periodic = coverage.add("periodic", "an elimination by the periodic policy");
        Coverage::Bin flush =
            coverage.add("flush", "all entries are dropped, as at the end of a kernel");
    };
    /// Operation of an assistant warp: its entry, and the reference's.
    struct Job {
        TableDriver::Started entry;
        std::uint64_t number;
    };

    void perform(const TableOperation& operation);
    void predict(const PrecomputeKey& key);
    void look_up(const PrecomputeKey& key);
    void count_miss(const PrecomputeKey& key);
    void start();
    void finish_job();
    void eliminate(std::uint32_t entries);
    void eliminate_periodically();
    void flush();
    void compare();
    /// Returns whether the core is tested, and not the table behind its pins.
    [[nodiscard]] bool models() const { return session_.implementation() == "model"; }
    [[nodiscard]] PrecomputeKey in_table(PrecomputeKey key) const {
        if (session_.plants("ignored_geometry")) key.geometry = 0;
        return key;
    }
    [[nodiscard]] Cycle now() const { return session_.clock.now(); }

    Session& session_;
    const OpportunisticConfig& config_;
    PrecomputeTableModule& module_;
    TableDriver& driver_;
    const std::uint32_t lanes_;
    NaiveTable naive_;
    Cycle next_elimination_ = kNever;  ///< of the reference
    std::optional<TableWaves> waves_;
    std::deque<Job> running_;
    std::uint64_t played_ = 0, jobs_ = 0;
    const Bins bins_{session_.coverage};
};

}  // namespace tessera::testbench
