// Naive reference of a sub-core: interprets warp programs cycle by cycle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/config/config.h"
#include "tests/support/script_kernel.h"

namespace tessera::testbench {

/// Issue of an instruction.
struct IssueEvent {
    Cycle at = 0;
    std::uint32_t warp = 0;
    Opcode opcode = Opcode::kAlu;
};

/// Numbers of situations that a run reached.
struct SubCoreSituations {
    std::uint64_t operand_waits = 0;  ///< cycles without an issue, as operands are missing
    std::uint64_t unit_waits = 0;     ///< cycles without an issue, as units are busy
    std::uint64_t choices = 0;        ///< issues with several warps that could issue
    std::uint64_t repeats = 0;        ///< of them, of the warp that issued last
    std::uint64_t memory_yields = 0;  ///< issues that delay a ready memory instruction
    std::uint64_t exit_releases = 0;  ///< barriers that the exit of a warp completes
    std::uint64_t port_waits = 0;     ///< cycles in which an instruction still takes the port
};

/// One sub-core with the warps of one CTA, in order within a warp. Registers are tracked by the
/// first one of each operand. Global loads miss the L1 and take `below` cycles beneath it.
class NaiveSubCore {
public:
    NaiveSubCore(const Config& config, Cycle below) : config_(config), below_(below) {}

    /// Runs the programs, each without its exit, from cycle `launch` on; returns all issues.
    [[nodiscard]] std::vector<IssueEvent> run(const std::vector<test::Script>& scripts,
                                              Cycle launch);
    /// Returns the cycle after the last issue.
    [[nodiscard]] Cycle end() const { return port_free_; }
    [[nodiscard]] const SubCoreSituations& situations() const { return situations_; }

private:
    static constexpr std::size_t kRegisters = 64;
    struct Warp {
        test::Script script;
        std::size_t next = 0;
        Cycle from = 0;  ///< earliest issue of the next instruction
        bool waits = false, ended = false;
        std::array<Cycle, kRegisters> written{}, read_until{};
    };

    [[nodiscard]] Cycle operands(const Warp& warp) const;
    [[nodiscard]] bool can_issue(const Warp& warp, bool memory, Cycle now) const;
    [[nodiscard]] int choose(bool memory, Cycle now);
    void issue(std::size_t index, Cycle now);
    void operate(Warp& warp, const WarpInstruction& instruction, Cycle now);
    void multiply(Warp& warp, const WarpInstruction& instruction, Cycle now);
    void load(Warp& warp, const WarpInstruction& instruction, Cycle now);
    void release_barrier(Cycle now);
    void note_idle(Cycle now);

    const Config& config_;
    const Cycle below_;
    std::vector<Warp> warps_;
    std::array<Cycle, kExecutionUnits> unit_free_{};
    Cycle port_free_ = 0;
    int last_ = -1;  ///< warp that issued last; -1: none, or it has exited
    SubCoreSituations situations_;
};

}  // namespace tessera::testbench
