// Ways to run the steps of a staged product.
#pragma once

#include <cstdint>
#include <memory>

#include "sc_models/workload/staged/staged_copies.h"
#include "sc_models/workload/staged/staged_part.h"

namespace tessera {

/// The steps of a warp by one way of staging: when operands are copied, how they get to registers,
/// and what multiplies them.
class StagedSteps : protected StagedPart {
public:
    virtual ~StagedSteps() = default;

    /// Makes the steps of the warp's kernel.
    [[nodiscard]] static std::unique_ptr<StagedSteps> make(const StagedWarp& at,
                                                           StagedInstructions& out);

    /// Emits what precedes the first step.
    virtual void begin() = 0;
    virtual void run(std::uint32_t step) = 0;
    /// Emits what is left after the last step. Returns whether sums are in accumulation buffers.
    virtual bool finish() { return false; }
    /// Emits the instructions on the operands of a whole step in buffer `buffer`, if they are the
    /// same in every CTA.
    virtual void compute(std::uint32_t buffer) = 0;

protected:
    StagedSteps(const StagedWarp& at, StagedInstructions& out)
        : StagedPart(at, out), copies_(at, out) {}

    /// Emits a load of a fragment from shared memory.
    WarpInstruction& emit_fragment(Opcode opcode, std::uint32_t slot,
                                   const StagedOperand::Fragment& fragment, std::uint8_t dst);
    void load_a_fragment(std::uint64_t line, std::uint32_t tile, std::uint8_t dst);

    StagedCopies copies_;
};

}  // namespace tessera
