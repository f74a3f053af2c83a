#include "sc_models/workload/staged/staged_steps.h"

#include "sc_models/workload/staged/asynchronous_steps.h"
#include "sc_models/workload/staged/fragment_steps.h"
#include "sc_models/workload/staged/spwmma_steps.h"

namespace tessera {

std::unique_ptr<StagedSteps> StagedSteps::make(const StagedWarp& at, StagedInstructions& out) {
    if (at.kernel.product().asynchronous) return std::make_unique<AsynchronousSteps>(at, out);
    if (at.kernel.sparse() != nullptr) return std::make_unique<SpwmmaSteps>(at, out);
    return std::make_unique<FragmentSteps>(at, out);
}

WarpInstruction& StagedSteps::emit_fragment(Opcode opcode, std::uint32_t slot,
                                            const StagedOperand::Fragment& fragment,
                                            std::uint8_t dst) {
    WarpInstruction& w = emit(opcode);
    w.dst = dst;
    w.memory().set_rows(slot + fragment.offset, kFragmentRows, kFragmentRowBytes,
                        fragment.pitch_bytes);
    w.registers().pitch_bytes = kFragmentRowBytes;
    w.registers().transposed = fragment.transposed;
    return w;
}

/// Loads a fragment of A from global memory. Lines are allocated up to whole line tiles.
void StagedSteps::load_a_fragment(std::uint64_t line, std::uint32_t tile, std::uint8_t dst) {
    if (line >= round_up(product_.m, std::uint64_t{kLineTile})) return;
    WarpInstruction& w = emit(Opcode::kLoadFragment);
    w.dst = dst;
    w.memory().set_rows(
        product_.a_lines + line * product_.a_line_bytes + Address{tile} * kFragmentRowBytes,
        kFragmentRows, kFragmentRowBytes, product_.a_line_bytes);
    w.registers().pitch_bytes = kFragmentRowBytes;
    w.registers().role = FragmentRole::kA;
}

}  // namespace tessera
