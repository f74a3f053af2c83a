#include "sc_models/sm/operand_collector.h"

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

OperandCollector::OperandCollector(const SmConfig& config, const ProductOperands& product,
                                   RegisterFile& registers, StatGroup& sub_core)
    : config_(config),
      product_(product),
      registers_(registers),
      ports_(config.register_file, sub_core) {}

Cycle OperandCollector::collect(const IssuedInstruction& issued) {
    const Cycle delay = read(issued);
    if (delay > 0) issued.read_sources(issued.issued + delay);
    return issued.issued + delay;
}

Cycle OperandCollector::read(const IssuedInstruction& issued) {
    const WarpInstruction& instruction = issued.instruction;
    const Cycle now = issued.issued;
    const Cycle count = instruction.count;
    switch (instruction.opcode()) {
        case Opcode::kAlu:
        case Opcode::kVectorOp:
            ports_.read_evenly(instruction.count * kReadsOfAlu);
            return ports_.issue(now, count * config_.alu_initiation_cycles, count > 1);
        case Opcode::kFloats:
            ports_.read_evenly(instruction.count * kReadsOfAlu);
            return ports_.issue(now, count * config_.operation(Operation::kFp32).initiation_cycles,
                                count > 1);
        case Opcode::kOperation:
            return read_operation(issued);
        case Opcode::kMma:
            return read_product(issued);
        case Opcode::kSparseMma:
            ports_.read_evenly(kReadsOfSpwmma);
            return ports_.issue(now, ports_.idle_cycles(kReadsOfSpwmma), true);
        default:
            if (is_memory(instruction.opcode())) read_memory_operands(issued);
            return 0;
    }
}

Cycle OperandCollector::read_operation(const IssuedInstruction& issued) {
    const WarpInstruction& instruction = issued.instruction;
    const bool tensor = instruction.on_tensor_cores() && !instruction.has_function();
    const Cycle initiation =
        tensor ? ceil_div(config_.tensor_timing(instruction.mma_shape()).initiation,
                          TensorTiming::kUnit)
               : Cycle{config_.operation(instruction.operation()).initiation_cycles};
    if (const std::uint32_t steps = instruction.hmma_steps(); steps > 1) {
        ports_.read_evenly(reads_of_hmma(instruction.operation() == Operation::kHmmaF32, steps));
        return ports_.issue(issued.issued, initiation, true);
    }
    if (instruction.count > 1) {
        ports_.read_evenly(instruction.count * kReadsOfAlu);
        return ports_.issue(issued.issued, instruction.count * initiation, true);
    }
    const std::uint32_t registers = registers_of_source(instruction.operation());
    std::uint32_t source_number = 0;
    for (const std::uint8_t source : sources_of(instruction)) {
        for (std::uint32_t i = 0; source != kNoRegister && i < registers; ++i) {
            ports_.read(issued.warp, 2 * source_number + i, source + i);
        }
        ++source_number;
    }
    if (instruction.dst != kNoRegister) ports_.written(issued.warp, instruction.dst);
    return ports_.issue(issued.issued, initiation, false);
}

Cycle OperandCollector::read_product(const IssuedInstruction& issued) {
    const ProductReads& reads = product_.reads;
    const std::uint32_t times = config_.register_file.reuse_cache ? 1 : reads.reuses;
    std::uint32_t a = reads.a;
    if (registers_.follows_renaming()) {
        a *= registers_.reads_of_fragment(issued.warp, issued.instruction.src_a,
                                          config_.register_file.renamed_rows);
    }
    std::uint32_t metadata = 0;
    Cycle span = product_.span;
    const FragmentProduct product = issued.instruction.fragment_product();
    if (product == FragmentProduct::kStructured) {
        a *= 2;
        metadata = kReadsOfMetadata;
    }
    if (product != FragmentProduct::kHalf) {
        span = config_.fragment_timing(product)->initiation / TensorTiming::kUnit;
    }
    ports_.read_evenly(reads.sums + (a + reads.b) * times + metadata);
    return ports_.issue(issued.issued, span, true);
}

/// The LDST unit has granted the issue cycle: the operands are read while the access is in flight.
void OperandCollector::read_memory_operands(const IssuedInstruction& issued) {
    std::uint32_t registers = kReadsOfAddress;
    if (stores_registers(issued.instruction.opcode())) {
        registers += ceil_div(bytes_of(issued.instruction), kWarpRegisterBytes);
    }
    ports_.read_evenly(registers);
    (void)ports_.issue(issued.issued, registers, true);
}

void OperandCollector::read_swapped_sums(Cycle now) {
    ports_.read_evenly(kRegistersOfSwap);
    (void)ports_.issue(now, kRegistersOfSwap, true);
}

}  // namespace tessera
