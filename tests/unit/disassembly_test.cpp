// Does every instruction print in the papers' mnemonics?
#include "sc_models/isa/disassembly.h"

#include <gtest/gtest.h>

#include "tests/support/script_kernel.h"

namespace tessera {
namespace {

using namespace test;

TEST(Disassembly, Computation) {
    EXPECT_EQ(disassemble(alu(12)), "alu x12");
    EXPECT_EQ(disassemble(mma(64, 0, 32)), "wmma.mma.m16n16k16.f32.f32 %r64, %r0, %r32, %r64");
    WarpInstruction several(Opcode::kOperation);
    several.set_operation(Operation::kFp32);
    several.dst = 4;
    EXPECT_EQ(disassemble(several), "fp32 %r4");
    several.count = 9;
    EXPECT_EQ(disassemble(several), "fp32 x9 %r4");
    EXPECT_EQ(disassemble(barrier()), "bar.sync 0");
    EXPECT_EQ(disassemble(barrier(3)), "bar.sync 3");
    WarpInstruction exit(Opcode::kExit);
    EXPECT_EQ(disassemble(exit), "exit");
}

TEST(Disassembly, Fragments) {
    EXPECT_EQ(disassemble(load_fragment(FragmentRole::kA, 8, 0x10c00000, 1152)),
              "wmma.load.a.m16n16k16 %r8, [0x10c00000], 1152");
    EXPECT_EQ(disassemble(load_fragment(FragmentRole::kB, 16, 0x20)),
              "wmma.load.b.m16n16k16 %r16, [0x20], 32");
}

TEST(Disassembly, AsynchronousCopies) {
    WarpInstruction w(Opcode::kCopyAsync);
    w.memory().set_rows(0x1000, 8, 64, 256);
    w.shared().set_rows(0x80, 64);
    w.shared().bypass_l1 = true;
    EXPECT_EQ(disassemble(w), "cp.async.cg [0x80], [0x1000], 256  // 512 B");
    LaneAccess lanes;
    lanes.bytes = 32;
    w.memory() = {0x1000, &lanes};
    w.shared().address = 0x180;
    EXPECT_EQ(disassemble(w), "cp.async.cg [0x180], [0x1000]  // 32 B");
    EXPECT_EQ(disassemble(WarpInstruction(Opcode::kCommitCopies)), "cp.async.commit_group");
    w = WarpInstruction(Opcode::kWaitCopies);
    w.set_groups_left(2);
    EXPECT_EQ(disassemble(w), "cp.async.wait_group 2");
    w = access(Opcode::kLoadMatrix, 4, 0x40, 16, 32, 64);
    EXPECT_EQ(disassemble(w), "ldmatrix.x4 %r4, [0x40], 64  // 512 B");
    w.registers().transposed = true;
    EXPECT_EQ(disassemble(w), "ldmatrix.x4.trans %r4, [0x40], 64  // 512 B");
    w = mma(64, 0, 4);
    w.mma().single_copies = true;
    EXPECT_EQ(disassemble(w), "mma.sync.m16n16k16.f32.f16 %r64, %r0, %r4, %r64  // two of 16x8x16");
    w.set_structured(40, 64, 8);
    EXPECT_EQ(disassemble(w),
              "mma.sp.sync.m16n16k32.f32.f16 %r64, {%r0, %r8}, %r4, %r64, %r40+64"
              "  // two of 16x8x32");
    w = access(Opcode::kLoadMatrix, 4, 0x40, 8, 32, 32);
    EXPECT_EQ(disassemble(w), "ldmatrix.x2 %r4, [0x40], 32  // 256 B");
}

TEST(Disassembly, Warpgroups) {
    WarpInstruction w(Opcode::kWarpgroupMma);
    w.dst = 8;
    w.warpgroup() = {{0x400, 0x8000, 128, 256, false, true, true}, 128, MmaShape::kHgmma16};
    EXPECT_EQ(disassemble(w),
              "wgmma.mma_async.m64n128 %r8, [0x400], [0x8000], 0  // HGMMA.64xNx16.F32");
    w.src_a = 40;
    EXPECT_EQ(disassemble(w),
              "wgmma.mma_async.m64n128 %r8, %r40, [0x8000], 0  // HGMMA.64xNx16.F32");
    EXPECT_EQ(disassemble(WarpInstruction(Opcode::kCommitProducts)), "wgmma.commit_group");
    w = WarpInstruction(Opcode::kWaitProducts);
    w.set_groups_left(1);
    EXPECT_EQ(disassemble(w), "wgmma.wait_group 1");
    w = access(Opcode::kBulkCopy, 8, 0x1000, 64, 128, 512);
    w.shared().set_rows(0x80, 128);
    w.shared().barrier = 3;
    EXPECT_EQ(disassemble(w), "cp.async.bulk.tensor [0x80], [0x1000], 512, mbarrier 3  // 8192 B");
    w = WarpInstruction(Opcode::kArrive);
    w.arrival().barrier = 2;
    EXPECT_EQ(disassemble(w), "mbarrier.arrive 2");
    w.arrival().expected_bytes = 8192;
    EXPECT_EQ(disassemble(w), "mbarrier.arrive.expect_tx.8192 2");
    w = WarpInstruction(Opcode::kAwaitPhase);
    w.wait() = {2, 5};
    EXPECT_EQ(disassemble(w), "mbarrier.try_wait 2, phase 5");
}

TEST(Disassembly, GlobalMemory) {
    EXPECT_EQ(disassemble(load(4, 0x1000, 512)), "ld.global %r4, [0x1000]  // 512 B");
    EXPECT_EQ(disassemble(store(4, 0x1000, 64)), "st.global [0x1000], %r4  // 64 B");
    WarpInstruction pieces = access(Opcode::kLoadGlobal, 4, 0x1000, 2, 96, 256);
    pieces.registers().offset_bytes = 32;
    pieces.registers().zero_fill = kAccessRegisters;
    EXPECT_EQ(disassemble(pieces), "ld.global %r4+32, [0x1000], 256  // 192 B, rest zero");
}

TEST(Disassembly, SharedMemory) {
    WarpInstruction w = access(Opcode::kLoadShared, 4, 0x40, 2, 256, 512);
    EXPECT_EQ(disassemble(w), "ld.shared %r4, [0x40], 512  // 512 B");
    w.registers().role = FragmentRole::kAccumulator;
    EXPECT_EQ(disassemble(w), "wmma.load.c.shared %r4, [0x40], 512  // 512 B");
    w = access(Opcode::kStoreShared, 4, 0x40, 2, 256, 512);
    EXPECT_EQ(disassemble(w), "st.shared [0x40], 512, %r4  // 512 B");
    w.registers().role = FragmentRole::kAccumulator;
    EXPECT_EQ(disassemble(w), "wmma.store.d.shared [0x40], 512, %r4  // 512 B");
    w = WarpInstruction(Opcode::kLoadPieces);
    w.dst = 4;
    w.pieces() = {0x40, nullptr, 0xf00f, 256};
    EXPECT_EQ(disassemble(w), "ld.shared %r4, [0x40]  // 256 B, of its 16-byte pieces 0xf00f");
    w.registers().pitch_bytes = kPieceBytes;
    EXPECT_EQ(disassemble(w),
              "ld.shared %r4, [0x40]  // 256 B, of its 16-byte pieces 0xf00f, packed");
    w = WarpInstruction(Opcode::kLoadGathered);
    w.dst = 4;
    w.pieces() = {0x40, nullptr, 0xf00f, 256};
    EXPECT_EQ(disassemble(w), "ld.shared %r4, [0x40]  // 256 B, gathered");
    w = access(Opcode::kLoadShared, 4, 0x40, 16, 32, 288);
    w.registers().role = FragmentRole::kA;
    w.registers().transposed = true;
    EXPECT_EQ(disassemble(w), "ld.shared %r4, [0x40], 288  // 512 B, transposed");
    w = WarpInstruction(Opcode::kFloats);
    w.floats().operation = FloatOperation::kRound;
    w.count = 8;
    w.dst = 4;
    w.src_a = 8;
    EXPECT_EQ(disassemble(w), "f2f.f16 x8 %r4, %r8");
    w = {};
    w.dst = 4;
    w.count = w.moves().zero_fill = 2;
    EXPECT_EQ(disassemble(w), "alu x2  // %r4 = 0");
}

}  // namespace
}  // namespace tessera
