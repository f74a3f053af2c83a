#include "testbenches/rename_table/rename_checker.h"

#include <fmt/format.h>
#include <array>

namespace tessera::testbench {
namespace {

using Kind = RenameOperation::Kind;

}  // namespace

RenameChecker::RenameChecker(Session& session, RenameDriver& driver)
    : session_(session),
      driver_(driver),
      bins_(make_bins(session.coverage, driver.supports(Kind::kRetain))) {
    driver.on_result = [this](const RenameOperation& step, const RenameResult& result, Cycle at,
                              bool last) {
        if (under_way_ == 0) {
            session_.violations({"a result without an operation"});
            return;
        }
        if (last) --under_way_;
        check(step, result, at);
    };
    driver.on_counts = [this](std::uint32_t free_units, std::uint32_t mapped_units, Cycle at) {
        check_counts(free_units, mapped_units, at);
    };
    if (WaveRecorder* wave = session.observers().wave) make_signals(*wave);
}

RenameChecker::Bins RenameChecker::make_bins(Coverage& c, bool all) {
    Bins bins{};
    bins.map = c.add("map", "an architectural unit takes the first free unit");
    bins.share = c.add("share", "a second mapping to a unit in use");
    bins.relay = c.add("relay", "a reference is dropped, others remain");
    bins.freed = c.add("freed", "the last reference is dropped, the unit becomes free");
    bins.end_nothing = c.add("end_nothing", "a unit without a mapping is detached or ended");
    if (!all) return bins;
    bins.revival = c.add("revival", "a mapping to a free unit, which leaves the free list");
    bins.detach = c.add("detach", "a mapping ends, its reference stays");
    bins.retain = c.add("retain", "a reference beside the mappings is added");
    bins.first = c.add("first", "a free unit moves to the front of the list");
    bins.exhausted = c.add("exhausted", "no unit is free, the mapping is refused");
    bins.growth = c.add("growth", "no unit is free, the pool doubles");
    bins.drop_refused = c.add("drop_refused", "a unit without references is dropped");
    bins.first_refused = c.add("first_refused", "a unit in use is to move to the front");
    return bins;
}

void RenameChecker::program(const RenameOrganisation& organisation) {
    driver_.program(organisation);
    organisation_ = organisation;
    planned_.emplace(organisation);
    changed_.emplace(organisation);
    session_.scoreboard.note("table of {} architectural and {} physical units, growing {}",
                             organisation.architectural, organisation.physical,
                             organisation.growing ? 1 : 0);
}

RenameResult RenameChecker::issue(const RenameOperation& operation, Cycle at) {
    const std::uint32_t units = planned_->physical_units();
    const RenameResult planned = planned_->perform(operation);
    count(operation, planned, units);
    ++under_way_;
    driver_.issue(operation, at);
    return planned;
}

void RenameChecker::drain() {
    driver_.drain();
    if (under_way_ == 0) return;
    session_.violations({fmt::format("{} operations have no result", under_way_)});
    under_way_ = 0;
}

void RenameChecker::count(const RenameOperation& operation, const RenameResult& result,
                          std::uint32_t units_before) {
    Coverage& c = session_.coverage;
    switch (operation.kind) {
        case Kind::kMap:
            c.hit(result.refused ? bins_.exhausted : bins_.map);
            if (planned_->physical_units() > units_before) c.hit(bins_.growth);
            break;
        case Kind::kShare:
            c.hit(result.changes_free_list ? bins_.revival : bins_.share);
            break;
        case Kind::kDetach:
            c.hit(result.physical == RenameResult::kNone ? bins_.end_nothing : bins_.detach);
            break;
        case Kind::kEnd:
            c.hit(result.physical == RenameResult::kNone ? bins_.end_nothing
                  : result.changes_free_list             ? bins_.freed
                                                         : bins_.relay);
            break;
        case Kind::kRetain:
            c.hit(bins_.retain);
            break;
        case Kind::kDrop:
            c.hit(result.refused             ? bins_.drop_refused
                  : result.changes_free_list ? bins_.freed
                                             : bins_.relay);
            break;
        case Kind::kFirst:
            c.hit(result.refused ? bins_.first_refused : bins_.first);
            break;
    }
}

void RenameChecker::check(const RenameOperation& step, const RenameResult& result, Cycle at) {
    constexpr std::array<const char*, 7> kFormats = {
        "map %r{0}",  "share %r{0} -> %p{1}", "detach %r{0}", "retain %p{1}",
        "drop %p{1}", "first %p{1}",          "end %r{0}"};
    const RenameResult expected = changed_->perform(step);
    if (signals_.wave != nullptr) record(step, result, at);
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(at);
    const char* const format = kFormats[static_cast<std::size_t>(step.kind)];
    board.note(format, step.architectural, step.physical);
    board.describe_inputs_by([&step, format] {
        return fmt::format(fmt::runtime(format), step.architectural, step.physical);
    });
    board.expect("refused", expected.refused ? 1 : 0, result.refused ? 1 : 0);
    board.expect_count("physical unit", expected.physical, result.physical);
    board.expect("unit entered or left the free list", expected.changes_free_list ? 1 : 0,
                 result.changes_free_list ? 1 : 0);
    if (expected.references && result.references) {
        board.expect_count("references to the unit", *expected.references, *result.references);
    }
    if (result.free_units) {
        board.expect_count("free units", *expected.free_units, *result.free_units);
    }
    if (result.mapped_units) {
        board.expect_count("mapped units", *expected.mapped_units, *result.mapped_units);
    }
    board.describe_inputs_by(nullptr);
}

void RenameChecker::check_counts(std::uint32_t free_units, std::uint32_t mapped_units, Cycle at) {
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(at);
    board.expect_count("free units", changed_->free_units(), free_units);
    board.expect_count("mapped units", changed_->mappings().size(), mapped_units);
    if (signals_.wave == nullptr) return;
    signals_.wave->set(signals_.free_units, at, free_units);
    signals_.wave->set(signals_.mapped_units, at, mapped_units);
}

void RenameChecker::make_signals(WaveRecorder& wave) {
    const auto add = [&wave](const char* name, std::uint32_t bits) {
        return wave.add("rename_table", name, bits);
    };
    signals_.wave = &wave;
    signals_.valid = add("valid", 1);
    signals_.kind = add("operation", 3);
    signals_.architectural = add("architectural", 16);
    signals_.physical = add("physical", 16);
    signals_.refused = add("refused", 1);
    signals_.references = add("references", 16);
    signals_.free_units = add("free_units", 16);
    signals_.mapped_units = add("mapped_units", 16);
}

void RenameChecker::record(const RenameOperation& operation, const RenameResult& result, Cycle at) {
    WaveRecorder& wave = *signals_.wave;
    constexpr std::uint64_t kNone = 0xffff;
    wave.pulse(signals_.valid, at, 1);
    wave.set(signals_.kind, at, static_cast<std::uint64_t>(operation.kind));
    wave.set(signals_.architectural, at, operation.architectural);
    wave.set(signals_.physical, at,
             result.physical == RenameResult::kNone ? kNone : result.physical);
    wave.set(signals_.refused, at, result.refused ? 1 : 0);
    if (result.references) wave.set(signals_.references, at, *result.references);
    if (result.free_units) wave.set(signals_.free_units, at, *result.free_units);
    if (result.mapped_units) wave.set(signals_.mapped_units, at, *result.mapped_units);
}

}  // namespace tessera::testbench
