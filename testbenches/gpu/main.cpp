// Testbench of the whole GPU: small machines with random workloads.
#include <fmt/format.h>
#include <vector>

#include "testbenches/gpu/machine_checker.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

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
    static MachineCase case_of(const Stimulus& stimulus, const StimulusRow& row);
    [[nodiscard]] MachineCase draw();
    [[nodiscard]] std::vector<std::string> sets(bool at) const;
    void run_watched();
    void play(const MachineCase& machine);

    Session& session_;
    MachineChecker checker_{session_};
};

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
    checker_.check_run("watched", result);
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
    checker_.check_run("chosen", first);
    checker_.check_repetition(first, run_in_child(threads, fault));
    const MachineResult at_other = run_in_child(machine_config(machine, other), fault);
    checker_.check_run("other timing", at_other);
    checker_.check_timings(machine, first, at_other);
    checker_.count(machine, first);
    session_.scoreboard.describe_inputs_by(nullptr);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<GpuTestbench>(argc, argv, kDescription);
}
