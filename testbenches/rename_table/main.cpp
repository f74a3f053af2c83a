// Testbench of Duplo's rename table.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "sc_models/pins/rename_table_pins.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/rename_table/clocked_rename_driver.h"
#include "testbenches/rename_table/rename_checker.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

using Kind = RenameOperation::Kind;

constexpr std::uint32_t kArchitectural = 24;  ///< units of the built-in stimulus and of files

/// Words of RenameOperation::Kind in files.
constexpr std::array<const char*, 7> kOperations = {"map",  "share", "detach", "retain",
                                                    "drop", "first", "end"};

enum : std::size_t { kCycle, kOperation, kArchitecturalUnit, kPhysicalUnit };

Description description() {
    Description d;
    d.name = "rename_table";
    d.module = "rename table of Duplo: shares physical registers between architectural ones";
    d.operation = "operations";
    d.sections = {"duplo.spare_units", "duplo.lifetime"};
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = {
        {"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation",
         Column::Kind::kChoice,
         "end is a detach and its drop, first puts a free unit in front; RTL has map, share, end;",
         {kOperations.begin(), kOperations.end()}},
        {"architectural",
         Column::Kind::kNumber,
         fmt::format("of map, share, detach and end, below {}", kArchitectural),
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

std::unique_ptr<RenameDriver> make_driver(Session& session) {
    if (session.implementation() == "model") return std::make_unique<CoreRenameDriver>(session);
    session.need_plant_among({"fresh_share", "small_pool"});
    return std::make_unique<ClockedRenameDriver>(
        "driver", session, make_pin_level_block<pins::RenameTableBlock, RenameTableRtl>(session));
}

/// Rename table beside a naive one.
class RenameTestbench final : public Testbench {
public:
    explicit RenameTestbench(Session& session)
        : session_(session), driver_(make_driver(session)), checker_(session, *driver_) {}

    void run(const Session& /*session*/) override {
        if (const Stimulus* stimulus = session_.stimulus()) {
            play_file(*stimulus);
            return;
        }
        const std::vector<RenameOrganisation> all = organisations();
        const std::uint64_t count = ceil_div(session_.options().count, std::uint64_t{all.size()});
        for (const RenameOrganisation& organisation : all) {
            checker_.program(organisation);
            all_kinds() ? play_directed() : play_directed_ends();
            play_random(count);
            end();
            if (session_.scoreboard.errors() != 0) return;
        }
    }

private:
    [[nodiscard]] RenameOrganisation configured() const;
    [[nodiscard]] std::vector<RenameOrganisation> organisations() const;
    [[nodiscard]] bool all_kinds() const { return driver_->supports(Kind::kRetain); }
    void play_directed();
    void play_directed_ends();
    void play_random(std::uint64_t count);
    void draw();
    void draw_ends();
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
    std::unique_ptr<RenameDriver> driver_;
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

/// Returns the configured organisation; without other settings also smaller, larger and growing
/// ones and one with another order of the free list, as far as the implementation has them.
std::vector<RenameOrganisation> RenameTestbench::organisations() const {
    std::vector<RenameOrganisation> organisations = {configured()};
    if (!session_.options().sets.empty() || !session_.options().machine.empty()) {
        return organisations;
    }
    for (const RenameOrganisation& o :
         {RenameOrganisation{kArchitectural, 40, false, {}},
          RenameOrganisation{kArchitectural, 8, false, {3, 1, 4, 0, 5, 7, 2, 6}},
          RenameOrganisation{1200, 1024, true, {}},
          RenameOrganisation{kArchitectural, 8, false, {}},
          RenameOrganisation{1200, 1024, false, {}}}) {
        if (driver_->supports(o)) organisations.push_back(o);
    }
    return organisations;
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

/// Maps units until none is free or all are mapped; shares one unit; ends all its mappings.
void RenameTestbench::play_directed_ends() {
    const Cycle begin = next_at_;
    const std::uint32_t units = checker_.organisation().architectural;
    const std::uint32_t mapped = std::min(units, checker_.organisation().physical);
    for (std::uint32_t r = 0; r < mapped; ++r) issue(Kind::kMap, r);
    const std::uint32_t shared = checker_.naive().mappings().at(0);
    for (const std::uint32_t r : {1U, 2U}) {
        issue(Kind::kEnd, r);
        issue(Kind::kShare, r, shared);
    }
    for (const std::uint32_t r : {0U, 1U, 2U}) issue(Kind::kEnd, r);  // free at the third time
    issue(Kind::kEnd, 2);                                             // nothing: no mapping
    for (const std::uint32_t r : {2U, 1U, 0U}) issue(Kind::kMap, r);
    checker_.drain();
    session_.directed += next_at_ - begin;
}

/// Draws an operation that tables with map, share and end take. A mapping needs a unit that is free
/// by then, a share one in use.
void RenameTestbench::draw_ends() {
    const NaiveRename& naive = checker_.naive();
    const std::uint32_t architectural = below(checker_.organisation().architectural);
    if (naive.is_mapped(architectural)) {
        issue(Kind::kEnd, architectural);
        return;
    }
    const std::uint64_t dice = session_.below(16);
    if (dice == 0) {
        issue(Kind::kEnd, architectural);
    } else if (dice < 6 && !naive.mappings().empty()) {
        auto other = naive.mappings().lower_bound(below(checker_.organisation().architectural));
        if (other == naive.mappings().end()) other = naive.mappings().begin();
        issue(Kind::kShare, architectural, other->second);
    } else if (naive.free_units() != 0) {
        issue(Kind::kMap, architectural);
    }
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
    } else if (dice < 57) {
        issue(Kind::kDetach, architectural);
    } else if (dice < 58) {
        issue(Kind::kEnd, architectural);
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
        all_kinds() ? draw() : draw_ends();
    }
    checker_.drain();
    session_.drawn += count;
}

/// Ends all mappings and references; then maps as many units as there are, which shows the order of
/// the free list.
void RenameTestbench::end() {
    const RenameOrganisation& o = checker_.organisation();
    const NaiveRename& naive = checker_.naive();
    for (std::uint32_t r = 0; r < o.architectural; ++r) {
        issue(all_kinds() ? Kind::kDetach : Kind::kEnd, r);
    }
    while (!naive.held().empty()) issue(Kind::kDrop, 0, naive.held().front());
    for (std::uint32_t r = 0; r < std::min(o.architectural, naive.physical_units()); ++r) {
        issue(Kind::kMap, r);
    }
    checker_.drain();
    std::vector<std::string> violations;
    driver_->check(violations);
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
    if (!driver_->supports(kind)) {
        stimulus.fail(row, kOperation,
                      fmt::format("got {}, which --impl {} lacks, expected one of "
                                  "{{map, share, end}}",
                                  kOperations.at(row[kOperation]), session_.implementation()));
    }
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
    if (!all_kinds() && kind == Kind::kShare && naive.references(operation.physical) == 0) {
        stimulus.fail(row, kPhysicalUnit,
                      fmt::format("got {}, which is free, expected one in use with --impl {}",
                                  operation.physical, session_.implementation()));
    }
    if (!all_kinds() && kind == Kind::kMap && naive.free_units() == 0) {
        stimulus.fail(row, kOperation,
                      fmt::format("got map while no unit is free, expected an end before it with "
                                  "--impl {}",
                                  session_.implementation()));
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
