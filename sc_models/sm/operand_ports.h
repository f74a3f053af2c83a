// Register read ports of a sub-core and the operand collectors behind them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/config/sm_config.h"

namespace tessera {

/// Computes when an instruction has its operands. Register r lies in bank r mod `banks`, and a bank
/// reads `reads_per_bank_cycle` warp registers a cycle; Volta has two banks of one read (Jia et
/// al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018). Published
/// latencies were measured with these ports, so only the delay beyond an idle file counts.
///
/// An instruction takes a collector from its issue until its last operand is read. An instruction
/// that occupies its unit for long, such as a matrix product, reads its operands as they are needed
/// (paced), behind those of instructions that need theirs at once (urgent). For each instruction:
/// `read` its registers, then `issue`.
class OperandPorts {
public:
    /// Operand positions that the reuse cache distinguishes.
    static constexpr std::uint32_t kPlaces = 8;

    /// With no banks nothing is modelled and no other function may be called. Statistics become
    /// children of `sub_core`.
    OperandPorts(const RegisterFileConfig& config, StatGroup& sub_core);
    OperandPorts(const OperandPorts&) = delete;
    OperandPorts& operator=(const OperandPorts&) = delete;

    [[nodiscard]] bool modelled() const { return !banks_.empty(); }

    /// Returns the cycles in which an idle file reads `count` registers spread evenly over the
    /// banks.
    [[nodiscard]] Cycle idle_cycles(std::uint32_t count) const {
        return ceil_div<Cycle>(count, banks_.size() * reads_per_cycle_);
    }
    /// Adds register `reg` of `warp`, source number `place` (0..kPlaces-1), to the next
    /// instruction.
    void read(WarpId warp, std::uint32_t place, std::uint32_t reg);
    /// Adds `count` registers, spread evenly over the banks, to the next instruction.
    void read_evenly(std::uint32_t count);
    /// Invalidates this register in the reuse cache.
    void written(WarpId warp, std::uint32_t reg);
    /// Empties the reuse cache; it holds registers of one warp only.
    void forget() { last_.fill(kNoOperand); }
    /// Issues, at `now`, the instruction whose registers were read; its unit works on it for `span`
    /// cycles. `paced`: the operands are read over that time. Returns by how many cycles the unit
    /// begins later for lack of operands.
    [[nodiscard]] Cycle issue(Cycle now, Cycle span, bool paced);
    /// Returns the first cycle at which a collector is free for the next instruction.
    [[nodiscard]] Cycle free_at() const;

private:
    /// Bookings in units of reads: cycle c begins with read c * reads_per_cycle_.
    struct Bank {
        std::uint64_t urgent = 0;  ///< first read that is free for an urgent instruction
        std::uint64_t paced = 0;   ///< first read that is free for a paced instruction
        std::uint32_t reads = 0;   ///< reads of the next instruction
    };
    static constexpr std::uint32_t kNoOperand = ~0U;

    const std::uint64_t reads_per_cycle_;
    const bool reuses_;
    std::vector<Bank> banks_;
    std::vector<Cycle> collectors_;  ///< cycle until which each is taken
    /// Reuse cache: registers of `last_warp_`, by place.
    std::array<std::uint32_t, kPlaces> last_{};
    WarpId last_warp_;
    std::uint32_t next_bank_ = 0;  ///< bank of the next evenly spread register
    std::uint64_t reads_ = 0, reused_ = 0, late_cycles_ = 0;
};

}  // namespace tessera
