// Programs of warps that make their instructions in batches.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Program of a warp that makes a batch of instructions at a time, when those before are used up.
class BatchedProgram : public WarpProgram {
public:
    std::size_t fill(WarpInstruction* out, std::size_t capacity) final;
    InstructionBatch next(WarpInstruction* room) final;

protected:
    /// Emits the next batch, which may be empty, or ends the program.
    virtual void make_batch() = 0;

    /// Appends an instruction to the batch. The reference is valid until the next one.
    WarpInstruction& emit(Opcode opcode) { return batch_.emplace_back(opcode); }
    /// Appends the exit. No batch follows.
    void exit() {
        emit(Opcode::kExit);
        exited_ = true;
    }
    [[nodiscard]] std::vector<WarpInstruction>& batch() { return batch_; }
    /// Stores an access for instructions of the batch. It stays valid until the batch after the
    /// next is made: stores of a batch may still wait for their turn when the next begins.
    LaneAccess& keep(LaneAccess access) { return accesses_.emplace_back(std::move(access)); }

private:
    /// Makes batches until there are instructions, unless the program has ended.
    void refill();

    std::vector<WarpInstruction> batch_;
    std::size_t given_ = 0;                              ///< of the batch
    std::deque<LaneAccess> accesses_, accesses_before_;  ///< of the batch, and of the one before
    bool exited_ = false;
};

}  // namespace tessera
