// Testbench of Duplo's rename table.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <vector>

#include "testbenches/harness/testbench.h"
#include "testbenches/rename_table/rename_checker.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

using Kind = RenameOperation::Kind;

constexpr std::uint32_t kArchitectural = 24;  ///< units of the built-in stimulus and of files

enum : std::size_t { kCycle, kOperation, kArchitecturalUnit, kPhysicalUnit };

Description description() {
    Description d;
    d.name = "rename_table";
    d.module = "rename table of Duplo: shares physical registers between architectural ones";
    d.operation = "operations";
    d.sections = {"duplo.spare_units", "duplo.lifetime"};
    d.has_timing = false;
    d.columns = {
        {"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation",
         Column::Kind::kChoice,
         "first puts a free unit in front;",
         {"map", "share", "detach", "retain", "drop", "first"}},
        {"architectural",
         Column::Kind::kNumber,
         fmt::format("of map, share and detach, below {}", kArchitectural),
         {},
         true},
        {"physical", Column::Kind::kNumber, "of share, retain, drop and first", {}, true}};
    d.errors = {{"lost_drop", "the table misses every 16th drop"},
                {"double_drop", "every 16th drop of a shared unit removes two references"},
                {"fresh_share", "every 16th share takes a free unit instead"},
                {"early_free", "an ended mapping drops its reference at once"},
                {"small_pool", "the table has one physical unit less"},
                {"last_freed", "the free list begins in descending order"}};
    d.view = "rename_table_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Rename table beside a naive one.
class RenameTestbench final : public Testbench {
public:
    explicit RenameTestbench(Session& session)
        : session_(session), driver_(session), checker_(session, driver_) {}

    void run(const Session& /*session*/) override {
        if (const Stimulus* stimulus = session_.stimulus()) {
            play_file(*stimulus);
            return;
        }
        std::vector<RenameOrganisation> all = {configured()};
        if (session_.options().sets.empty() && session_.options().machine.empty()) {
            all.push_back({kArchitectural, 40, false, {}});
            all.push_back({kArchitectural, 8, false, {3, 1, 4, 0, 5, 7, 2, 6}});
            all.push_back({1200, 1024, true, {}});
        }
        const std::uint64_t count = ceil_div(session_.options().count, std::uint64_t{all.size()});
        for (const RenameOrganisation& organisation : all) {
            checker_.program(organisation);
            play_directed();
            play_random(count);
            end();
            if (session_.scoreboard.errors() != 0) return;
        }
    }

private:
    [[nodiscard]] RenameOrganisation configured() const;
    void play_directed();
    void play_random(std::uint64_t count);
    void draw();
    void play_file(const Stimulus& stimulus);
    void check_row(const Stimulus& stimulus, const StimulusRow& row,
                   const RenameOperation& operation) const;
    void end();
    RenameResult issue(Kind kind, std::uint32_t architectural, std::uint32_t physical = 0) {
        return checker_.issue({kind, architectural, physical}, next_at_++);
    }
    [[nodiscard]] std::uint32_t below(std::size_t end) {
        return static_cast<std::uint32_t>(session_.below(end));
    }

    Session& session_;
    RenameDriver driver_;
    RenameChecker checker_;
    Cycle next_at_ = 0;
};

RenameOrganisation RenameTestbench::configured() const {
    const DuploConfig& config = session_.config().duplo;
    const bool growing = config.lifetime == Lifetime::kForever;
    // Pools grow to 1024 units at first; the naive table only doubles.
    const std::uint32_t physical = growing ? 1024 : kArchitectural + config.spare_units;
    return {kArchitectural, physical, growing, {}};
}

/// Maps all units; a unit is freed by its last drop only; free units are taken in order.
void RenameTestbench::play_directed() {
    const Cycle begin = next_at_;
    const std::uint32_t units = checker_.organisation().architectural;
    for (std::uint32_t r = 0; r < units; ++r) {
        if (!issue(Kind::kMap, r).refused) continue;
        issue(Kind::kDetach, r);  // nothing: no unit was free
        break;
    }
    const std::uint32_t shared = issue(Kind::kDetach, 0).physical;
    const std::uint32_t other = issue(Kind::kDetach, 1).physical;
    issue(Kind::kShare, 0, shared);
    issue(Kind::kShare, 1, shared);
    issue(Kind::kDrop, 0, other);    // free from now on
    issue(Kind::kDrop, 0, shared);   // still mapped twice
    issue(Kind::kDrop, 0, other);    // refused: no reference
    issue(Kind::kFirst, 0, shared);  // refused: in use
    issue(Kind::kFirst, 0, other);
    for (const std::uint32_t r : {0U, 1U}) {
        issue(Kind::kDetach, r);
        issue(Kind::kDrop, 0, shared);  // free at the second time
    }
    issue(Kind::kMap, 1);            // takes the unit in front
    issue(Kind::kShare, 0, shared);  // a revival
    issue(Kind::kRetain, 0, shared);
    checker_.drain();
    session_.directed += next_at_ - begin;
}

void RenameTestbench::draw() {
    const NaiveRename& naive = checker_.naive();
    const RenameOrganisation& o = checker_.organisation();
    const std::uint32_t architectural = below(o.architectural);
    const std::uint32_t physical = below(naive.physical_units());
    const std::uint64_t dice = session_.below(64);
    const bool mapped = naive.is_mapped(architectural);
    if (dice < 24 && !naive.held().empty()) {
        issue(Kind::kDrop, 0, naive.held()[below(naive.held().size())]);
    } else if (dice < 54) {
        if (mapped) {
            issue(Kind::kDetach, architectural);
        } else if (session_.below(3) == 0) {
            issue(Kind::kShare, architectural, physical);
        } else {
            issue(Kind::kMap, architectural);
        }
    } else if (dice < 58) {
        issue(Kind::kDetach, architectural);
    } else if (dice < 60 && naive.references(physical) > 0) {
        issue(Kind::kRetain, 0, physical);
    } else if (dice < 63) {
        issue(Kind::kFirst, 0, physical);
    } else if (naive.references(physical) == 0) {
        issue(Kind::kDrop, 0, physical);
    }
}

void RenameTestbench::play_random(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        if (session_.below(8) == 0) next_at_ += session_.below(4);
        draw();
    }
    checker_.drain();
    session_.drawn += count;
}

/// Ends all mappings and references; then maps as many units as there are, which shows the order of
/// the free list.
void RenameTestbench::end() {
    const RenameOrganisation& o = checker_.organisation();
    const NaiveRename& naive = checker_.naive();
    for (std::uint32_t r = 0; r < o.architectural; ++r) issue(Kind::kDetach, r);
    while (!naive.held().empty()) issue(Kind::kDrop, 0, naive.held().front());
    for (std::uint32_t r = 0; r < std::min(o.architectural, naive.physical_units()); ++r) {
        issue(Kind::kMap, r);
    }
    checker_.drain();
    std::vector<std::string> violations;
    driver_.check(violations);
    session_.violations(violations);
}

/// Refuses what a caller of the table must not do.
void RenameTestbench::check_row(const Stimulus& stimulus, const StimulusRow& row,
                                const RenameOperation& operation) const {
    const NaiveRename& naive = checker_.naive();
    if (row[kArchitecturalUnit] >= kArchitectural) {
        stimulus.fail(
            row, kArchitecturalUnit,
            fmt::format("got {}, expected below {}", row[kArchitecturalUnit], kArchitectural));
    }
    if (row[kPhysicalUnit] >= naive.physical_units()) {
        stimulus.fail(
            row, kPhysicalUnit,
            fmt::format("got {}, expected below {}", row[kPhysicalUnit], naive.physical_units()));
    }
    const Kind kind = operation.kind;
    if ((kind == Kind::kMap || kind == Kind::kShare) && naive.is_mapped(operation.architectural)) {
        stimulus.fail(row, kArchitecturalUnit,
                      fmt::format("got {}, which is mapped, expected a detach before",
                                  operation.architectural));
    }
    const auto& held = naive.held();
    const bool holds = std::find(held.begin(), held.end(), operation.physical) != held.end();
    if (kind == Kind::kDrop && !holds) {
        stimulus.fail(row, kPhysicalUnit,
                      fmt::format("got {}, to which no reference of a detach or retain is left",
                                  operation.physical));
    }
    if (kind == Kind::kRetain && naive.references(operation.physical) == 0) {
        stimulus.fail(
            row, kPhysicalUnit,
            fmt::format("got {}, which is free, expected one in use", operation.physical));
    }
}

void RenameTestbench::play_file(const Stimulus& stimulus) {
    checker_.program(configured());
    for (const StimulusRow& row : stimulus.rows()) {
        const RenameOperation operation{static_cast<Kind>(row[kOperation]),
                                        static_cast<std::uint32_t>(row[kArchitecturalUnit]),
                                        static_cast<std::uint32_t>(row[kPhysicalUnit])};
        check_row(stimulus, row, operation);
        next_at_ = std::max(next_at_, row[kCycle]);
        issue(operation.kind, operation.architectural, operation.physical);
        ++session_.drawn;
    }
    checker_.drain();
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<RenameTestbench>(argc, argv, kDescription);
}
