// CUDA cores of a sub-core: timing and values of arithmetic instructions.
#pragma once

#include "sc_models/common/types.h"
#include "sc_models/config/sm_config.h"
#include "sc_models/sm/issued_instruction.h"
#include "sc_models/sm/register_file.h"

namespace tessera {

/// Arithmetic instructions of a sub-core, on the lanes that their latency and initiation interval
/// describe (sm.operations). Single HMMAs of traces have the same timing on the tensor cores.
/// Results are computed where the register file holds values.
class CudaCores {
public:
    CudaCores(const SmConfig& config, RegisterFile& registers)
        : config_(config), registers_(registers) {}

    /// Cycles at which the unit and the warp continue.
    struct Timing {
        Cycle unit_free = 0;   ///< first cycle at which the unit takes another instruction
        Cycle next_issue = 0;  ///< first cycle at which the warp may issue its next instruction
    };
    /// Issues a kAlu.
    Timing issue_alu(const IssuedInstruction& issued);
    /// Issues a kFloats.
    Timing issue_floats(const IssuedInstruction& issued);
    /// Issues a kOperation whose result has this `producer`.
    Timing issue_operation(const IssuedInstruction& issued, RegisterScoreboard::Producer producer);
    /// Returns the cycles for which the ALU works on a kAlu or kVectorOp.
    [[nodiscard]] Cycle alu_cycles(const WarpInstruction& instruction) const {
        return Cycle{instruction.count} * config_.alu_initiation_cycles;
    }

private:
    Timing issue_tensor(const IssuedInstruction& issued, RegisterScoreboard::Producer producer);
    /// Clears and moves registers, with values.
    void move_registers(const IssuedInstruction& issued);

    const SmConfig& config_;
    RegisterFile& registers_;
    Cycle tensor_free_ = 0;              ///< end of the last tensor-core instruction
    std::uint64_t tensor_fraction_ = 0;  ///< 1024ths of a cycle behind it
};

}  // namespace tessera
