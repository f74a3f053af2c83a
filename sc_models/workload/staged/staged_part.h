// Base of the parts that a staged program consists of.
#pragma once

#include "sc_models/workload/staged/staged_instructions.h"
#include "sc_models/workload/staged/staged_warp.h"

namespace tessera {

/// Part of a staged program: makes instructions of a warp.
class StagedPart {
public:
    StagedPart(const StagedPart&) = delete;
    StagedPart& operator=(const StagedPart&) = delete;

protected:
    /// Maximum size of a load or store.
    static constexpr std::uint32_t kAccessBytes = 4 * kWarpRegisterBytes;
    static constexpr std::uint32_t kAccessPieces = kAccessBytes / kPieceBytes;

    /// Both must outlive this.
    StagedPart(const StagedWarp& at, StagedInstructions& out)
        : at_(at),
          kernel_(at.kernel),
          product_(at.kernel.product()),
          registers_(at.kernel.registers()),
          out_(out) {}
    ~StagedPart() = default;

    WarpInstruction& emit(Opcode opcode) { return out_.emit(opcode); }
    void emit_alu(std::uint32_t count) { out_.emit_alu(count); }

    const StagedWarp& at_;
    const StagedProductKernel& kernel_;
    const StagedProduct& product_;
    const StagedRegisters& registers_;
    StagedInstructions& out_;
};

}  // namespace tessera
