// Checker of an ID generator: sends addresses to it and compares its ids with naive ones.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "testbenches/id_generator/id_driver.h"
#include "testbenches/id_generator/naive_ids.h"

namespace tessera::testbench {

/// Sends operations to an ID generator. The ids of single rows must be the naive ones; ids of
/// groups, whose tag is the model's own, must be equal for equal data only.
class IdChecker {
public:
    IdChecker(Session& session, IdDriver& driver);

    /// Programs the generator for a workspace, while no operation is under way.
    void program(const Workspace& workspace);
    /// Sends an operation not before cycle `at`.
    void issue(const IdOperation& operation, Cycle at);
    /// Simulates until all results are there. Each missing one is a violation.
    void drain();
    /// Sends one operation and returns its ids.
    IdResult play(const IdOperation& operation, Cycle at);

    [[nodiscard]] const NaiveIds& naive() const { return *naive_; }
    [[nodiscard]] const Workspace& workspace() const { return workspace_; }

private:
    struct Bins {
        Coverage::Bin id, duplicate, second_image, zero, below, above, unaligned, crossing,
            row_tail, batch_tail, strided, transposed, grouped;
        Coverage::Bin half_tile, tile, pitch, wrap;  ///< only with groups of rows
    };
    struct Signals {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal valid = 0, address = 0, bypass = 0, batch = 0, element = 0, zero = 0;
    };
    /// Rows, image, element and tag of an id.
    using Key = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>;

    static Bins make_bins(Coverage& coverage, bool groups);
    void make_signals(WaveRecorder& wave);
    void count(const IdOperation& operation, const NaiveId& id, std::uint32_t index);
    void check(const IdOperation& operation, const IdResult& ids, Cycle begin, Cycle end);
    void check_id(const IdOperation& operation, const NaiveId& expected, const DataId& got);
    void record_id(const DataId& id, Cycle end);

    Session& session_;
    IdDriver& driver_;
    Workspace workspace_;
    std::optional<NaiveIds> naive_;
    std::deque<std::vector<NaiveId>> expected_;
    IdResult last_;
    /// Address that had an id first, for the coverage of duplicates.
    std::map<std::pair<std::uint64_t, std::uint64_t>, Address> first_at_;
    std::map<Key, std::vector<std::uint64_t>> groups_;  ///< id to data
    Signals signals_;
    const Bins bins_;
};

}  // namespace tessera::testbench
