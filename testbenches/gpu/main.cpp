// Testbench of the whole GPU: small machines with random workloads.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "testbenches/gpu/machine_run.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

/// Largest difference of the cycles at the two levels of timing, in percent. Small workloads see
/// each latency once, so that the band is wider than that of whole layers.
constexpr double kBandPercent = 15;

enum : std::size_t { kMechanism, kSms, kSize, kInputs, kOutputs, kSeed };

Description description() {
    Description d;
    d.name = "gpu";
    d.module = "GPU: SMs, network, L2, DRAM and the dispatcher of CTAs";
    d.operation = "machines with workloads";
    d.sections = {"gpu", "sm", "ldst", "l1", "l2", "noc", "dram"};
    d.count = 3;
    d.columns = {{"mechanism", Column::Kind::kChoice, "", machine_words()},
                 {"sms", Column::Kind::kNumber, "SMs, 1 to 16; opportunistic: 56 at all times"},
                 {"size", Column::Kind::kNumber, "side of the image, or rows m of the product"},
                 {"inputs", Column::Kind::kNumber, "channels, or k"},
                 {"outputs", Column::Kind::kNumber, "filters, or columns n"},
                 {"seed", Column::Kind::kNumber, "of the values", {}, true}};
    d.errors = {{"lost_write", "the memory below the L2 loses every 16th write"},
                {"wrong_data", "a bit of every 16th read of that memory is inverted"},
                {"other_repetition", "the repeated run has two banks of the L1 less"},
                {"slow_memory", "the L2 of the other level of timing is ten times as slow"}};
    d.view = "gpu_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Runs each machine three times: twice as chosen, the second time on two threads, and once at the
/// other level of timing with a protocol checker on each link.
class GpuTestbench final : public Testbench {
public:
    explicit GpuTestbench(Session& session) : session_(session) {}

    void run(const Session& /*session*/) override {
        if (!session_.options().wave.empty()) {
            run_watched();
            return;
        }
        if (const Stimulus* stimulus = session_.stimulus()) {
            for (const StimulusRow& row : stimulus->rows()) play(case_of(*stimulus, row));
            session_.drawn = stimulus->rows().size();
            return;
        }
        const std::vector<MachineCase> directed = {{MachineKind::kFragments, 2, 8, 16, 32, 1},
                                                   {MachineKind::kLibrary, 2, 100, 48, 60, 1},
                                                   {MachineKind::kDuplo, 2, 8, 32, 32, 1},
                                                   {MachineKind::kDualSide, 2, 64, 64, 96, 1},
                                                   {MachineKind::kOpportunistic, 56, 16, 1, 6, 1}};
        for (const MachineCase& machine : directed) play(machine);
        session_.directed = directed.size();
        for (std::uint64_t i = 0; i < session_.options().count; ++i) play(draw());
        session_.drawn = session_.options().count;
    }

private:
    struct Bins {
        std::vector<Coverage::Bin> kinds;
        Coverage::Bin duplo_hits, skipped, predicted, assigned, dram;
    };
    static Bins make_bins(Coverage& c);
    static MachineCase case_of(const Stimulus& stimulus, const StimulusRow& row);
    [[nodiscard]] MachineCase draw();
    [[nodiscard]] std::vector<std::string> sets(bool at) const;
    void run_watched();
    void play(const MachineCase& machine);
    void check_run(const char* which, const MachineResult& result);
    void check_repetition(const MachineResult& first, const MachineResult& again);
    void check_timings(const MachineCase& machine, const MachineResult& chosen,
                       const MachineResult& other);
    void count(const MachineCase& machine, const MachineResult& result);

    Session& session_;
    const Bins bins_ = make_bins(session_.coverage);
    double widest_ = 0;  ///< difference of cycles, in percent
};

GpuTestbench::Bins GpuTestbench::make_bins(Coverage& c) {
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

MachineCase GpuTestbench::case_of(const Stimulus& stimulus, const StimulusRow& row) {
    const auto check = [&](std::size_t column, std::uint64_t least, std::uint64_t most,
                           std::uint64_t step) {
        const std::uint64_t value = row[column];
        if (value >= least && value <= most && value % step == 0) {
            return static_cast<std::uint32_t>(value);
        }
        stimulus.fail(
            row, column,
            fmt::format("got {}, expected a multiple of {} in {} to {}", value, step, least, most));
    };
    MachineCase c;
    c.kind = static_cast<MachineKind>(row[kMechanism]);
    c.sms = check(kSms, 1, 56, 1);
    const bool sparse = c.kind == MachineKind::kDualSide;
    const bool lowered = c.kind == MachineKind::kFragments || c.kind == MachineKind::kDuplo;
    c.size = check(kSize, sparse ? 32 : lowered ? 4 : 1, 512, sparse ? 32 : 1);
    c.inputs = check(kInputs, 1, 512, sparse ? 16 : lowered ? 16 : 1);
    c.outputs = check(kOutputs, 1, 512, sparse ? 32 : lowered ? 16 : 1);
    c.seed = row[kSeed];
    return c;
}

MachineCase GpuTestbench::draw() {
    const auto up_to = [this](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + session_.below(most));
    };
    MachineCase c;
    c.kind = static_cast<MachineKind>(session_.below(kMachineKinds));
    c.sms = up_to(4);
    c.seed = session_.random() >> 1U;
    switch (c.kind) {
        case MachineKind::kLibrary:
            c.size = up_to(150);
            c.inputs = up_to(100);
            c.outputs = up_to(150);
            break;
        case MachineKind::kDualSide:
            c.size = 32 * up_to(3);
            c.inputs = 16 * up_to(5);
            c.outputs = 32 * up_to(3);
            break;
        case MachineKind::kOpportunistic:
            c.sms = 56;
            c.size = 10 + up_to(8);
            c.inputs = up_to(2);
            c.outputs = up_to(6);
            break;
        default:
            c.size = 4 + up_to(6);
            c.inputs = 16 * up_to(2);
            c.outputs = 16 * up_to(4);
    }
    return c;
}

std::vector<std::string> GpuTestbench::sets(bool at) const {
    std::vector<std::string> sets = session_.options().sets;
    sets.emplace_back(at ? "timing=at" : "timing=lt");
    return sets;
}

/// One machine in this process, so that it can be watched.
void GpuTestbench::run_watched() {
    const MachineCase machine{MachineKind::kDuplo, 1, 8, 32, 32, session_.options().seed};
    const Config config = machine_config(machine, sets(session_.approximately_timed()));
    const MachineResult result = run_here(config, MemoryFault::kNone, session_.observers());
    check_run("watched", result);
    session_.directed = 1;
    for (std::size_t bin = 0; bin < session_.coverage.size(); ++bin) session_.coverage.hit(bin);
    session_.add_line("one watched run of " + machine.describe() + "; bins are not counted");
}

void GpuTestbench::play(const MachineCase& machine) {
    const bool at = session_.approximately_timed();
    const MemoryFault fault = session_.plants("lost_write")   ? MemoryFault::kLostWrites
                              : session_.plants("wrong_data") ? MemoryFault::kWrongReads
                                                              : MemoryFault::kNone;
    std::vector<std::string> again = sets(at);
    if (session_.plants("other_repetition")) again.emplace_back("l1.banks=2");
    std::vector<std::string> other = sets(!at);
    other.emplace_back("protocol_check=on");
    if (session_.plants("slow_memory")) other.emplace_back("l2.hit_latency_cycles=1000");
    Config threads = machine_config(machine, again);
    threads.host.threads = 2;
    session_.scoreboard.describe_inputs_by([&] { return machine.describe(); });
    const MachineResult first = run_in_child(machine_config(machine, sets(at)), fault);
    check_run("chosen", first);
    check_repetition(first, run_in_child(threads, fault));
    const MachineResult at_other = run_in_child(machine_config(machine, other), fault);
    check_run("other timing", at_other);
    check_timings(machine, first, at_other);
    count(machine, first);
    session_.scoreboard.describe_inputs_by(nullptr);
}

/// Values equal those of the golden model, and all rules of conservation hold.
void GpuTestbench::check_run(const char* which, const MachineResult& result) {
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

/// Compares all statistics, line by line.
void GpuTestbench::check_repetition(const MachineResult& first, const MachineResult& again) {
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

void GpuTestbench::check_timings(const MachineCase& machine, const MachineResult& chosen,
                                 const MachineResult& other) {
    Scoreboard& board = session_.scoreboard;
    const double percent =
        100 * std::abs(static_cast<double>(other.cycles) / static_cast<double>(chosen.cycles) - 1);
    widest_ = std::max(widest_, percent);
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

void GpuTestbench::count(const MachineCase& machine, const MachineResult& result) {
    Coverage& c = session_.coverage;
    c.hit(bins_.kinds[static_cast<std::size_t>(machine.kind)]);
    c.hit(bins_.duplo_hits, result.duplo_hits);
    c.hit(bins_.skipped, result.skipped);
    c.hit(bins_.predicted, result.predicted);
    c.hit(bins_.assigned, result.assigned);
    c.hit(bins_.dram, result.dram_reads);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<GpuTestbench>(argc, argv, kDescription);
}
