// Testbench of a sub-core: warp scheduler, scoreboard, issue port and units.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "sc_models/gpu/machine_parts.h"
#include "sc_models/sm/streaming_multiprocessor.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/run_until_idle.h"
#include "testbenches/harness/testbench.h"
#include "testbenches/sub_core/issue_log.h"
#include "testbenches/sub_core/naive_sub_core.h"
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
          naive_(config_, kBelow),
          log_(session.observers().wave),
          ticker_("ticker", session.clock),
          memory_("memory", 1, session.clock, kBelow),
          parts_(module_config_, statistics_) {
        const Config& c = module_config_;
        const SmPlan plan{c.sm,     c.ldst, c.l1, c.tlb, c.l2.line_bytes, c.gpu.quantum_cycles,
                          c.values, 1};
        CtaListener& self = *this;
        SmContext context{session.clock, self, parts_, statistics_, {&log_, nullptr}};
        context.binder = &links_;
        if (session.approximately_timed()) context.ticker = &ticker_;
        sm_ = std::make_unique<StreamingMultiprocessor>("sm0", SmId(0), plan, context);
        links_.bind(sm_->to_memory(), memory_.sockets[0]);
    }

private:
    static Config configure(Config config);
    [[nodiscard]] Config planted_config() const;
    void play(WarpPrograms programs);
    void check_issues(const WarpPrograms& programs, const std::vector<IssueEvent>& expected,
                      Cycle launch);
    void count_instructions(const std::vector<test::Script>& warps);
    void on_cta_done(SmId /*sm*/, Cycle /*at*/) override { done_ = true; }
    void prepare() override;
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    void finish() override;

    Session& session_;
    const Config config_;
    const Config module_config_;  ///< with a planted error
    NaiveSubCore naive_;
    IssueLog log_;
    CheckedLinks links_;
    CycleTicker ticker_;
    StatGroup statistics_{"sm"};
    MemoryTarget memory_;
    MachineParts parts_;
    std::unique_ptr<StreamingMultiprocessor> sm_;
    std::vector<std::unique_ptr<test::ScriptKernel>> kernels_;
    std::uint64_t next_line_ = 1;
    std::array<std::uint64_t, kOpcodes> of_opcode_{};
    bool done_ = false;
    Cycle end_ = 0, cycles_ = 0;  ///< of all kernels so far
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
    const Cycle start = std::max(session_.clock.now(), end_);
    const Cycle launch = start + config_.gpu.cta_launch_cycles;
    session_.scoreboard.describe_inputs_by([&programs, launch] {
        return fmt::format("{} warps, launched in cycle {}", programs.warps.size(), launch);
    });
    const std::vector<IssueEvent> expected = naive_.run(programs.warps, launch);
    done_ = false;
    log_.issues().clear();
    sm_->start_kernel(kernel, 1, start);
    sm_->launch(CtaId(0), launch);
    sm_->schedule();
    run_until_idle();
    if (!done_) session_.violations({"a kernel never ended"});
    end_ = sm_->last_activity();
    cycles_ += end_ - start;
    sm_->account_until(end_);
    sm_->end_kernel();
    check_issues(programs, expected, launch);
    count_instructions(programs.warps);
    session_.latency.add("kernel", end_ - start);
    session_.scoreboard.describe_inputs_by(nullptr);
}

void SubCoreTestbench::check_issues(const WarpPrograms& programs,
                                    const std::vector<IssueEvent>& expected, Cycle launch) {
    Scoreboard& board = session_.scoreboard;
    const std::vector<IssueEvent>& got = log_.issues();
    for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
        board.begin_cycle(got[i].at);
        board.note_expected("warp {1} issues operation {2} in cycle {0}", expected[i].at,
                            expected[i].warp, static_cast<std::uint64_t>(expected[i].opcode));
        board.note_got("warp {1} issues operation {2} in cycle {0}", got[i].at, got[i].warp,
                       static_cast<std::uint64_t>(got[i].opcode));
        board.expect_count("cycle of an issue", expected[i].at, got[i].at);
        board.expect_count("warp that issues", expected[i].warp, got[i].warp);
        board.expect_count("operation", static_cast<std::uint64_t>(expected[i].opcode),
                           static_cast<std::uint64_t>(got[i].opcode));
    }
    board.expect_count("issues of the kernel", expected.size(), got.size());
    board.expect_count("end of the kernel", naive_.end(), end_);
    for (std::size_t i = 0; i < std::min(programs.issues.size(), got.size()); ++i) {
        board.expect_count("issue counted by hand", launch + programs.issues[i], got[i].at);
    }
}

void SubCoreTestbench::count_instructions(const std::vector<test::Script>& warps) {
    for (const test::Script& script : warps) {
        for (const WarpInstruction& instruction : script) {
            ++of_opcode_[static_cast<std::size_t>(instruction.opcode())];
        }
    }
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
    const auto add = [this](const char* name, std::uint64_t hits, const char* meaning) {
        session_.coverage.hit(session_.coverage.add(name, meaning), hits);
    };
    const auto issued = [this](Opcode opcode) {
        return of_opcode_[static_cast<std::size_t>(opcode)];
    };
    const SubCoreSituations& s = naive_.situations();
    add("alu", issued(Opcode::kAlu), "integer instructions");
    add("operation", issued(Opcode::kOperation), "FP32, FP64 and special-function instructions");
    add("mma", issued(Opcode::kMma), "products of fragments");
    add("load_shared", issued(Opcode::kLoadShared), "loads from shared memory");
    add("load", issued(Opcode::kLoadGlobal), "loads from global memory");
    add("barrier", issued(Opcode::kBarrier), "barriers");
    add("operand_wait", s.operand_waits, "cycles in which all warps wait for operands");
    add("unit_wait", s.unit_waits, "cycles in which all ready warps wait for units");
    add("choice", s.choices, "issues with several warps to choose from");
    if (config_.sm.scheduler == SchedulerPolicy::kGreedyThenOldest) {
        add("greedy", s.repeats, "of them, of the warp that issued last");
    }
    add("memory_yields", s.memory_yields, "issues ahead of a ready memory instruction");
    add("exit_releases", s.exit_releases, "warps that exit while others wait at a barrier");
    add("port_wait", s.port_waits, "cycles in which repeated instructions take the port");
    std::vector<std::string> violations;
    sm_->check(cycles_, violations);
    links_.check(violations);
    session_.violations(violations);
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<SubCoreTestbench>(argc, argv, kDescription);
}
