// Testbench of a sub-core: warp scheduler, scoreboard, issue port and units.
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "testbenches/harness/run_until_idle.h"
#include "testbenches/harness/sm_above_memory.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/sub_core/issue_checker.h"
#include "testbenches/sub_core/issue_log.h"
#include "testbenches/sub_core/sub_core_stimulus.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr Cycle kBelow = 100;                     ///< latency of the memory below, in cycles
constexpr std::uint32_t kSharedBytes = 32 * 128;  ///< of the CTA

Description description() {
    Description d;
    d.name = "sub_core";
    d.module = "sub-core of an SM: warp scheduler, scoreboard, issue port, execution units";
    d.operation = "kernels of up to 8 warp programs";
    d.sections = {"sm"};
    d.count = 300;
    d.columns = program_columns();
    d.errors = {{"other_policy", "the warp scheduler follows the other policy"},
                {"short_alu", "results of the ALU arrive a cycle early"},
                {"slow_port", "an instruction takes the issue port a cycle longer"},
                {"late_barrier", "warps leave a barrier a cycle late"}};
    d.view = "sub_core_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// SM with one sub-core, its tensor cores, LDST unit and L1, above a memory of fixed latency. Each
/// issue must be that of the reference: cycle, warp and operation.
class SubCoreTestbench final : public Testbench, private CtaListener {
public:
    explicit SubCoreTestbench(Session& session)
        : session_(session),
          config_(configure(session.config())),
          module_config_(planted_config()),
          checker_(session, config_, kBelow),
          log_(session.observers().wave),
          unit_(session, module_config_, listener(), kBelow, {&log_, nullptr}) {}

private:
    static Config configure(Config config);
    [[nodiscard]] Config planted_config() const;
    void play(WarpPrograms programs);
    CtaListener& listener() { return *this; }
    void on_cta_done(SmId /*sm*/, Cycle /*at*/) override { done_ = true; }
    void prepare() override;
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void finish() override;

    Session& session_;
    const Config config_;
    const Config module_config_;  ///< with a planted error
    IssueChecker checker_;
    IssueLog log_;
    SmAboveMemory unit_;
    std::vector<std::unique_ptr<test::ScriptKernel>> kernels_;
    std::uint64_t next_line_ = 1;
    bool done_ = false;
};

Config SubCoreTestbench::configure(Config config) {
    config.gpu.sms = 1;
    config.sm.sub_cores = 1;
    return config;
}

Config SubCoreTestbench::planted_config() const {
    Config config = config_;
    if (session_.plants("other_policy")) {
        config.sm.scheduler = config.sm.scheduler == SchedulerPolicy::kGreedyThenOldest
                                  ? SchedulerPolicy::kLooseRoundRobin
                                  : SchedulerPolicy::kGreedyThenOldest;
    }
    if (session_.plants("short_alu")) {
        config.sm.alu_latency_cycles = config.sm.alu_latency_cycles - 1;
    }
    if (session_.plants("slow_port")) ++config.sm.issue_cycles;
    if (session_.plants("late_barrier")) ++config.sm.barrier_latency_cycles;
    return config;
}

void SubCoreTestbench::play(WarpPrograms programs) {
    next_line_ = place_loads(programs, next_line_, config_.l1.line_bytes);
    kernels_.push_back(std::make_unique<test::ScriptKernel>(programs.warps));
    test::ScriptKernel& kernel = *kernels_.back();
    kernel.on_one_sub_core();
    kernel.edit().shared_memory_bytes = kSharedBytes;
    const Cycle start = unit_.next_start();
    const Cycle launch = start + config_.gpu.cta_launch_cycles;
    session_.scoreboard.describe_inputs_by([&programs, launch] {
        return fmt::format("{} warps, launched in cycle {}", programs.warps.size(), launch);
    });
    done_ = false;
    log_.issues().clear();
    unit_.sm().start_kernel(kernel, 1, start);
    unit_.sm().launch(CtaId(0), launch);
    unit_.sm().schedule();
    run_until_idle();
    if (!done_) session_.violations({"a kernel never ended"});
    const Cycle cycles = unit_.account_since(start);
    unit_.sm().end_kernel();
    checker_.check(programs, launch, log_.issues(), unit_.end());
    session_.latency.add("kernel", cycles);
    session_.scoreboard.describe_inputs_by(nullptr);
}

void SubCoreTestbench::prepare() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    log_.issues().clear();
}

void SubCoreTestbench::play_directed() {
    for (const WarpPrograms& programs : directed_programs(config_)) {
        play(programs);
        ++session_.directed;
    }
}

void SubCoreTestbench::play_random() {
    for (std::uint64_t i = 0; i < session_.options().count; ++i) {
        play(draw_programs(session_));
        ++session_.drawn;
    }
}

void SubCoreTestbench::play_file(const Stimulus& stimulus) {
    play(programs_of(stimulus));
    session_.drawn = 1;
}

void SubCoreTestbench::finish() {
    checker_.cover();
    std::vector<std::string> violations;
    unit_.check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<SubCoreTestbench>(argc, argv, kDescription);
}
