// Execution units of a sub-core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sc_models/isa/warp_instruction.h"

namespace tessera {

/// Execution unit that an instruction occupies; kNone: the issue port alone.
enum class ExecutionUnit : std::uint8_t {
    kNone,
    kAlu,
    kFp32,
    kFp64,
    kSfu,
    kBranch,
    kTensor,
    kLdst
};
inline constexpr std::size_t kExecutionUnits = 8;

/// Returns the unit of `instruction`.
[[nodiscard]] inline ExecutionUnit unit_of(const WarpInstruction& instruction) {
    using Unit = ExecutionUnit;
    if (is_memory(instruction.opcode())) return Unit::kLdst;
    if (instruction.opcode() == Opcode::kMma || instruction.opcode() == Opcode::kSparseMma ||
        instruction.opcode() == Opcode::kSparseFlush ||
        instruction.opcode() == Opcode::kWarpgroupMma) {
        return Unit::kTensor;
    }
    if (instruction.opcode() == Opcode::kAlu) return Unit::kAlu;
    if (instruction.opcode() == Opcode::kFloats) return Unit::kFp32;
    if (instruction.opcode() != Opcode::kOperation) return Unit::kNone;
    constexpr std::array<Unit, kOperations> kUnitOf = {Unit::kAlu,    Unit::kFp32,   Unit::kFp32,
                                                       Unit::kFp64,   Unit::kSfu,    Unit::kTensor,
                                                       Unit::kTensor, Unit::kBranch, Unit::kAlu};
    return kUnitOf[static_cast<std::size_t>(instruction.operation())];
}

}  // namespace tessera
