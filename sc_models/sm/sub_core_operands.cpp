#include <algorithm>

#include "sc_models/sm/sub_core.h"

// Register reads of a sub-core's instructions.

namespace tessera {
namespace {

/// Registers of one source of a kOperation: pairs where a thread's operand has 64 bits.
std::uint32_t registers_of_source(Operation operation) {
    switch (operation) {
        case Operation::kFp64:
        case Operation::kHmmaF32:
        case Operation::kHmmaF16:
            return 2;
        default:
            return 1;
    }
}

bool stores_registers(Opcode opcode) {
    return opcode == Opcode::kStoreGlobal || opcode == Opcode::kStoreShared ||
           opcode == Opcode::kAtomicGlobal;
}

}  // namespace

Cycle SubCore::collect_operands(std::uint32_t slot, const WarpInstruction& instruction, Cycle now) {
    const Cycle late = read_operands(slot, instruction, now);
    if (late == 0) return now;
    for (const std::uint8_t source : sources_of(instruction)) {
        if (source != kNoRegister) warps_[slot].scoreboard.read(source, now + late);
    }
    return now + late;
}

Cycle SubCore::read_operands(std::uint32_t slot, const WarpInstruction& instruction, Cycle now) {
    const WarpId warp = warp_id(slot);
    switch (instruction.opcode) {
        case Opcode::kAlu:
        case Opcode::kVectorOp:
            ports_.read_evenly(instruction.count * kReadsOfAlu);
            return ports_.issue(now, Cycle{instruction.count} * config_.alu_initiation_cycles,
                                instruction.count > 1);
        case Opcode::kFloats:
            ports_.read_evenly(instruction.count * kReadsOfAlu);
            return ports_.issue(
                now,
                Cycle{instruction.count} * config_.operation(Operation::kFp32).initiation_cycles,
                instruction.count > 1);
        case Opcode::kOperation: {
            const Cycle initiation = config_.operation(instruction.operation).initiation_cycles;
            if (const std::uint32_t steps = instruction.hmma_steps(); steps > 1) {
                ports_.read_evenly(
                    reads_of_hmma(instruction.operation == Operation::kHmmaF32, steps));
                return ports_.issue(now, steps * initiation, true);
            }
            if (instruction.count > 1) {
                ports_.read_evenly(instruction.count * kReadsOfAlu);
                return ports_.issue(now, instruction.count * initiation, true);
            }
            const std::uint32_t registers = registers_of_source(instruction.operation);
            std::uint32_t place = 0;
            for (const std::uint8_t source : sources_of(instruction)) {
                for (std::uint32_t i = 0; source != kNoRegister && i < registers; ++i) {
                    ports_.read(warp, 2 * place + i, source + i);
                }
                ++place;
            }
            if (instruction.dst != kNoRegister) ports_.written(warp, instruction.dst);
            return ports_.issue(now, initiation, false);
        }
        case Opcode::kMma: {
            const ProductReads& reads = product_.reads;
            const std::uint32_t times = config_.register_file.reuse_cache ? 1 : reads.reuses;
            std::uint32_t a = reads.a;
            if (registers_.follows_renaming()) {
                a *= registers_.reads_of_fragment(warp, instruction.src_a,
                                                  config_.register_file.renamed_rows);
            }
            ports_.read_evenly(reads.sums + (a + reads.b) * times);
            return ports_.issue(now, product_.span, true);
        }
        case Opcode::kSparseMma:
            ports_.read_evenly(kReadsOfSpwmma);
            return ports_.issue(now, ports_.idle_cycles(kReadsOfSpwmma), true);
        default:
            break;
    }
    if (!is_memory(instruction.opcode)) return 0;
    std::uint32_t registers = kReadsOfAddress;
    if (stores_registers(instruction.opcode)) {
        registers += ceil_div(bytes_of(instruction), kWarpRegisterBytes);
    }
    ports_.read_evenly(registers);
    // The LDST unit has granted this cycle: the operands are read while the access is in flight.
    (void)ports_.issue(now, registers, true);
    return 0;
}

void SubCore::wait_for_collector() {
    const Cycle free = ports_.free_at();
    if (free <= port_free_) return;
    if (observers_.wave != nullptr) {
        observers_.wave->set(traces_.stall, port_free_,
                             static_cast<std::uint64_t>(StallReason::kOperands));
    }
    slots_[static_cast<std::size_t>(StallReason::kOperands)] += free - port_free_;
    settled_cycles_ += free - port_free_;
    accounted_until_ = port_free_ = free;
}

void SubCore::read_swapped_sums(Cycle now) {
    ports_.read_evenly(kRegistersOfSwap);
    (void)ports_.issue(now, kRegistersOfSwap, true);
}

}  // namespace tessera
