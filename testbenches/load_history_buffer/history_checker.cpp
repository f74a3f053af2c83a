#include "testbenches/load_history_buffer/history_checker.h"

#include <fmt/format.h>
#include <array>

namespace tessera::testbench {
namespace {

using Kind = HistoryOperation::Kind;

/// Organisation of implementations that retain values that recur.
constexpr HistoryOrganisation kRetaining{8, 2, 0, false, true, 40};

}  // namespace

HistoryChecker::HistoryChecker(Session& session, HistoryDriver& driver)
    : session_(session),
      driver_(driver),
      bins_(make_bins(session.coverage, driver.supports(kRetaining))) {
    driver.operations().on_result = [this](const HistoryOperation& operation,
                                           const HistoryResult& result, Cycle begin,
                                           Cycle end) { check(operation, result, begin, end); };
    WaveRecorder* const wave = session.observers().wave;
    if (wave == nullptr) return;
    make_signals(*wave);
    driver.operations().on_begin = [this](const HistoryOperation& operation, Cycle begin) {
        record_operation(operation, begin);
    };
}

HistoryChecker::Bins HistoryChecker::make_bins(Coverage& c, bool retains) {
    Bins bins{};
    bins.hit = c.add("hit", "a lookup finds its value");
    bins.miss = c.add("miss", "a lookup misses in a set with an empty entry");
    bins.conflict = c.add("conflict", "a lookup misses in a full set");
    bins.eviction = c.add("eviction", "an insertion replaces another value");
    bins.recency = c.add("recency", "the replaced entry is not the first inserted one");
    bins.same_value = c.add("same_value", "an insertion replaces an entry of the same value");
    bins.released = c.add("released", "a register is released that an entry names");
    bins.not_named = c.add("not_named", "a register is released that no entry names");
    bins.clear = c.add("clear", "a buffer with entries is cleared");
    bins.reinserted = c.add("reinserted", "an insertion names the same register again");
    if (!retains) return bins;
    bins.kept_out = c.add("kept_out", "an insertion fails, since the set retains its entries");
    return bins;
}

void HistoryChecker::program(const HistoryOrganisation& organisation) {
    driver_.program(organisation);
    organisation_ = organisation;
    naive_.emplace(organisation);
    session_.scoreboard.note("organisation: {} entries, {} ways, shift {}, {} registers",
                             organisation.entries, organisation.ways, organisation.shift,
                             organisation.registers);
}

HistoryResult HistoryChecker::issue(const HistoryOperation& operation, Cycle at) {
    const std::size_t before = naive_->size();
    expected_.push_back(naive_->perform(operation));
    count(operation, expected_.back(), before);
    driver_.operations().issue(operation, at);
    return expected_.back();
}

void HistoryChecker::drain() {
    driver_.operations().drain();
    if (expected_.empty()) return;
    session_.violations({fmt::format("{} operations have no result", expected_.size())});
    expected_.clear();
}

HistoryResult HistoryChecker::play(const HistoryOperation& operation, Cycle at) {
    issue(operation, at);
    drain();
    return last_;
}

void HistoryChecker::count(const HistoryOperation& operation, const HistoryResult& result,
                           std::size_t entries_before) {
    Coverage& c = session_.coverage;
    const NaiveHistory::Situation& situation = naive_->situation();
    switch (operation.kind) {
        case Kind::kLookup:
            c.hit(result.found ? bins_.hit : situation.set_full ? bins_.conflict : bins_.miss);
            break;
        case Kind::kInsert:
            c.hit_if(bins_.eviction, situation.evicts);
            c.hit_if(bins_.recency, situation.not_oldest);
            c.hit_if(bins_.same_value, result.same_key);
            c.hit_if(bins_.reinserted, result.same_key && result.phys == operation.phys);
            if (result.kept_out) c.hit(bins_.kept_out);
            break;
        case Kind::kRelease:
            c.hit(result.found ? bins_.released : bins_.not_named);
            break;
        case Kind::kClear:
            c.hit_if(bins_.clear, entries_before > 0);
            break;
    }
}

void HistoryChecker::check(const HistoryOperation& operation, const HistoryResult& result,
                           Cycle begin, Cycle end) {
    constexpr std::array<const char*, 4> kFormats = {
        "lookup of element {0:#x}, image {1}",
        "insertion of element {0:#x}, image {1}: register {2}", "release of register {2}", "clear"};
    if (expected_.empty()) {
        session_.violations({"a result without an operation"});
        return;
    }
    const HistoryResult expected = expected_.front();
    expected_.pop_front();
    last_ = result;
    if (signals_.wave != nullptr) record_result(result, end);
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(begin);
    board.note(kFormats[static_cast<std::size_t>(operation.kind)], operation.value.element,
               operation.value.batch, operation.phys);
    board.describe_inputs_by([&operation] {
        const HistoryValue& v = operation.value;
        return fmt::format(
            "element {:#x}, image {}, group {:#x}, owner {}, process {}, register {}", v.element,
            v.batch, v.group, v.owner, v.process, operation.phys);
    });
    board.expect("found", expected.found ? 1 : 0, result.found ? 1 : 0);
    if (expected.found) board.expect_count("register", expected.phys, result.phys);
    board.expect("same_key", expected.same_key ? 1 : 0, result.same_key ? 1 : 0);
    board.expect("kept_out", expected.kept_out ? 1 : 0, result.kept_out ? 1 : 0);
    if (result.entries) board.expect_count("valid entries", *expected.entries, *result.entries);
    board.describe_inputs_by(nullptr);
    if (end > begin) session_.latency.add("operation", end - begin);
}

void HistoryChecker::make_signals(WaveRecorder& wave) {
    const auto add = [&wave](const char* name, std::uint32_t bits) {
        return wave.add("load_history_buffer", name, bits);
    };
    signals_ = {&wave,
                add("valid", 1),
                add("operation", 2),
                add("element_id", 48),
                add("batch_id", 10),
                add("register", 16),
                add("found", 1),
                add("found_register", 16),
                add("valid_entries", 16)};
}

void HistoryChecker::record_operation(const HistoryOperation& operation, Cycle begin) {
    WaveRecorder& wave = *signals_.wave;
    wave.pulse(signals_.valid, begin, 1);
    wave.set(signals_.kind, begin, static_cast<std::uint64_t>(operation.kind));
    wave.set(signals_.element, begin, operation.value.element);
    wave.set(signals_.batch, begin, operation.value.batch);
    wave.set(signals_.phys, begin, operation.phys);
}

void HistoryChecker::record_result(const HistoryResult& result, Cycle end) {
    WaveRecorder& wave = *signals_.wave;
    wave.set(signals_.found, end, result.found ? 1 : 0);
    wave.set(signals_.found_phys, end, result.phys);
    if (result.entries) wave.set(signals_.entries, end, *result.entries);
}

}  // namespace tessera::testbench
