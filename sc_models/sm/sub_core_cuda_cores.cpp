#include <algorithm>
#include <cstring>

#include "sc_models/sm/sub_core.h"
#include "sc_models/tensor_core/half.h"

// CUDA-core instructions of a sub-core.

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
    const FloatOperation operation = what.float_operation();
    for (std::size_t row = 0; row < what.rows; ++row) {
        const std::size_t of_floats = row * kFloatRowBytes;
        const std::size_t of_halves = what.register_offset_bytes + row * what.register_pitch_bytes;
        for (std::size_t i = 0; i < kRow; ++i) {
            if (operation == FloatOperation::kRound) {
                store(dst + of_halves, i, float_to_half(loaded<float>(src + of_floats, i)));
                continue;
            }
            const float more = operation == FloatOperation::kAdd
                                   ? loaded<float>(src + of_floats, i)
                                   : half_to_float(loaded<HalfBits>(src + of_halves, i));
            store(dst + of_floats, i, loaded<float>(dst + of_floats, i) + more);
        }
    }
}

}  // namespace

void SubCore::move_registers(std::uint32_t slot, const WarpInstruction& instruction) {
    if (!registers_.holds_values()) return;
    if (instruction.zero_fill > 0) {
        std::fill_n(registers_.at(warp_id(slot), instruction.dst),
                    instruction.zero_fill * kWarpRegisterBytes, std::byte{0});
    }
    if (const BitGather* gather = instruction.gather()) {
        gather->apply(registers_.at(warp_id(slot), 0),
                      registers_.at(warp_id(slot), instruction.dst));
    }
    if (instruction.opcode != Opcode::kOperation) return;
    if (const RegisterFunction* function = instruction.function()) {
        function->apply(instruction, registers_.at(warp_id(slot), 0));
    }
}

void SubCore::count_hmmas(const WarpInstruction& instruction, Cycle cycles) {
    constexpr std::uint32_t kStepsOfF16 = 2;  // HMMA.884 with sums of 16 bits: 8 make a product
    hmma_cycles_ += cycles;
    hmmas_ += instruction.count;
    hmma_steps_ += std::uint64_t{instruction.count} * instruction.hmma_steps() *
                   (instruction.operation == Operation::kHmmaF16 ? kStepsOfF16 : 1);
}

/// Issues a batch of operations; returns the cycles by which the last begins after the first.
Cycle SubCore::issue_operation(std::uint32_t slot, const WarpInstruction& instruction,
                               Cycle start) {
    const OperationConfig& takes = config_.operation(instruction.operation);
    const Unit unit = unit_of(instruction);
    const Cycle busy = Cycle{instruction.hmma_steps()} * takes.initiation_cycles;
    const Cycle others = Cycle{instruction.count - 1U} * busy;
    free_at(unit) = start + others + busy;
    if (unit == Unit::kTensor) count_hmmas(instruction, others + busy);
    // The last step begins when the others have.
    write(warps_[slot], instruction.dst,
          start + others + (busy - takes.initiation_cycles) + takes.latency_cycles,
          unit == Unit::kTensor ? Producer::kTensor : Producer::kAlu);
    move_registers(slot, instruction);
    return others;
}

/// Returns the cycle at which the warp can continue.
Cycle SubCore::issue_floats(std::uint32_t slot, const WarpInstruction& instruction, Cycle start) {
    const OperationConfig& takes = config_.operation(Operation::kFp32);
    const Cycle end = start + Cycle{instruction.count} * takes.initiation_cycles;
    free_at(Unit::kFp32) = end;
    const bool rounds = instruction.float_operation() == FloatOperation::kRound;
    const std::uint32_t pitch = instruction.register_pitch_bytes;
    const std::uint32_t written = rounds ? registers_of_halves(instruction.rows, pitch)
                                         : registers_of_floats(instruction.rows);
    const Cycle done = end - takes.initiation_cycles + takes.latency_cycles;
    for (std::uint32_t i = 0; i < written; ++i) {
        write(warps_[slot], static_cast<std::uint8_t>(instruction.dst + i), done, Producer::kAlu);
    }
    if (registers_.holds_values()) {
        work_on_floats(instruction, registers_.at(warp_id(slot), instruction.src_a),
                       registers_.at(warp_id(slot), instruction.dst));
    }
    return end;
}

}  // namespace tessera
