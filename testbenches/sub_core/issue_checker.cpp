#include "testbenches/sub_core/issue_checker.h"

#include <algorithm>

namespace tessera::testbench {

void IssueChecker::check(const WarpPrograms& programs, Cycle launch,
                         const std::vector<IssueEvent>& got, Cycle end) {
    Scoreboard& board = session_.scoreboard;
    const std::vector<IssueEvent> expected = naive_.run(programs.warps, launch);
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
    board.expect_count("end of the kernel", naive_.end(), end);
    for (std::size_t i = 0; i < std::min(programs.issues.size(), got.size()); ++i) {
        board.expect_count("issue counted by hand", launch + programs.issues[i], got[i].at);
    }
    count(programs.warps);
}

void IssueChecker::count(const std::vector<test::Script>& warps) {
    for (const test::Script& script : warps) {
        for (const WarpInstruction& instruction : script) {
            ++of_opcode_[static_cast<std::size_t>(instruction.opcode())];
        }
    }
}

void IssueChecker::cover() {
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
}

}  // namespace tessera::testbench
