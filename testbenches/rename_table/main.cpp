// Testbench of Duplo's rename table.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/pins/rename_table_pins.h"
#include "testbenches/harness/organisations.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/rename_table/clocked_rename_driver.h"
#include "testbenches/rename_table/rename_checker.h"
#include "testbenches/rename_table/rename_stimulus.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

using Kind = RenameOperation::Kind;

Description description() {
    Description d;
    d.name = "rename_table";
    d.module = "rename table of Duplo: shares physical registers between architectural ones";
    d.operation = "operations";
    d.sections = {"duplo.spare_units", "duplo.lifetime"};
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = rename_columns();
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
        : session_(session),
          driver_(make_driver(session)),
          checker_(session, *driver_),
          stimulus_(session, *driver_, checker_) {}

    void run(const Session& /*session*/) override {
        if (const Stimulus* stimulus = session_.stimulus()) {
            play_file(*stimulus);
            return;
        }
        play_each(session_, stimulus_.organisations(),
                  [this](const RenameOrganisation& organisation, std::uint64_t count) {
                      checker_.program(organisation);
                      stimulus_.all_kinds() ? play_directed() : play_directed_ends();
                      play_random(count);
                      end();
                  });
    }

private:
    void play_directed();
    void play_directed_ends();
    void play_random(std::uint64_t count);
    void play_file(const Stimulus& stimulus);
    void end();
    RenameResult issue(Kind kind, std::uint32_t architectural, std::uint32_t physical = 0) {
        return checker_.issue({kind, architectural, physical}, next_at_++);
    }

    Session& session_;
    std::unique_ptr<RenameDriver> driver_;
    RenameChecker checker_;
    RenameStimulus stimulus_;
    Cycle next_at_ = 0;
};

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

void RenameTestbench::play_random(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
        if (session_.below(8) == 0) next_at_ += session_.below(4);
        const std::optional<RenameOperation> o = stimulus_.draw();
        if (o) issue(o->kind, o->architectural, o->physical);
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
        issue(stimulus_.all_kinds() ? Kind::kDetach : Kind::kEnd, r);
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

void RenameTestbench::play_file(const Stimulus& stimulus) {
    checker_.program(stimulus_.configured());
    for (const StimulusRow& row : stimulus.rows()) {
        const RenameOperation operation = stimulus_.operation_of(stimulus, row);
        next_at_ = std::max(next_at_, row[RenameStimulus::kCycle]);
        issue(operation.kind, operation.architectural, operation.physical);
        ++session_.drawn;
    }
    checker_.drain();
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<RenameTestbench>(argc, argv, kDescription);
}
