#include "testbenches/gpu/machine_checker.h"

#include <fmt/format.h>
#include <cmath>
#include <sstream>

namespace tessera::testbench {
namespace {

/// Largest difference of the cycles at the two levels of timing, in percent. Small workloads see
/// each latency once, so that the band is wider than that of whole layers.
constexpr double kBandPercent = 15;

}  // namespace

MachineChecker::Bins MachineChecker::make_bins(Coverage& c) {
    Bins bins{};
    const std::vector<std::string>& words = machine_words();
    for (const std::string& word : words) bins.kinds.push_back(c.add(word, "a run of that kind"));
    bins.duplo_hits = c.add("duplo_hits", "fragment rows that Duplo renames");
    bins.skipped = c.add("skipped", "OHMMAs skipped by the bitmaps");
    bins.predicted = c.add("predicted", "vector operations precomputed");
    bins.assigned = c.add("assigned", "vector operations that another SM executes");
    bins.dram = c.add("dram", "sectors read from DRAM");
    return bins;
}

void MachineChecker::check_run(const char* which, const MachineResult& result) {
    Scoreboard& board = session_.scoreboard;
    std::vector<std::string> violations = result.violations;
    if (!result.error.empty()) violations.push_back(result.error);
    session_.violations(violations);
    board.begin_cycle(result.cycles);
    board.note_got("a run of {0} instructions ended after {1} cycles", result.instructions,
                   result.cycles);
    board.expect_count(fmt::format("wrong values of the {} run {}", which, result.first_mismatch),
                       0, result.mismatches);
    board.expect("values were checked", 1, result.checked && result.outputs > 0 ? 1 : 0);
    board.passed(result.outputs);
}

void MachineChecker::check_repetition(const MachineResult& first, const MachineResult& again) {
    std::istringstream expected(first.statistics), got(again.statistics);
    std::string a, b;
    while (std::getline(expected, a)) {
        std::getline(got, b);
        if (a == b) {
            session_.scoreboard.passed(1);
            continue;
        }
        session_.scoreboard.expect(
            fmt::format("statistics of the repetition: '{}' in place of '{}'", b, a), 0, 1);
    }
    session_.scoreboard.expect_count("cycles of the repetition", first.cycles, again.cycles);
}

void MachineChecker::check_timings(const MachineCase& machine, const MachineResult& chosen,
                                   const MachineResult& other) {
    Scoreboard& board = session_.scoreboard;
    const double percent =
        100 * std::abs(static_cast<double>(other.cycles) / static_cast<double>(chosen.cycles) - 1);
    session_.latency.add(machine_words()[static_cast<std::size_t>(machine.kind)], chosen.cycles);
    if (percent > kBandPercent) {
        board.expect_count(
            fmt::format("cycles at the other level of timing, within {} %", kBandPercent),
            chosen.cycles, other.cycles);
    }
    board.passed(1);
    board.expect_count("CTAs at the other level of timing", chosen.ctas, other.ctas);
    board.expect_count("products at the other level of timing", chosen.products, other.products);
    // Assistant warps execute what timing leaves to them.
    if (machine.kind == MachineKind::kOpportunistic) return;
    board.expect_count("instructions at the other level of timing", chosen.instructions,
                       other.instructions);
}

void MachineChecker::count(const MachineCase& machine, const MachineResult& result) {
    Coverage& c = session_.coverage;
    c.hit(bins_.kinds[static_cast<std::size_t>(machine.kind)]);
    c.hit(bins_.duplo_hits, result.duplo_hits);
    c.hit(bins_.skipped, result.skipped);
    c.hit(bins_.predicted, result.predicted);
    c.hit(bins_.assigned, result.assigned);
    c.hit(bins_.dram, result.dram_reads);
}

}  // namespace tessera::testbench
