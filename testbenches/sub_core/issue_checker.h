// Checker of a sub-core: compares its issues with those of the reference.
#pragma once

#include <array>
#include <vector>

#include "testbenches/harness/session.h"
#include "testbenches/sub_core/naive_sub_core.h"
#include "testbenches/sub_core/sub_core_stimulus.h"

namespace tessera::testbench {

/// Compares cycle, warp and operation of each issue, and counts the situations of the programs.
class IssueChecker {
public:
    /// `session` and `config` must outlive it. `below`: latency of the memory below, in cycles.
    IssueChecker(Session& session, const Config& config, Cycle below)
        : session_(session), config_(config), naive_(config, below) {}

    /// Checks the issues of programs that were launched in cycle `launch` and ended in cycle `end`.
    void check(const WarpPrograms& programs, Cycle launch, const std::vector<IssueEvent>& got,
               Cycle end);
    /// Adds the bins of instructions and situations, at the end of the run.
    void cover();

private:
    void count(const std::vector<test::Script>& warps);

    Session& session_;
    const Config& config_;
    NaiveSubCore naive_;
    std::array<std::uint64_t, kOpcodes> of_opcode_{};
};

}  // namespace tessera::testbench
