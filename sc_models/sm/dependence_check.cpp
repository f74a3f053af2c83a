#include "sc_models/sm/dependence_check.h"

#include <algorithm>

namespace tessera {

WarpReadiness check_dependences(const WarpInstruction& instruction,
                                const RegisterScoreboard& scoreboard, const CopyGroups& copies,
                                const ProductGroups& products, Cycle from) {
    using Producer = RegisterScoreboard::Producer;
    WarpReadiness next{from, StallReason::kAluResult, unit_of(instruction)};
    const auto wait_until = [&](Cycle cycle, Producer producer) {
        if (cycle <= next.ready) return;
        next.ready = cycle;
        next.wait = producer == Producer::kMemory   ? StallReason::kMemory
                    : producer == Producer::kTensor ? StallReason::kTensorResult
                                                    : StallReason::kAluResult;
    };
    const auto wait_for = [&](std::uint32_t reg) {
        wait_until(scoreboard.written(reg), scoreboard.producer(reg));
    };
    for (const std::uint8_t source : sources_of(instruction)) {
        if (source != kNoRegister) wait_for(source);
    }
    if (instruction.opcode() == Opcode::kCopyAsync) {
        if (copies.available()) wait_for(copies.next_entry());
        return next;
    }
    if (instruction.opcode() == Opcode::kWaitCopies) {
        copies.visit_needed(instruction.groups_left(), wait_for);
        return next;
    }
    if (instruction.opcode() == Opcode::kWaitProducts) {
        wait_until(products.needed(instruction.groups_left()), Producer::kTensor);
        return next;
    }
    if (instruction.dst != kNoRegister) {
        wait_for(instruction.dst);
        wait_until(scoreboard.read_until(instruction.dst), Producer::kTensor);
        // Sums are read whole but may be loaded by several accesses, which may overtake one
        // another.
        const std::uint32_t end = std::min(instruction.dst + accumulators_of(instruction.opcode()),
                                           scoreboard.registers());
        for (std::uint32_t r = instruction.dst + kAccessRegisters; r < end; r += kAccessRegisters) {
            wait_for(r);
        }
    }
    if (instruction.opcode() == Opcode::kFloats || instruction.opcode() == Opcode::kOperation) {
        const std::uint32_t sources = instruction.opcode() == Opcode::kFloats
                                          ? float_sources_of(instruction)
                                          : function_sources_of(instruction);
        for (std::uint32_t i = 1; i < sources; ++i) wait_for(instruction.src_a + i);
    }
    if (instruction.opcode() == Opcode::kExit || instruction.opcode() == Opcode::kFence) {
        for (std::uint32_t r = 0; r < scoreboard.registers(); ++r) wait_for(r);
    }
    return next;
}

}  // namespace tessera
