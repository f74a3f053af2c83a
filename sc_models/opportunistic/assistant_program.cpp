#include "sc_models/opportunistic/assistant_program.h"

#include <algorithm>

#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {
namespace {

using Operand = LaneLayout::Operand;
constexpr std::uint8_t kSum = 0;
constexpr std::uint8_t kFirstOperand = 2;

WarpInstruction access(Opcode opcode, const VectorOperation& operation, Operand operand,
                       Address address) {
    WarpInstruction instruction(opcode);
    instruction.memory().address = address;
    instruction.memory().lanes = operation.layout->access(operand, address);
    return instruction;
}

}  // namespace

std::size_t AssistantProgram::fill(WarpInstruction* out, std::size_t capacity) {
    const WarpInstruction* const begin = out;
    const VectorOperation& operation = job_.operation;
    if (!begun_) {
        begun_ = true;
        element_ = job_.computed ? operation.length : 0;
        if (config_.assist_overhead_instructions > 0) {
            *out = WarpInstruction{};
            (out++)->count = static_cast<std::uint16_t>(config_.assist_overhead_instructions);
        }
    }
    constexpr std::size_t kReserve = 2;  // space for atomic and exit
    while (element_ < operation.length) {
        const std::uint32_t elements =
            std::min(config_.assist_buffers, operation.length - element_);
        const auto used = static_cast<std::size_t>(out - begin);
        if (capacity - used < 3 * elements + kReserve) return used;
        for (std::uint32_t i = 0; i < elements; ++i) {
            const Address offset = Address{element_ + i} * kFloatBytes;
            *out =
                access(Opcode::kLoadGlobal, operation, Operand::kInput, operation.input + offset);
            (out++)->dst = static_cast<std::uint8_t>(kFirstOperand + 2 * i);
            *out = access(Opcode::kLoadGlobal, operation, Operand::kWeights,
                          operation.weights + offset);
            (out++)->dst = static_cast<std::uint8_t>(kFirstOperand + 2 * i + 1);
        }
        for (std::uint32_t i = 0; i < elements; ++i) {
            *out = WarpInstruction(Opcode::kOperation);
            out->set_operation(Operation::kFp32);
            out->dst = kSum;
            out->src_a = static_cast<std::uint8_t>(kFirstOperand + 2 * i);
            out->src_b = static_cast<std::uint8_t>(kFirstOperand + 2 * i + 1);
            ++out;
        }
        element_ += elements;
    }
    if (job_.assigned) {
        *out = access(Opcode::kAtomicGlobal, operation, Operand::kOutput, operation.output);
        (out++)->src_a = kSum;
    }
    *out++ = WarpInstruction(Opcode::kExit);
    begun_ = false;
    return static_cast<std::size_t>(out - begin);
}

}  // namespace tessera
