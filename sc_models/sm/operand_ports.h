// The read ports of a sub-core's registers and the collectors behind them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/config/sm_config.h"

namespace tessera {

/// Says when an instruction has its operands. Register r lies in bank r mod `banks`, and a bank
/// reads so many warp registers a cycle; Volta has two banks of one read (Jia et al., "Dissecting
/// the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018). Published latencies were
/// measured with these ports, so only what comes on top of an idle file counts.
///
/// An instruction takes a collector from its issue until its last operand is read. One whose unit
/// works on it for long, a matrix product, reads its operands as they are needed, behind those of
/// instructions that need theirs at once. For each instruction: `read` its registers, then `issue`.
class OperandPorts {
public:
    /// Sources of an instruction that the reuse cache tells apart.
    static constexpr std::uint32_t kPlaces = 8;

    /// With no banks it does nothing and must not be asked. Statistics become children of
    /// `sub_core`.
    OperandPorts(const RegisterFileConfig& config, StatGroup& sub_core);
    OperandPorts(const OperandPorts&) = delete;
    OperandPorts& operator=(const OperandPorts&) = delete;

    [[nodiscard]] bool modelled() const { return !banks_.empty(); }

    /// Cycles in which an idle file reads `count` registers that lie evenly in the banks.
    [[nodiscard]] Cycle idle_cycles(std::uint32_t count) const {
        return ceil_div<Cycle>(count, banks_.size() * reads_per_cycle_);
    }
    /// Register `reg` of `warp`, source number `place` (0..kPlaces-1) of the next instruction.
    void read(WarpId warp, std::uint32_t place, std::uint32_t reg);
    /// `count` registers that lie evenly in the banks.
    void read_evenly(std::uint32_t count);
    /// What the reuse cache has of this register is old.
    void written(WarpId warp, std::uint32_t reg);
    /// The reuse cache is empty: its warp is another one now.
    void forget() { last_.fill(kNoOperand); }
    /// The instruction whose registers were read issues at `now`, and its unit works on it for
    /// `span` cycles. `paced`: it takes its operands over that time. Returns by how many cycles the
    /// unit begins later for want of operands.
    [[nodiscard]] Cycle issue(Cycle now, Cycle span, bool paced);
    /// From this cycle on there is a collector for the next instruction.
    [[nodiscard]] Cycle free_at() const;

private:
    /// In reads: cycle c begins with read c * reads_per_cycle_.
    struct Bank {
        std::uint64_t urgent = 0;  ///< the first read that is free for who needs it at once
        std::uint64_t paced = 0;   ///< and for who can wait
        std::uint32_t wanted = 0;  ///< by the next instruction
    };
    static constexpr std::uint32_t kNoOperand = ~0U;

    const std::uint64_t reads_per_cycle_;
    const bool reuses_;
    std::vector<Bank> banks_;
    std::vector<Cycle> collectors_;  ///< until when each is taken
    /// The reuse cache: registers of `last_warp_`, by place.
    std::array<std::uint32_t, kPlaces> last_{};
    WarpId last_warp_;
    std::uint32_t turn_ = 0;  ///< bank of the next register that lies anywhere
    std::uint64_t reads_ = 0, reused_ = 0, late_cycles_ = 0;
};

}  // namespace tessera
