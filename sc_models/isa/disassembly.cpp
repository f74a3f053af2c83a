#include "sc_models/isa/disassembly.h"

#include <fmt/format.h>

namespace tessera {
namespace {

std::string memory_operand(const WarpInstruction& i) {
    const MemoryAccess& memory = i.memory();
    if (memory.rows <= 1) return fmt::format("[{:#x}]", memory.address);
    return fmt::format("[{:#x}], {}", memory.address, memory.row_pitch_bytes);
}

/// Bytes that a warp moves; for per-lane addresses, the bytes of the touched sectors.
std::string width(const WarpInstruction& i) {
    return fmt::format("{} B", bytes_of(i));
}

}  // namespace

std::string disassemble(const WarpInstruction& i) {
    const bool accumulator = i.role() == FragmentRole::kAccumulator;
    switch (i.opcode()) {
        case Opcode::kAlu:
            return fmt::format("alu x{}{}", i.count,
                               i.moves().zero_fill > 0 ? fmt::format("  // %r{} = 0", i.dst) : "");
        case Opcode::kLoadFragment:
            return fmt::format("wmma.load.{}.m16n16k16 %r{}, {}",
                               i.role() == FragmentRole::kA ? 'a' : 'b', i.dst, memory_operand(i));
        case Opcode::kMma:
            if (i.is_structured()) {
                return fmt::format(
                    "mma.sp.sync.m16n16k32.f32.f16 %r{0}, {{%r{1}, %r{2}}}, %r{3}, %r{0}, %r{4}+{5}"
                    "  // two of 16x8x32",
                    i.dst, i.src_a, i.src_d, i.src_b, i.src_c, i.mma().metadata_offset_bytes);
            }
            if (i.fragment_product() == FragmentProduct::kInteger) {
                return fmt::format(
                    "mma.sync.m16n16k32.s32.{3}s8 %r{0}, %r{1}, %r{2}, %r{0}  // two of 16x8x32",
                    i.dst, i.src_a, i.src_b, i.mma().operands == OperandType::kUint8 ? "u8." : "");
            }
            if (i.mma().operands == OperandType::kTf32) {
                return fmt::format(
                    "mma.sync.m16n16k8.f32.tf32 %r{0}, %r{1}, %r{2}, %r{0}  // two of 16x8x8",
                    i.dst, i.src_a, i.src_b);
            }
            return fmt::format("{4} %r{0}, %r{1}, %r{2}, %r{0}{3}", i.dst, i.src_a, i.src_b,
                               i.mma().single_copies ? "  // two of 16x8x16" : "",
                               i.mma().operands == OperandType::kBf16
                                   ? "mma.sync.m16n16k16.f32.bf16"
                               : i.mma().single_copies ? "mma.sync.m16n16k16.f32.f16"
                                                       : "wmma.mma.m16n16k16.f32.f32");
        case Opcode::kLoadGlobal:
            return fmt::format(
                "ld.global %r{}{}, {}  // {}{}", i.dst,
                i.registers().offset_bytes > 0 ? fmt::format("+{}", i.registers().offset_bytes)
                                               : "",
                memory_operand(i), width(i), i.registers().zero_fill > 0 ? ", rest zero" : "");
        case Opcode::kStoreGlobal:
            return fmt::format("st.global {}, %r{}  // {}", memory_operand(i), i.src_a, width(i));
        case Opcode::kLoadShared:
            return fmt::format(
                "{} %r{}, {}  // {}{}", accumulator ? "wmma.load.c.shared" : "ld.shared", i.dst,
                memory_operand(i), width(i), i.registers().transposed ? ", transposed" : "");
        case Opcode::kLoadPieces:
            return fmt::format("ld.shared %r{}, [{:#x}]  // {} B, of its 16-byte pieces {:#x}{}",
                               i.dst, i.pieces().address, i.pieces().row_bytes, i.pieces().mask,
                               i.registers().pitch_bytes > 0 ? ", packed" : "");
        case Opcode::kLoadGathered:
            return fmt::format("ld.shared %r{}, [{:#x}]  // {} B, gathered", i.dst,
                               i.pieces().address, i.pieces().row_bytes);
        case Opcode::kFloats:
            return fmt::format("{} x{} %r{}, %r{}",
                               name_of(i.floats().operation, i.floats().format), i.count, i.dst,
                               i.src_a);
        case Opcode::kLoadMatrix:
            return fmt::format(
                "ldmatrix.x{}{} %r{}, {}  // {}", ceil_div(bytes_of(i), kWarpRegisterBytes),
                i.registers().transposed ? ".trans" : "", i.dst, memory_operand(i), width(i));
        case Opcode::kCopyAsync:
            return fmt::format("cp.async{} [{:#x}], {}  // {}", i.bypasses_l1() ? ".cg" : ".ca",
                               i.shared().address, memory_operand(i), width(i));
        case Opcode::kCommitCopies:
            return "cp.async.commit_group";
        case Opcode::kWaitCopies:
            return fmt::format("cp.async.wait_group {}", i.groups_left());
        case Opcode::kWarpgroupMma: {
            const WarpgroupProduct& product = i.warpgroup();
            const WarpgroupSources& from = product.sources;
            const std::string first = i.src_a == kNoRegister ? fmt::format("[{:#x}]", from.first)
                                                             : fmt::format("%r{}", i.src_a);
            return fmt::format("wgmma.mma_async.m64n{} %r{}, {}, [{:#x}]{}  // {}", product.columns,
                               i.dst, first, from.second, from.from_zero ? ", 0" : "",
                               text_of(product.shape).mnemonic);
        }
        case Opcode::kCommitProducts:
            return "wgmma.commit_group";
        case Opcode::kWaitProducts:
            return fmt::format("wgmma.wait_group {}", i.groups_left());
        case Opcode::kBulkCopy:
            return fmt::format("cp.async.bulk.tensor [{:#x}], {}, mbarrier {}  // {}{}",
                               i.shared().address, memory_operand(i), i.shared().barrier, width(i),
                               i.shared().fetched == BoxRows::kAll ? "" : ", half by multicast");
        case Opcode::kArrive:
            return fmt::format("mbarrier.arrive{} {}",
                               i.arrival().expected_bytes > 0
                                   ? fmt::format(".expect_tx.{}", i.arrival().expected_bytes)
                                   : "",
                               i.arrival().barrier);
        case Opcode::kAwaitPhase:
            return fmt::format("mbarrier.try_wait {}, phase {}", i.wait().barrier, i.wait().phase);
        case Opcode::kStoreShared:
            return fmt::format("{} {}, %r{}  // {}",
                               accumulator ? "wmma.store.d.shared" : "st.shared", memory_operand(i),
                               i.src_a, width(i));
        case Opcode::kBarrier:
            return fmt::format("bar.sync {}", i.barrier());
        case Opcode::kExit:
            return "exit";
        case Opcode::kOperation:
            return fmt::format(
                "{}{} %r{}{}", name_of(i.operation()),
                i.count > 1 ? fmt::format(" x{}", i.count) : "", i.dst,
                i.hmma_steps() > 1 ? fmt::format("  // as long as {} steps", i.hmma_steps()) : "");
        case Opcode::kAtomicGlobal:
            return fmt::format("atom.global %r{}, {}", i.dst, memory_operand(i));
        case Opcode::kFence:
            return "fence";
        case Opcode::kVectorOp:
            return fmt::format("vector_op {}  // alu x{}", memory_operand(i), i.count);
        case Opcode::kSparseMma:
            return fmt::format("spwmma.m32n32k16 %r{0}, %r{1}, %r{2}, %r{0}  // tiles {3}, {4}",
                               i.dst, i.src_a, i.src_b, i.spwmma().tile_a, i.spwmma().tile_b);
        case Opcode::kSparseFlush:
            return fmt::format("spwmma.flush %r{}", i.dst);
    }
    return "?";
}

}  // namespace tessera
