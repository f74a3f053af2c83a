#include "sc_models/isa/disassembly.h"

#include <fmt/format.h>

namespace tessera {
namespace {

std::string memory_operand(const WarpInstruction& i) {
    if (i.rows <= 1) return fmt::format("[{:#x}]", i.address);
    return fmt::format("[{:#x}], {}", i.address, i.row_pitch_bytes);
}

/// Bytes that a warp moves; for per-lane addresses, the bytes of the touched sectors.
std::string width(const WarpInstruction& i) {
    if (i.has_lanes()) return fmt::format("{} B", i.lanes().bytes);
    return fmt::format("{} B", std::uint32_t{i.rows} * i.row_bytes);
}

}  // namespace

std::string disassemble(const WarpInstruction& i) {
    const bool accumulator = i.role == FragmentRole::kAccumulator;
    switch (i.opcode) {
        case Opcode::kAlu:
            return fmt::format("alu x{}{}", i.count,
                               i.zero_fill > 0 ? fmt::format("  // %r{} = 0", i.dst) : "");
        case Opcode::kLoadFragment:
            return fmt::format("wmma.load.{}.m16n16k16 %r{}, {}",
                               i.role == FragmentRole::kA ? 'a' : 'b', i.dst, memory_operand(i));
        case Opcode::kMma:
            if (i.is_structured()) {
                return fmt::format(
                    "mma.sp.sync.m16n16k32.f32.f16 %r{0}, {{%r{1}, %r{2}}}, %r{3}, %r{0}, %r{4}+{5}"
                    "  // two of 16x8x32",
                    i.dst, i.src_a, i.src_d, i.src_b, i.src_c, i.register_offset_bytes);
            }
            return fmt::format("{4} %r{0}, %r{1}, %r{2}, %r{0}{3}", i.dst, i.src_a, i.src_b,
                               i.has_single_copies() ? "  // two of 16x8x16" : "",
                               i.has_single_copies() ? "mma.sync.m16n16k16.f32.f16"
                                                     : "wmma.mma.m16n16k16.f32.f32");
        case Opcode::kLoadGlobal:
            return fmt::format(
                "ld.global %r{}{}, {}  // {}{}", i.dst,
                i.register_offset_bytes > 0 ? fmt::format("+{}", i.register_offset_bytes) : "",
                memory_operand(i), width(i), i.zero_fill > 0 ? ", rest zero" : "");
        case Opcode::kStoreGlobal:
            return fmt::format("st.global {}, %r{}  // {}", memory_operand(i), i.src_a, width(i));
        case Opcode::kLoadShared:
            return fmt::format("{} %r{}, {}  // {}{}",
                               accumulator ? "wmma.load.c.shared" : "ld.shared", i.dst,
                               memory_operand(i), width(i), i.transposed() ? ", transposed" : "");
        case Opcode::kLoadPieces:
            return fmt::format("ld.shared %r{}, [{:#x}]  // {} B, of its 16-byte pieces {:#x}{}",
                               i.dst, i.address, i.row_bytes, i.piece_mask(),
                               i.register_pitch_bytes > 0 ? ", packed" : "");
        case Opcode::kLoadGathered:
            return fmt::format("ld.shared %r{}, [{:#x}]  // {} B, gathered", i.dst, i.address,
                               i.row_bytes);
        case Opcode::kFloats:
            return fmt::format("{} x{} %r{}, %r{}", name_of(i.float_operation()), i.count, i.dst,
                               i.src_a);
        case Opcode::kLoadMatrix:
            return fmt::format("ldmatrix.x{}{} %r{}, {}  // {}",
                               ceil_div(bytes_of(i), kWarpRegisterBytes),
                               i.transposed() ? ".trans" : "", i.dst, memory_operand(i), width(i));
        case Opcode::kCopyAsync:
            return fmt::format("cp.async{} [{:#x}], {}  // {}", i.bypass_l1 ? ".cg" : ".ca",
                               i.shared_address(), memory_operand(i), width(i));
        case Opcode::kCommitCopies:
            return "cp.async.commit_group";
        case Opcode::kWaitCopies:
            return fmt::format("cp.async.wait_group {}", i.count);
        case Opcode::kWarpgroupMma: {
            const WarpgroupSources from = i.warpgroup();
            return fmt::format("wgmma.mma_async.m64n{} %r{}, [{:#x}], [{:#x}]{}  // {}", i.rows,
                               i.dst, from.first, from.second, from.from_zero ? ", 0" : "",
                               text_of(i.warpgroup_shape()).mnemonic);
        }
        case Opcode::kCommitProducts:
            return "wgmma.commit_group";
        case Opcode::kWaitProducts:
            return fmt::format("wgmma.wait_group {}", i.count);
        case Opcode::kBulkCopy:
            return fmt::format(
                "cp.async.bulk.tensor [{:#x}], {}, mbarrier {}  // {}{}", i.shared_address(),
                memory_operand(i), i.count, width(i),
                i.fetched_half() == WarpInstruction::BoxHalf::kBoth ? "" : ", half by multicast");
        case Opcode::kArrive:
            return fmt::format(
                "mbarrier.arrive{} {}",
                i.expected_bytes() > 0 ? fmt::format(".expect_tx.{}", i.expected_bytes()) : "",
                i.count);
        case Opcode::kAwaitPhase:
            return fmt::format("mbarrier.try_wait {}, phase {}", i.count, i.phase());
        case Opcode::kStoreShared:
            return fmt::format("{} {}, %r{}  // {}",
                               accumulator ? "wmma.store.d.shared" : "st.shared", memory_operand(i),
                               i.src_a, width(i));
        case Opcode::kBarrier:
            return fmt::format("bar.sync {}", i.count);
        case Opcode::kExit:
            return "exit";
        case Opcode::kOperation:
            return fmt::format(
                "{}{} %r{}{}", name_of(i.operation),
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
                               i.dst, i.src_a, i.src_b, i.address >> 32U, i.address & 0xffffffffU);
        case Opcode::kSparseFlush:
            return fmt::format("spwmma.flush %r{}", i.dst);
    }
    return "?";
}

}  // namespace tessera
