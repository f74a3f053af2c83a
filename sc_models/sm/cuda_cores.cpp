#include "sc_models/sm/cuda_cores.h"

#include <algorithm>
#include <cstring>

#include "sc_models/tensor_core/half.h"

namespace tessera {
namespace {

constexpr std::size_t kRow = kFragmentRows;  // floats

template <class T>
T loaded(const std::byte* from, std::size_t index) {
    T value{};
    std::memcpy(&value, from + index * sizeof(T), sizeof(T));
    return value;
}

template <class T>
void store(std::byte* to, std::size_t index, T value) {
    std::memcpy(to + index * sizeof(T), &value, sizeof(T));
}

/// Adds to or rounds sums: operands from register `src` on, results from register `dst` on.
void work_on_floats(const WarpInstruction& what, const std::byte* src, std::byte* dst) {
    const FloatRows& floats = what.floats();
    const FloatOperation operation = floats.operation;
    for (std::size_t row = 0; row < floats.rows; ++row) {
        const std::size_t of_floats = row * kFloatRowBytes;
        const std::size_t of_halves = floats.halves_offset_bytes + row * floats.halves_pitch_bytes;
        for (std::size_t i = 0; i < kRow; ++i) {
            if (operation == FloatOperation::kRound) {
                store(dst + of_halves, i,
                      to_bits(loaded<float>(src + of_floats, i), floats.format));
                continue;
            }
            const float more = operation == FloatOperation::kAdd
                                   ? loaded<float>(src + of_floats, i)
                                   : to_float(loaded<HalfBits>(src + of_halves, i), floats.format);
            store(dst + of_floats, i, loaded<float>(dst + of_floats, i) + more);
        }
    }
}

}  // namespace

void CudaCores::move_registers(const IssuedInstruction& issued) {
    if (!registers_.holds_values()) return;
    const WarpInstruction& instruction = issued.instruction;
    if (instruction.has_function()) {
        if (const RegisterFunction* function = instruction.call().function) {
            function->apply(instruction, registers_.at(issued.warp, 0));
        }
        return;
    }
    const RegisterMoves& moves = instruction.moves();
    if (moves.zero_fill > 0) {
        std::fill_n(registers_.at(issued.warp, instruction.dst),
                    moves.zero_fill * kWarpRegisterBytes, std::byte{0});
    }
    if (moves.gather != nullptr) {
        moves.gather->apply(registers_.at(issued.warp, 0),
                            registers_.at(issued.warp, instruction.dst));
    }
}

CudaCores::Timing CudaCores::issue_alu(const IssuedInstruction& issued) {
    const Cycle next_issue = issued.issued + alu_cycles(issued.instruction);
    const Cycle unit_free = next_issue + (issued.start - issued.issued);
    if (issued.instruction.dst != kNoRegister) {  // written by the last instruction
        issued.write(issued.instruction.dst,
                     unit_free - config_.alu_initiation_cycles + config_.alu_latency_cycles,
                     RegisterScoreboard::Producer::kAlu);
    }
    move_registers(issued);
    return {unit_free, next_issue};
}

CudaCores::Timing CudaCores::issue_operation(const IssuedInstruction& issued,
                                             RegisterScoreboard::Producer producer) {
    const WarpInstruction& instruction = issued.instruction;
    if (instruction.on_tensor_cores()) return issue_tensor(issued, producer);
    const OperationConfig& takes = config_.operation(instruction.operation());
    const Cycle busy = takes.initiation_cycles;
    const Cycle others = Cycle{instruction.count - 1U} * busy;
    issued.write(instruction.dst, issued.start + others + takes.latency_cycles, producer);
    move_registers(issued);
    return {issued.start + others + busy, issued.issued + 1 + others};
}

/// A fraction of a cycle carries over to an instruction that follows without a gap.
CudaCores::Timing CudaCores::issue_tensor(const IssuedInstruction& issued,
                                          RegisterScoreboard::Producer producer) {
    const WarpInstruction& instruction = issued.instruction;
    const TensorTiming takes = config_.tensor_timing(instruction.mma_shape());
    if (issued.start != tensor_free_) tensor_fraction_ = 0;
    const std::uint64_t others = tensor_fraction_ + (instruction.count - 1U) * takes.initiation;
    const Cycle last = others / TensorTiming::kUnit;
    issued.write(instruction.dst, issued.start + last + takes.latency, producer);
    move_registers(issued);
    const std::uint64_t end = others + takes.initiation;
    tensor_fraction_ = end % TensorTiming::kUnit;
    tensor_free_ = issued.start + end / TensorTiming::kUnit;
    return {tensor_free_, issued.issued + 1 + last};
}

CudaCores::Timing CudaCores::issue_floats(const IssuedInstruction& issued) {
    using Producer = RegisterScoreboard::Producer;
    const WarpInstruction& instruction = issued.instruction;
    const OperationConfig& takes = config_.operation(Operation::kFp32);
    const Cycle end = issued.start + Cycle{instruction.count} * takes.initiation_cycles;
    const FloatRows& floats = instruction.floats();
    const std::uint32_t written = floats.operation == FloatOperation::kRound
                                      ? registers_of_halves(floats.rows, floats.halves_pitch_bytes)
                                      : registers_of_floats(floats.rows);
    const Cycle done = end - takes.initiation_cycles + takes.latency_cycles;
    for (std::uint32_t i = 0; i < written; ++i) {
        issued.write(static_cast<std::uint8_t>(instruction.dst + i), done, Producer::kAlu);
    }
    if (registers_.holds_values()) {
        work_on_floats(instruction, registers_.at(issued.warp, instruction.src_a),
                       registers_.at(issued.warp, instruction.dst));
    }
    return {end, end};
}

}  // namespace tessera
