// Instruction program of one warp of a staged product.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sc_models/workload/staged/staged_instructions.h"
#include "sc_models/workload/staged/staged_result.h"
#include "sc_models/workload/staged/staged_steps.h"
#include "sc_models/workload/staged/staged_warp.h"

namespace tessera {

/// A warp of a StagedProductKernel: it copies its share of a step's operands, computes, and writes
/// its part of D.
class StagedProgram : public WarpProgram {
public:
    StagedProgram(const StagedProductKernel& kernel, CtaId cta, std::uint32_t warp);
    std::size_t fill(WarpInstruction* out, std::size_t capacity) override;
    InstructionBatch next(WarpInstruction* room) override;

    /// Returns the warp's instructions on the dense operands of a whole step in buffer `buffer`:
    /// the same in every CTA.
    [[nodiscard]] std::vector<WarpInstruction> fragments_of(std::uint32_t buffer);

private:
    enum class Phase { kBegin, kSteps, kEnd, kDone };

    void make_batches();
    void make_more();

    const StagedWarp at_;
    StagedInstructions out_;
    const std::unique_ptr<StagedSteps> steps_;
    StagedResult result_;
    Phase phase_ = Phase::kBegin;
    std::uint32_t step_;
};

}  // namespace tessera
