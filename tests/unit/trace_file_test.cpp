// Does the reader return the contents of a trace's text?
#include "sc_models/trace/trace_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/trace_text.h"

namespace tessera {
namespace {

using test::Executed;
using test::executed;
using test::one_warp_trace;
using test::trace_block_text;
using test::trace_header_text;
using test::trace_of_text;
using test::trace_warp_text;

const std::string kTraces = std::string(TESSERA_SOURCE_DIR) + "/tests/golden/traces/";

/// The first instruction of a kernel of one warp.
Executed only_line(const std::string& line) {
    TraceFile file = trace_of_text(one_warp_trace({line}));
    return executed(file).at(0);
}

TEST(TraceFile, HeaderOfFmt) {
    const TraceFile file(kTraces + "fmt/kernel-1.traceg");
    const TraceHeader& h = file.header();
    EXPECT_EQ(h.name, "fmt_test");
    EXPECT_EQ(h.id, 1);
    EXPECT_EQ(h.grid, (Dim3{1, 1, 1}));
    EXPECT_EQ(h.block, (Dim3{64, 1, 1}));
    EXPECT_EQ(h.shared_memory_bytes, 4096);
    EXPECT_EQ(h.registers, 64);
    EXPECT_EQ(h.binary_version, 70);
    EXPECT_EQ(h.stream, 0);
    EXPECT_EQ(h.shared_base, 0x7f0000000000);
    EXPECT_EQ(h.local_base, 0x7f0010000000);
    EXPECT_EQ(h.tracer_version, 5);
    EXPECT_FALSE(h.line_info);
    EXPECT_EQ(h.warps_per_cta(), 2);
}

/// Also where lines are compared with those before, and where the two ends are mixed.
TEST(TraceFile, LinesMayEndInCarriageReturnAndNewline) {
    std::vector<std::string> lines;
    for (int i = 0; i < 3; ++i) {
        lines.push_back(fmt::format("0000 ffffffff 1 R8 LDG.E 1 R2 4 1 0x{:x} 4 0", 0x1000 + i));
        lines.emplace_back("0008 0000000f 1 R8 LDG.E 1 R2 4 2 0x1000 4 8 4 0");
    }
    const std::string text = one_warp_trace(lines);
    TraceFile file = trace_of_text(text);
    const std::vector<Executed> expected = executed(file);
    ASSERT_EQ(expected.size(), 7U);
    std::string all, every_second;
    int line = 0;
    for (const char c : text) {
        all += c == '\n' ? "\r\n" : std::string(1, c);
        every_second += c == '\n' && ++line % 2 == 0 ? "\r\n" : std::string(1, c);
    }
    for (const std::string& changed : {all, every_second}) {
        TraceFile other = trace_of_text(changed);
        EXPECT_EQ(other.header().name, "k");
        EXPECT_TRUE(executed(other) == expected);
    }
}

TEST(TraceFile, HeaderInAnotherOrderWithUnknownKeys) {
    TraceFile file = trace_of_text(
        "-enable lineinfo = 0\n\n-accelsim tracer version = 4\n-some new key = 7\n"
        "-local mem base_addr = 0x1\n-shmem base_addr = 0x2\n-cuda stream id = 94012345678901\n"
        "-binary version = 75\n-nregs = 255\n-shmem = 49152\n-block dim = (8,8,2)\n"
        "-grid dim = (3,2,1)\n-kernel id = 12\n-kernel name = void f<int>(a = b)\n#\n");
    EXPECT_EQ(file.header().name, "void f<int>(a = b)");
    EXPECT_EQ(file.header().stream, 94012345678901);
    EXPECT_EQ(file.header().grid, (Dim3{3, 2, 1}));
    EXPECT_EQ(file.header().warps_per_cta(), 4);
    EXPECT_EQ(file.header().local_base, 1);
}

TEST(TraceFile, EveryLineOfFmt) {
    TraceFile file(kTraces + "fmt/kernel-1.traceg");
    ThreadBlock block;
    ASSERT_TRUE(file.next_thread_block(block));
    ASSERT_EQ(block.warps(), 2);
    EXPECT_EQ(block.instructions(), 30);
    const std::vector<Executed> warp = executed(block.warp(0));
    ASSERT_EQ(warp.size(), 15);
    EXPECT_EQ(block.warp(0).instructions(), 15);
    EXPECT_TRUE(warp == executed(block.warp(1)));

    for (std::size_t i = 0; i < warp.size(); ++i) {
        EXPECT_EQ(warp[i].what.pc, 16 * i);
        EXPECT_EQ(warp[i].what.index, i);
    }
    const std::vector<std::string> mnemonics = {"MOV",
                                                "IMAD",
                                                "HMMA.884.F32.F32.STEP1",
                                                "ISETP.GE.AND",
                                                "BRA",
                                                "LDG.E.SYS",
                                                "STG.E.128.SYS",
                                                "LDS.U.32",
                                                "STS.128",
                                                "BAR.SYNC",
                                                "LDG.E.64.SYS",
                                                "MUFU.RCP",
                                                "FFMA",
                                                "RED.E.ADD.STRONG.GPU",
                                                "EXIT"};
    for (std::size_t i = 0; i < warp.size(); ++i) EXPECT_EQ(warp[i].mnemonic, mnemonics[i]);

    const StaticInstruction& hmma = warp[2].what;
    EXPECT_EQ(hmma.destinations, 1);
    EXPECT_EQ(hmma.destination, 74);
    ASSERT_EQ(hmma.sources, 3);
    EXPECT_EQ(hmma.source, (std::array<std::uint8_t, 4>{28, 44, 74, 0}));
    EXPECT_EQ(hmma.memory_width, 0);
    EXPECT_EQ(warp[2].active_mask, 0xffffffff);
    EXPECT_EQ(warp[2].pattern_mask, 0);
    EXPECT_EQ(warp[3].what.destinations, 0);
    EXPECT_EQ(warp[12].what.source[2], 255) << "RZ is kept";

    LaneAddresses lone{};
    lone[0] = 0x7f4000000000;
    EXPECT_EQ(warp[5].addresses, lone);
    EXPECT_EQ(warp[5].active_mask, 1);
    EXPECT_EQ(warp[5].what.memory_width, 4);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(warp[6].addresses[lane], 0x7f2010000000 + Address{16} * lane);
        EXPECT_EQ(warp[7].addresses[lane], 0x7f0000000000 + Address{4} * lane);
    }
    EXPECT_EQ(warp[6].what.access_bytes(), 16);
    LaneAddresses deltas{};
    deltas[0] = 0x7f2010000000;
    deltas[1] = deltas[0] + 32;
    deltas[2] = deltas[0] + 64;
    deltas[3] = deltas[0];
    EXPECT_EQ(warp[10].addresses, deltas);
    EXPECT_EQ(warp[10].pattern_mask, 0xf);
    EXPECT_TRUE(warp[13].what.mnemonic->bypasses_l1);
    EXPECT_FALSE(file.next_thread_block(block));
    EXPECT_FALSE(file.next_thread_block(block)) << "and again";
}

TEST(TraceFile, XzGivesTheSame) {
    TraceFile plain(kTraces + "fmt/kernel-1.traceg");
    TraceFile compressed(kTraces + "fmt/kernel-1.traceg.xz");
    EXPECT_TRUE(executed(plain) == executed(compressed));
}

TEST(TraceFile, TheThreeAddressModesAgree) {
    const std::string head = "0000 00000f00 1 R2 LDG.E.64 1 R2 8 ";
    TraceFile file = trace_of_text(one_warp_trace({
        head + "0 0x1000 0x1040 0x1080 0x10c0 0",
        head + "1 0x1000 64 0",
        head + "2 0x1000 64 64 64 0",
        head + "2 0x1000 64 64 64 0 0",  // a delta for each active lane
        head + "2 0xf000 64 64 64 0",    // elsewhere
        head + "0 0x00002000 0x2040 0x2080 0x20C0 0",
    }));
    const std::vector<Executed> all = executed(file);
    for (int i = 1; i < 4; ++i) EXPECT_TRUE(all[0] == all[i]) << i;
    LaneAddresses expected{};
    for (std::uint32_t lane = 8; lane < 12; ++lane) expected[lane] = 0x1000 + 64 * (lane - 8);
    EXPECT_EQ(all[0].addresses, expected);
    EXPECT_EQ(all[4].addresses[9], 0xf040);
    EXPECT_EQ(all[5].addresses[11], 0x20c0);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(all[i].pattern_index, 0) << "one pattern for all";
    EXPECT_EQ(file.table().patterns(), 1);
}

TEST(TraceFile, AddressesMayDescend) {
    const Executed strided = only_line("0000 00000007 0 STG.E 2 R2 R4 4 1 0x1000 -16 0");
    EXPECT_EQ(strided.addresses[2], 0x1000 - 32);
    const Executed deltas = only_line("0000 80000003 0 STG.E 2 R2 R4 4 2 0x1000 -4096 4100 0");
    EXPECT_EQ(deltas.addresses[1], 0);
    EXPECT_EQ(deltas.addresses[31], 4100);
    const Executed listed = only_line("0000 00000003 0 STG.E 2 R2 R4 4 0 0x7f0000000000 0x0 0");
    EXPECT_EQ(listed.addresses[0], 0x7f0000000000);
    EXPECT_EQ(listed.addresses[1], 0);
}

TEST(TraceFile, ALineOfWhichOnlyTheBaseDiffersIsNotTakenBeyondMemory) {
    TraceFile file = trace_of_text(one_warp_trace({
        "0000 00000003 0 STG.E 2 R2 R4 4 1 0x1000 -16 0",
        "0000 00000003 0 STG.E 2 R2 R4 4 1 0x8 -16 0",
    }));
    ThreadBlock block;
    EXPECT_THROW((void)file.next_thread_block(block), ConfigError);
}

TEST(TraceFile, InstructionsWithoutActiveLanes) {
    for (const char* columns : {"0 ", "1 0x0 0 ", "2 0x0 "}) {
        const Executed e =
            only_line("0000 00000000 1 R2 LDG.E 1 R2 4 " + std::string(columns) + "0");
        EXPECT_EQ(e.pattern_mask, 0) << columns;
        EXPECT_EQ(e.addresses, LaneAddresses{}) << columns;
        EXPECT_EQ(e.what.memory_width, 4) << columns;
    }
}

TEST(TraceFile, ImmediateOfDepbar) {
    EXPECT_EQ(only_line("0000 ffffffff 0 DEPBAR.LE 0 0 3").what.immediate, 3);
    EXPECT_EQ(only_line("0000 ffffffff 0 DEPBAR.LE 0 0 -1 ").what.immediate, -1);
}

TEST(TraceFile, LineInfoColumn) {
    std::string text = one_warp_trace({});
    text.replace(text.find("lineinfo = 0"), 12, "lineinfo = 1");
    text.replace(text.find("insts = 1"), 9, "insts = 2");
    text.replace(text.find(test::kExitLine), test::kExitLine.size(),
                 "42 0000 ffffffff 1 R1 MOV 0 0 0\n43 0010 ffffffff 0 EXIT 0 0 0\n");
    TraceFile file = trace_of_text(text);
    const std::vector<Executed> all = executed(file);
    EXPECT_EQ(all.at(0).what.source_line, 42);
    EXPECT_EQ(all.at(0).what.pc, 0);
    EXPECT_EQ(all.at(1).what.source_line, 43);
}

TEST(TraceFile, CtaColumnsOfOldTracers) {
    std::string text = trace_header_text("(64,1,1)", "(2,1,1)");
    text.replace(text.find("tracer version = 5"), 18, "tracer version = 2");
    text += "#\n";
    for (const std::string cta : {"0", "1"}) {
        std::string warps;
        for (const int w : {1, 0}) {
            const std::string columns = fmt::format("{} 0 0 {} ", cta, w);
            warps += trace_warp_text(
                w, {fmt::format("{}0000 ffffffff 0 STG.E 2 R2 R4 4 1 0x{}000 4", columns, cta),
                    columns + " 0010 ffffffff 0 EXIT 0 0 "});
        }
        text += trace_block_text(cta + ",0,0", warps);
    }
    TraceFile file = trace_of_text(text);
    ThreadBlock block;
    ASSERT_TRUE(file.next_thread_block(block));
    ASSERT_TRUE(file.next_thread_block(block));
    EXPECT_EQ(block.index(), (Dim3{1, 0, 0}));
    const std::vector<Executed> warp = executed(block.warp(0));
    ASSERT_EQ(warp.size(), 2);
    EXPECT_EQ(warp[0].addresses[31], 0x1000 + 124);
    EXPECT_EQ(warp[1].mnemonic, "EXIT");
    EXPECT_EQ(file.table().instructions(), 2) << "columns are no part of the instruction";
}

TEST(TraceFile, BlankLinesAnywhere) {
    std::string spread;
    for (const char c : one_warp_trace({"0000 ffffffff 1 R1 MOV 0 0 0"})) {
        spread += c;
        if (c == '\n') spread += " \t\n\n";
    }
    TraceFile file = trace_of_text(spread);
    EXPECT_EQ(executed(file).size(), 2);
}

TEST(TraceFile, BlocksOutliveTheFile) {
    ThreadBlock block;
    {
        TraceFile file(kTraces + "tiny/kernel-1.traceg.xz");
        ASSERT_TRUE(file.next_thread_block(block));
    }
    const ThreadBlock moved = std::move(block);
    EXPECT_EQ(executed(moved.warp(7)).back().mnemonic, "EXIT");
}

TEST(TraceFile, GemmIsPackedTightly) {
    TraceFile file(kTraces + "gemm_1024x64x576/kernel-1.traceg.xz");
    std::uint64_t instructions = 0;
    std::uint64_t loads = 0;
    std::size_t bytes = 0;
    std::vector<ThreadBlock> resident;
    for (ThreadBlock block; file.next_thread_block(block); resident.push_back(std::move(block))) {
        instructions += block.instructions();
        bytes += block.memory_bytes();
        for (std::uint32_t w = 0; w < block.warps(); ++w) {
            WarpTrace::Cursor cursor = block.warp(w).cursor();
            for (TraceInstruction i; cursor.next(i);) {
                loads += i.what->op_class() == SassClass::kLoad ? 1 : 0;
            }
        }
    }
    EXPECT_EQ(resident.size(), 8);
    EXPECT_EQ(instructions, 185152);
    EXPECT_EQ(loads, 8 * 8 * 36 * 8);
    EXPECT_LT(bytes, 2 * instructions);
    EXPECT_EQ(file.table().patterns(), 3) << "rows of A, columns of B, stores of C";
    EXPECT_EQ(file.table().instructions(), 128);
    EXPECT_LT(file.table().memory_bytes(), 100000);
}

TEST(TraceFile, SeveralKernelsOfMicrobench) {
    for (int k = 1; k <= 22; ++k) {
        TraceFile file(kTraces + "microbench/kernel-" + std::to_string(k) + ".traceg.xz");
        EXPECT_EQ(executed(file).back().mnemonic, "EXIT") << k;
    }
}

/// A gather whose lanes go somewhere else every time.
std::string gather(std::uint64_t n) {
    std::string line = "0000 ffffffff 1 R2 LDG.E 1 R2 4 2 0x100000000 ";
    for (std::uint64_t lane = 1; lane < 32; ++lane) {
        line += std::to_string((n * 7919 + lane * lane * 104729) % 1000003) + " ";
    }
    return line + "0";
}

TEST(TraceFile, PatternsThatNeverRepeatDoNotFillMemory) {
    const std::size_t lines = InstructionTable::kMostPatterns + 500;
    std::vector<std::string> text;
    for (std::size_t n = 0; n < lines; ++n) text.push_back(gather(n));
    text.push_back(gather(0));          // shared
    text.push_back(gather(lines - 1));  // not shared
    TraceFile file = trace_of_text(one_warp_trace(text));
    ThreadBlock block;
    ASSERT_TRUE(file.next_thread_block(block));
    EXPECT_EQ(file.table().patterns(), InstructionTable::kMostPatterns);
    const std::vector<Executed> all = executed(block.warp(0));
    ASSERT_EQ(all.size(), lines + 3);
    for (const std::size_t n : {std::size_t{0}, lines - 501, lines - 500, lines - 1}) {
        EXPECT_TRUE(all[n] == only_line(gather(n))) << n;
    }
    EXPECT_EQ(all[lines].pattern_index, 0);
    EXPECT_EQ(all[lines - 1].pattern_index, LanePattern::kUnshared);
    EXPECT_TRUE(all[lines - 1] == all[lines + 1]);
    EXPECT_EQ(all.back().mnemonic, "EXIT");
}

TEST(TraceFile, MasksThatNeverRepeatDoNotFillMemory) {
    const std::size_t lines = InstructionTable::kMostVariants + 500;
    std::vector<std::string> text;
    for (std::size_t n = 0; n < lines; ++n) {
        std::string mask = "00000000";
        for (std::size_t i = 0, rest = n + 1; i < 8; ++i, rest >>= 4) {
            mask[7 - i] = "0123456789abcdef"[rest & 15];
        }
        text.push_back("0000 " + mask + " 1 R2 MOV 0 0 0");
    }
    TraceFile file = trace_of_text(one_warp_trace(text));
    const std::vector<Executed> all = executed(file);
    ASSERT_EQ(all.size(), lines + 1);
    for (std::size_t n = 0; n < lines; ++n) ASSERT_EQ(all[n].active_mask, n + 1);
    EXPECT_EQ(file.table().instructions(), 2);
}

}  // namespace
}  // namespace tessera
