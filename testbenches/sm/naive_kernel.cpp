#include "testbenches/sm/naive_kernel.h"

#include <array>

#include "sc_models/tensor_core/half.h"

namespace tessera::testbench {
namespace {

/// Bytes that an instruction moves to or from global memory.
std::uint64_t global_bytes(const WarpInstruction& instruction, const Config& config) {
    switch (instruction.opcode()) {
        case Opcode::kLoadFragment:
            return std::uint64_t{kFragmentRows} * kFragmentRowBytes * config.ldst.octet_l1_accesses;
        case Opcode::kLoadGlobal:
        case Opcode::kStoreGlobal:
        case Opcode::kAtomicGlobal:
            break;
        default:
            return 0;
    }
    if (!instruction.has_lanes()) return bytes_of(instruction);
    std::uint64_t bytes = 0;
    for (const LaneAccess::Piece& piece : instruction.lanes().pieces) bytes += piece.bytes;
    return bytes;
}

void add(KernelCounts& counts, const WarpInstruction& instruction, const Config& config) {
    const Opcode opcode = instruction.opcode();
    const bool repeats =
        opcode == Opcode::kAlu || opcode == Opcode::kOperation || opcode == Opcode::kFloats;
    counts.instructions += repeats ? instruction.count : 1;
    if (opcode == Opcode::kMma) ++counts.products;
    if (opcode == Opcode::kBarrier) ++counts.barriers;
    if (!is_memory(opcode)) return;
    const bool store = opcode == Opcode::kStoreGlobal || opcode == Opcode::kStoreShared ||
                       (opcode == Opcode::kAtomicGlobal && instruction.dst == kNoRegister);
    ++(store ? counts.stores : counts.loads);
    counts.request_bytes += global_bytes(instruction, config);
}

}  // namespace

KernelCounts count_instructions(const Kernel& kernel, const Config& config) {
    KernelCounts counts;
    const KernelInfo& info = kernel.info();
    std::array<WarpInstruction, kFillCapacity> room;
    for (std::uint32_t cta = 0; cta < info.ctas; ++cta) {
        for (std::uint32_t warp = 0; warp < info.warps_per_cta; ++warp) {
            const std::unique_ptr<WarpProgram> program = kernel.program(CtaId(cta), warp);
            program->place({0, 1});
            for (bool ended = false; !ended;) {
                const InstructionBatch batch = program->next(room.data());
                for (std::size_t i = 0; i < batch.count; ++i) {
                    add(counts, batch.begin[i], config);
                    ended = ended || batch.begin[i].opcode() == Opcode::kExit;
                }
            }
        }
    }
    return counts;
}

std::vector<float> naive_product(const Workload& workload) {
    const ProductShape& shape = workload.product();
    const std::unique_ptr<Operands> operands = workload.operands();
    std::vector<std::vector<HalfBits>> columns(shape.n, std::vector<HalfBits>(shape.k));
    for (std::uint64_t column = 0; column < shape.n; ++column) {
        operands->b_column(column, columns[column].data());
    }
    std::vector<float> product;
    std::vector<HalfBits> row(shape.k);
    for (std::uint64_t i = 0; i < shape.m; ++i) {
        operands->a_row(i, row.data());
        for (const std::vector<HalfBits>& column : columns) {
            double sum = 0;
            for (std::uint64_t k = 0; k < shape.k; ++k) {
                sum += double{half_to_float(row[k])} * double{half_to_float(column[k])};
            }
            product.push_back(static_cast<float>(sum));
        }
    }
    return product;
}

}  // namespace tessera::testbench
