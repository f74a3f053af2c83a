// An instruction in the cycle in which it issues.
#pragma once

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sm/register_scoreboard.h"

namespace tessera {

/// Instruction that a sub-core issues to one of its units; cycles are core cycles.
struct IssuedInstruction {
    const WarpInstruction& instruction;
    WarpId warp;
    RegisterScoreboard& scoreboard;  ///< scoreboard of its warp
    Cycle issued = 0;                ///< issue cycle
    Cycle start = 0;                 ///< cycle at which its operands are read; `issued` or later

    /// Records that the instruction writes register `reg` (kNoRegister: none) at cycle `written`.
    void write(std::uint8_t reg, Cycle written, RegisterScoreboard::Producer producer) const {
        if (reg != kNoRegister) scoreboard.write(reg, written, producer);
    }
    /// Records that the instruction reads its sources until cycle `until`.
    void read_sources(Cycle until) const {
        for (const std::uint8_t source : sources_of(instruction)) {
            if (source != kNoRegister) scoreboard.read(source, until);
        }
    }
};

}  // namespace tessera
