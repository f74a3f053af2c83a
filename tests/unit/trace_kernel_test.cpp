// Does a traced instruction become what the machine should execute, and does a long trace stay
// out of memory?
#include "sc_models/trace/trace_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <random>

#include "sc_models/common/error.h"
#include "sc_models/trace/trace_writer.h"
#include "tests/support/trace_text.h"

namespace tessera {
namespace {

using test::one_warp_trace;
using testing::HasSubstr;
namespace fs = std::filesystem;

class TraceKernelTest : public testing::Test {
protected:
    void SetUp() override { fs::create_directory(folder); }
    void TearDown() override { fs::remove_all(folder); }

    [[nodiscard]] std::string path() const { return (folder / "kernel-1.traceg").string(); }
    TraceKernel kernel_of(const std::string& text) const {
        std::ofstream(path()) << text;
        return {path(), {}, 1};
    }
    /// Runs all of warp `warp` of the first CTA.
    static std::vector<WarpInstruction> executed(WarpProgram& program) {
        std::vector<WarpInstruction> all;
        std::array<WarpInstruction, kFillCapacity> batch;
        while (const std::size_t count = program.fill(batch.data(), batch.size())) {
            all.insert(all.end(), batch.begin(), batch.begin() + static_cast<long>(count));
        }
        return all;
    }
    /// The warp instruction that one line of a trace is converted to.
    WarpInstruction converted(const std::string& line) {
        const TraceKernel kernel = kernel_of(one_warp_trace({line}));
        programs.push_back(kernel.program(CtaId(0), 0));
        const std::vector<WarpInstruction> all = executed(*programs.back());
        EXPECT_EQ(all.size(), 2U) << line;
        EXPECT_EQ(all.back().opcode(), Opcode::kExit);
        return all.front();
    }

    std::vector<std::unique_ptr<WarpProgram>> programs;  ///< they own what `lanes` points to
    const fs::path folder =
        fs::path(testing::TempDir()) / ("tessera_trace_kernel_" + std::to_string(getpid()));
};

/// From tracer 6 on; an older one has a line for either side of an LDGSTS.
TEST_F(TraceKernelTest, AsynchronousCopiesOfTracer6) {
    const auto instructions = [&](const std::string& tracer, const std::string& binary) {
        const std::string end = tracer == "6" ? " NoVal" : "";
        std::string text = one_warp_trace(
            {"0000 ffffffff 0 LDGSTS.E.BYPASS.128 2 R1 R2 16 1 0x1000010000 16 0" + end,
             "0010 0000000f 0 LDGSTS.E 2 R1 R2 4 1 0x1000020004 4 0" + end,
             "0020 ffffffff 0 LDGDEPBAR 0 0 0" + end, "0030 ffffffff 0 DEPBAR.LE 0 0 2" + end,
             "0040 ffffffff 1 R4 IADD3 2 R240 R5 0 0" + end});
        text.replace(text.find("EXIT 0 0 0") + 10, 0, end);
        text.replace(text.find("tracer version = 5") + 17, 1, tracer);
        text.replace(text.find("binary version = 70") + 17, 2, binary);
        std::ofstream(path()) << text;
        const TraceKernel kernel(path(), {}, 1);
        EXPECT_EQ(kernel.info().copies_in_flight > 0, tracer == "6" && binary == "80");
        EXPECT_LE(kernel.info().scoreboard_registers + kernel.info().copies_in_flight, 255U);
        programs.push_back(kernel.program(CtaId(0), 0));
        return executed(*programs.back());
    };
    const std::vector<WarpInstruction> all = instructions("6", "80");
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(all[0].opcode(), Opcode::kCopyAsync);
    EXPECT_TRUE(all[0].bypasses_l1());
    ASSERT_TRUE(all[0].has_lanes());
    EXPECT_EQ(all[0].lanes().bytes, 512U);
    EXPECT_EQ(all[0].lanes().wavefronts, 4U);
    EXPECT_EQ(all[1].opcode(), Opcode::kCopyAsync);
    EXPECT_FALSE(all[1].bypasses_l1());
    EXPECT_EQ(all[1].lanes().wavefronts, 1U);
    EXPECT_EQ(all[2].opcode(), Opcode::kCommitCopies);
    EXPECT_EQ(all[3].opcode(), Opcode::kWaitCopies);
    EXPECT_EQ(all[3].groups_left(), 2);
    EXPECT_EQ(all[4].src_a, kNoRegister) << "its place in the scoreboard is a copy's";
    EXPECT_EQ(all[4].src_b, 5);
    for (const auto& [tracer, binary] : {std::pair("5", "80"), std::pair("6", "75")}) {
        const std::vector<WarpInstruction> older = instructions(tracer, binary);
        EXPECT_EQ(older[0].opcode(), Opcode::kLoadGlobal);
        EXPECT_EQ(older[2].opcode(), Opcode::kOperation);
        EXPECT_EQ(older[3].opcode(), Opcode::kOperation);
        EXPECT_EQ(older[4].src_a, 240);
    }
}

TEST_F(TraceKernelTest, HeaderBecomesTheLaunch) {
    std::string text =
        test::trace_header_text("(96,2,1)", "(3,2,1)") + std::string(test::kTraceFormatLine);
    const TraceKernel kernel = kernel_of(text);
    EXPECT_EQ(kernel.info().name, "1.k");
    EXPECT_EQ(kernel.info().ctas, 6U);
    EXPECT_EQ(kernel.info().warps_per_cta, 6U);
    EXPECT_EQ(kernel.info().registers_per_thread, 64U);
    EXPECT_EQ(kernel.info().scoreboard_registers, 255U) << "whatever the header says";
    EXPECT_EQ(kernel.info().sub_core_of_warp.size(), 6U);
}

TEST_F(TraceKernelTest, RegistersKeepTheirNumbers) {
    const WarpInstruction w = converted("0000 ffffffff 1 R7 IMAD 4 R1 R2 R3 R4 0 0");
    EXPECT_EQ(w.dst, 7);
    EXPECT_EQ(w.src_a, 1);
    EXPECT_EQ(w.src_b, 2);
    EXPECT_EQ(w.src_c, 3);
    EXPECT_EQ(w.src_d, 4);
    const WarpInstruction none = converted("0000 ffffffff 0 ISETP.GE.AND 1 R6 0 0");
    EXPECT_EQ(none.dst, kNoRegister);
    EXPECT_EQ(none.src_a, 6);
    EXPECT_EQ(none.src_b, kNoRegister);
    const WarpInstruction zero = converted("0000 ffffffff 1 R255 IADD3 1 R255 0 0");
    EXPECT_EQ(zero.dst, kNoRegister) << "nobody waits for RZ";
    EXPECT_EQ(zero.src_a, kNoRegister);
}

TEST_F(TraceKernelTest, EveryClassHasItsOperation) {
    for (const auto& [opcode, operation] : {std::pair{"IADD3", Operation::kInteger},
                                            {"UIADD3", Operation::kInteger},
                                            {"FFMA", Operation::kFp32},
                                            {"HADD2", Operation::kHalf},
                                            {"DFMA", Operation::kFp64},
                                            {"MUFU.RCP", Operation::kSpecialFunction},
                                            {"F2I", Operation::kSpecialFunction},
                                            {"HMMA.884.F32.F32.STEP0", Operation::kHmmaF32},
                                            {"HMMA.884.F32.F16.STEP0", Operation::kHmmaF32},
                                            {"HMMA.884.F16.F16.STEP0", Operation::kHmmaF16},
                                            {"BRA", Operation::kBranch},
                                            {"MOV", Operation::kMove},
                                            {"SHFL.IDX", Operation::kMove},
                                            {"NOP", Operation::kMove},
                                            {"DEPBAR.LE", Operation::kMove},
                                            {"LDC", Operation::kInteger}}) {
        const WarpInstruction w = converted(std::string("0000 ffffffff 0 ") + opcode + " 0 0 0");
        EXPECT_EQ(w.opcode(), Opcode::kOperation) << opcode;
        EXPECT_EQ(w.operation(), operation) << opcode;
    }
    EXPECT_EQ(converted("0000 ffffffff 0 BAR.SYNC 0 0 0").opcode(), Opcode::kBarrier);
    EXPECT_EQ(converted("0000 ffffffff 0 BAR.SYNC 0 0 0").barrier(), 0);
    EXPECT_EQ(converted("0000 ffffffff 0 MEMBAR.SC.GPU 0 0 0").opcode(), Opcode::kFence);
}

TEST_F(TraceKernelTest, OnlyTheLastExitEndsTheWarp) {
    const TraceKernel kernel =
        kernel_of(one_warp_trace({"0000 0000ffff 0 EXIT 0 0 0", "0010 ffff0000 0 NOP 0 0 0"}));
    const auto program = kernel.program(CtaId(0), 0);
    const std::vector<WarpInstruction> all = executed(*program);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].opcode(), Opcode::kOperation) << "half of the lanes go on";
    EXPECT_EQ(all[0].operation(), Operation::kBranch);
    EXPECT_EQ(all[2].opcode(), Opcode::kExit);
}

TEST_F(TraceKernelTest, LoadsAndStoresOfEverySpace) {
    const auto opcode_of = [this](const std::string& text) {
        return converted("0000 ffffffff " + text + " 1 0x7f2010000000 4 0").opcode();
    };
    EXPECT_EQ(opcode_of("1 R8 LDG.E.SYS 1 R2 4"), Opcode::kLoadGlobal);
    EXPECT_EQ(opcode_of("1 R8 LDS.U.32 1 R2 4"), Opcode::kLoadShared);
    EXPECT_EQ(opcode_of("0 STG.E.SYS 2 R2 R8 4"), Opcode::kStoreGlobal);
    EXPECT_EQ(opcode_of("0 STS 2 R2 R8 4"), Opcode::kStoreShared);
}

/// Two warps and three slots of the machine: 192 threads, whose words take 768 bytes. CTA 1 runs in
/// slot 2, so that its second warp is number 5.
TEST_F(TraceKernelTest, LocalMemoryIsInterleaved) {
    const std::vector<std::string> lines = {
        "0000 ffffffff 0 STL 2 R1 R2 4 1 0xfff700 0 0",
        "0010 ffffffff 1 R2 LDL.64 1 R1 8 1 0x7f0010fff700 0 0",
        "0020 ffffffff 0 ST.E.U8 2 R1 R2 1 1 0x7f0010fff705 0 0",
        "0030 00000003 1 R4 LDL 1 R1 4 2 0xfff700 4 0", "0040 ffffffff 0 EXIT 0 0 0"};
    std::string warps = test::trace_warp_text(0, lines) + test::trace_warp_text(1, lines);
    const TraceKernel kernel = kernel_of(
        test::trace_header_text("(64,1,1)", "(2,1,1)") + std::string(test::kTraceFormatLine) +
        test::trace_block_text("0,0,0", warps) + test::trace_block_text("1,0,0", warps));
    (void)kernel.program(CtaId(0), 0);
    const auto program = kernel.program(CtaId(1), 1);
    program->place({2, 3});
    const std::vector<WarpInstruction> all = executed(*program);
    ASSERT_EQ(all.size(), 5U);
    constexpr Address kRow = 768;
    const Address word = kTraceLocalMemory + 0xfff700 / 4 * kRow + Address{5} * 128;
    const auto expect = [](const WarpInstruction& w, Opcode opcode, Address address,
                           std::vector<std::pair<std::int64_t, std::uint32_t>> pieces) {
        EXPECT_EQ(w.opcode(), opcode);
        EXPECT_EQ(w.address(), address);
        std::vector<std::pair<std::int64_t, std::uint32_t>> got;
        for (const LaneAccess::Piece& piece : w.lanes().pieces) {
            got.emplace_back(piece.offset, piece.bytes);
        }
        EXPECT_EQ(got, pieces);
    };
    expect(all[0], Opcode::kStoreGlobal, word, {{0, 128}});
    expect(all[1], Opcode::kLoadGlobal, word, {{0, 128}, {kRow, 128}});
    expect(all[2], Opcode::kStoreGlobal, word + kRow, {{0, 128}});
    expect(all[3], Opcode::kLoadGlobal, word, {{0, 32}, {kRow, 32}});
}

/// Without a machine every CTA has a slot of its own.
TEST_F(TraceKernelTest, LocalMemoryOfAKernelAlone) {
    EXPECT_EQ(converted("0000 00000002 1 R8 LDL 1 R2 4 0 0x8 0").address(),
              kTraceLocalMemory + Address{2} * 128);
}

/// Lines that differ in their base only are not parsed again, but checked all the same.
TEST_F(TraceKernelTest, LocalAddressesOutsideTheWindowAreRefused) {
    const auto lines = [](const char* second) {
        return one_warp_trace({"0000 00000001 1 R8 LDL 1 R2 4 0 0x8 0",
                               std::string("0000 00000001 1 R8 LDL 1 R2 4 0 ") + second + " 0"});
    };
    EXPECT_NO_THROW((void)kernel_of(lines("0xfffffc")).program(CtaId(0), 0));
    EXPECT_NO_THROW((void)kernel_of(lines("0x7f0010fffffc")).program(CtaId(0), 0));
    EXPECT_THROW((void)kernel_of(lines("0x1000000")).program(CtaId(0), 0), ConfigError);
    EXPECT_THROW((void)kernel_of(lines("0x7f000ffffffc")).program(CtaId(0), 0), ConfigError);
}

/// An HMMA takes one step per 256 multiply-adds (as HMMA.884 has), or per 512 with 16-bit sums.
TEST_F(TraceKernelTest, HmmasTakeStepsByTheirSize) {
    const auto steps_of = [this](const std::string& opcode) {
        const WarpInstruction w = converted("0000 ffffffff 1 R16 " + opcode + " 3 R4 R8 R16 0 0");
        EXPECT_EQ(w.opcode(), Opcode::kOperation);
        return std::pair(w.operation(), static_cast<int>(w.hmma_steps()));
    };
    EXPECT_EQ(steps_of("HMMA.884.F32.F32.STEP0"), std::pair(Operation::kHmmaF32, 1));
    EXPECT_EQ(steps_of("HMMA.1688.F32"), std::pair(Operation::kHmmaF32, 4));
    EXPECT_EQ(steps_of("HMMA.16816.F32"), std::pair(Operation::kHmmaF32, 8));
    EXPECT_EQ(steps_of("HMMA.16816.F32.BF16"), std::pair(Operation::kHmmaF32, 8));
    EXPECT_EQ(steps_of("HMMA.884.F16.F16.STEP0"), std::pair(Operation::kHmmaF16, 1));
    EXPECT_EQ(steps_of("HMMA.1688.F16"), std::pair(Operation::kHmmaF16, 2));
    EXPECT_EQ(steps_of("HMMA.16816.F16"), std::pair(Operation::kHmmaF16, 4));
}

/// A matrix of 8 rows takes the banks once; the other lanes' addresses mean nothing.
TEST_F(TraceKernelTest, LdsmReadsTheRowsOfItsMatrices) {
    const auto wavefronts_of = [this](const std::string& suffix) {
        const WarpInstruction w =
            converted("0000 ffffffff 1 R8 LDSM.16.M88" + suffix + " 1 R2 16 1 0x0 16 0");
        EXPECT_EQ(w.opcode(), Opcode::kLoadShared);
        return std::pair(w.lanes().wavefronts, w.lanes().bytes);
    };
    EXPECT_EQ(wavefronts_of(""), std::pair(1U, 128U));
    EXPECT_EQ(wavefronts_of(".2"), std::pair(2U, 256U));
    EXPECT_EQ(wavefronts_of(".4"), std::pair(4U, 512U));
    const TraceKernel kernel =
        kernel_of(one_warp_trace({"0000 ffffffff 1 R8 LDSM.16.M88.4 1 R2 16 1 0x0 16 0",
                                  "0010 ffffffff 1 R8 LDSM.16.M88 1 R2 16 1 0x0 16 0",
                                  "0020 ffffffff 1 R8 LDS.128 1 R2 16 1 0x0 16 0"}));
    const auto program = kernel.program(CtaId(0), 0);
    const std::vector<WarpInstruction> all = executed(*program);
    EXPECT_EQ(all[0].lanes().wavefronts, 4U);
    EXPECT_EQ(all[1].lanes().wavefronts, 1U) << "though the lanes are the same";
    EXPECT_EQ(all[2].lanes().wavefronts, 4U);
}

/// Tracers may write a line for each side of the copy.
TEST_F(TraceKernelTest, AsynchronousCopiesHaveTwoSides) {
    const auto opcode_of = [this](const std::string& address) {
        return converted("0000 ffffffff 0 LDGSTS.E.128 2 R2 R4 16 1 " + address + " 16 0").opcode();
    };
    EXPECT_EQ(opcode_of("0x7f2010000000"), Opcode::kLoadGlobal);
    EXPECT_EQ(opcode_of("0x400"), Opcode::kStoreShared);
    EXPECT_EQ(opcode_of("0x7f0000000400"), Opcode::kStoreShared);
}

TEST_F(TraceKernelTest, PartOfTheLanes) {
    const WarpInstruction all =
        converted("0000 ffffffff 1 R8 LDG.E.SYS 1 R2 4 1 0x7f2010000000 4 0");
    ASSERT_TRUE(all.has_lanes());
    EXPECT_EQ(all.address(), 0x7f2010000000);
    EXPECT_EQ(all.lanes().bytes, 128U);
    const WarpInstruction some =
        converted("0000 00000f00 1 R8 LDG.E.SYS 1 R2 4 1 0x7f2010000020 4 0");
    ASSERT_TRUE(some.has_lanes());
    EXPECT_EQ(some.address(), 0x7f2010000020);
    ASSERT_EQ(some.lanes().pieces.size(), 1U);
    EXPECT_EQ(some.lanes().pieces[0].offset, 0);
    EXPECT_EQ(some.lanes().pieces[0].bytes, 32U);
    const WarpInstruction none = converted("0000 00000000 1 R8 LDG.E.SYS 1 R2 4 0 0");
    EXPECT_EQ(none.opcode(), Opcode::kOperation) << "predicated off: a turn, but no access";
}

TEST_F(TraceKernelTest, WidthComesFromTheOpcode) {
    const WarpInstruction w = converted("0000 00000003 1 R8 LDG.E.128.SYS 1 R2 4 1 0x1000 16 0");
    ASSERT_EQ(w.lanes().pieces.size(), 1U);
    EXPECT_EQ(w.lanes().pieces[0].bytes, 32U);
    const WarpInstruction bytes = converted("0000 ffffffff 1 R8 LDG.E.U8 1 R2 1 1 0x1000 1 0");
    EXPECT_EQ(bytes.lanes().bytes, 32U);
}

TEST_F(TraceKernelTest, StrongLoadsPassL1) {
    const auto bypasses = [this](const std::string& opcode) {
        return converted("0000 00000001 1 R8 " + opcode + " 1 R2 4 0 0x1000 0").bypasses_l1();
    };
    EXPECT_TRUE(bypasses("LDG.E.STRONG.GPU"));
    EXPECT_FALSE(bypasses("LDG.E.STRONG.CTA"));
    EXPECT_FALSE(bypasses("LDG.E.SYS"));
}

TEST_F(TraceKernelTest, Atomics) {
    const WarpInstruction red =
        converted("0000 ffffffff 0 RED.E.ADD.STRONG.GPU 2 R2 R18 4 1 0x7f2020000000 4 0");
    EXPECT_EQ(red.opcode(), Opcode::kAtomicGlobal);
    EXPECT_EQ(red.dst, kNoRegister);
    const WarpInstruction atom =
        converted("0000 ffffffff 1 R4 ATOMG.E.ADD.STRONG.GPU 2 R2 R18 4 1 0x7f2020000000 4 0");
    EXPECT_EQ(atom.opcode(), Opcode::kAtomicGlobal);
    EXPECT_EQ(atom.dst, 4);
    EXPECT_EQ(atom.lanes().bytes, 128U);
    const WarpInstruction shared = converted("0000 ffffffff 1 R4 ATOMS.ADD 2 R2 R18 4 1 0x40 4 0");
    EXPECT_EQ(shared.opcode(), Opcode::kLoadShared);
    EXPECT_EQ(shared.lanes().wavefronts, 1U);
}

TEST_F(TraceKernelTest, GenericAddressesNameTheirSpace) {
    // Windows of 16 MiB: shared memory at 0x7f0000000000, local memory at 0x7f0010000000.
    const auto generic = [this](const char* address) {
        return converted(std::string("0000 00000001 1 R8 LD.E 1 R2 4 0 ") + address + " 0")
            .opcode();
    };
    EXPECT_EQ(generic("0x7effffffffff"), Opcode::kLoadGlobal);
    EXPECT_EQ(generic("0x7f0000000000"), Opcode::kLoadShared);
    EXPECT_EQ(generic("0x7f0000ffffff"), Opcode::kLoadShared);
    EXPECT_EQ(generic("0x7f0001000000"), Opcode::kLoadGlobal);
    EXPECT_EQ(generic("0x7f0010000000"), Opcode::kLoadGlobal) << "local memory";
    EXPECT_EQ(converted("0000 00000001 0 ST.E 2 R2 R8 4 0 0x7f0000000000 0").opcode(),
              Opcode::kStoreShared);
    EXPECT_EQ(converted("0000 00000001 0 ATOM.E.ADD 2 R2 R8 4 0 0x7f0000000000 0").opcode(),
              Opcode::kLoadShared);
}

TEST_F(TraceKernelTest, MistakesBehindTheHeaderAreFoundOnTheWay) {
    const TraceKernel kernel = kernel_of(test::trace_header_text() +
                                         std::string(test::kTraceFormatLine) + "#BEGIN_TB\nx\n");
    try {
        (void)kernel.program(CtaId(0), 0);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), HasSubstr("kernel-1.traceg:16: "));
    }
}

TEST_F(TraceKernelTest, KernelRunsTwice) {
    const TraceKernel kernel = kernel_of(one_warp_trace({"0000 ffffffff 0 NOP 0 0 0"}));
    for (int run = 0; run < 2; ++run) {
        const auto program = kernel.program(CtaId(0), 0);
        EXPECT_EQ(executed(*program).size(), 2U) << "run " << run;
    }
}

/// 1000 CTAs of one warp with 64 gathers each, no two alike.
void write_gathers(const std::string& path) {
    constexpr std::uint32_t kCtas = 1000;
    constexpr std::uint32_t kGathers = 64;
    TraceHeader header;
    header.name = "gathers";
    header.grid = {kCtas, 1, 1};
    header.block = {kThreadsPerWarp, 1, 1};
    const SassMnemonic load = parse_sass_mnemonic("LDG.E.SYS");
    const SassMnemonic exit = parse_sass_mnemonic("EXIT");
    StaticInstruction gather;
    gather.mnemonic = &load;
    gather.memory_width = 4;
    gather.destinations = 1;
    gather.destination = 8;
    StaticInstruction last;
    last.mnemonic = &exit;
    last.pc = 16;
    std::mt19937 random(1);
    TraceWriter out(path, header);
    for (std::uint32_t cta = 0; cta < kCtas; ++cta) {
        out.begin_thread_block({cta, 0, 0});
        out.begin_warp(0);
        for (std::uint32_t i = 0; i < kGathers; ++i) {
            LaneAddresses addresses{};
            for (Address& address : addresses) address = 0x1000 + random() % (1 << 20) * 4;
            out.write(gather, 0xffffffff, addresses);
        }
        out.write(last, 0xffffffff, {});
        out.end_thread_block();
    }
    out.commit();
}

/// Bytes in use on the heap; 0 where the allocator does not report them (sanitizers).
std::size_t heap_bytes() {
    return mallinfo2().uordblks;
}

TEST_F(TraceKernelTest, MemoryDoesNotGrowWithTheTrace) {
    write_gathers(path());
    const TraceKernel kernel(path(), {}, 1);
    std::size_t halfway = 0;
    std::size_t gathers = 0;
    for (std::uint32_t cta = 0; cta < kernel.info().ctas; ++cta) {
        const auto program = kernel.program(CtaId(cta), 0);
        for (const WarpInstruction& w : executed(*program)) {
            if (w.opcode() == Opcode::kLoadGlobal) ++gathers;
        }
        if (cta == 500) halfway = heap_bytes();
        if (cta == 998) {
            EXPECT_LT(heap_bytes(), halfway + 100000) << "of a trace of 20 MB";
        }
    }
    EXPECT_EQ(gathers, 64000U);

    // Programs that are kept keep their CTAs: the measure does see memory.
    if (halfway == 0) return;
    const std::size_t before = heap_bytes();
    std::vector<std::unique_ptr<WarpProgram>> kept;
    for (std::uint32_t cta = 0; cta < 998; ++cta) kept.push_back(kernel.program(CtaId(cta), 0));
    EXPECT_GT(heap_bytes(), before + 1000000);
}

}  // namespace
}  // namespace tessera
