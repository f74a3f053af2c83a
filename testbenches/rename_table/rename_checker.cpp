#include "testbenches/rename_table/rename_checker.h"

#include <fmt/format.h>
#include <array>

namespace tessera::testbench {
namespace {

using Kind = RenameOperation::Kind;

}  // namespace

RenameChecker::RenameChecker(Session& session, RenameDriver& driver)
    : session_(session), driver_(driver), bins_{session.coverage} {
    driver.operations().on_result = [this](const RenameOperation& operation,
                                           const RenameResult& result, Cycle begin,
                                           Cycle /*end*/) { check(operation, result, begin); };
    if (WaveRecorder* wave = session.observers().wave) make_signals(*wave);
}

void RenameChecker::program(const RenameOrganisation& organisation) {
    driver_.program(organisation);
    organisation_ = organisation;
    naive_.emplace(organisation);
    session_.scoreboard.note("table of {} architectural and {} physical units, growing {}",
                             organisation.architectural, organisation.physical,
                             organisation.growing ? 1 : 0);
}

RenameResult RenameChecker::issue(const RenameOperation& operation, Cycle at) {
    const std::uint32_t units = naive_->physical_units();
    expected_.push_back(naive_->perform(operation));
    count(operation, expected_.back(), units);
    driver_.operations().issue(operation, at);
    return expected_.back();
}

void RenameChecker::drain() {
    driver_.operations().drain();
    if (expected_.empty()) return;
    session_.violations({fmt::format("{} operations have no result", expected_.size())});
    expected_.clear();
}

void RenameChecker::count(const RenameOperation& operation, const RenameResult& result,
                          std::uint32_t units_before) {
    Coverage& c = session_.coverage;
    switch (operation.kind) {
        case Kind::kMap:
            c.hit(result.refused ? bins_.exhausted : bins_.map);
            c.hit_if(bins_.growth, naive_->physical_units() > units_before);
            break;
        case Kind::kShare:
            c.hit(result.changes_free_list ? bins_.revival : bins_.share);
            break;
        case Kind::kDetach:
            c.hit(result.physical == RenameResult::kNone ? bins_.detach_nothing : bins_.detach);
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

void RenameChecker::check(const RenameOperation& operation, const RenameResult& result,
                          Cycle begin) {
    constexpr std::array<const char*, 6> kFormats = {"map %r{0}",    "share %r{0} -> %p{1}",
                                                     "detach %r{0}", "retain %p{1}",
                                                     "drop %p{1}",   "first %p{1}"};
    if (expected_.empty()) {
        session_.violations({"a result without an operation"});
        return;
    }
    const RenameResult expected = expected_.front();
    expected_.pop_front();
    if (signals_.wave != nullptr) record(operation, result, begin);
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(begin);
    const char* const format = kFormats[static_cast<std::size_t>(operation.kind)];
    board.note(format, operation.architectural, operation.physical);
    board.describe_inputs_by([&operation, format] {
        return fmt::format(fmt::runtime(format), operation.architectural, operation.physical);
    });
    board.expect("refused", expected.refused ? 1 : 0, result.refused ? 1 : 0);
    board.expect_count("physical unit", expected.physical, result.physical);
    board.expect("unit entered or left the free list", expected.changes_free_list ? 1 : 0,
                 result.changes_free_list ? 1 : 0);
    if (expected.physical != RenameResult::kNone) {
        board.expect_count("references to the unit", expected.references, result.references);
    }
    board.expect_count("free units", expected.free_units, result.free_units);
    board.expect_count("mapped units", expected.mapped_units, result.mapped_units);
    board.describe_inputs_by(nullptr);
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
    wave.set(signals_.references, at, result.references);
    wave.set(signals_.free_units, at, result.free_units);
    wave.set(signals_.mapped_units, at, result.mapped_units);
}

}  // namespace tessera::testbench
