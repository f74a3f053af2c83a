// Are our kernels' instructions written as the SASS that does the same?
#include "sc_models/trace/trace_export.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>

#include "sc_models/common/error.h"
#include "tests/support/script_kernel.h"
#include "tests/support/trace_text.h"

namespace tessera {
namespace {

using namespace tessera::test;
namespace fs = std::filesystem;

constexpr Address kBase = 0x10000000;
constexpr Address kShared = 0x7f0000000000;

class TraceExport : public testing::Test {
protected:
    void TearDown() override { fs::remove(path); }

    /// Everything the exported kernel executes, without the exits.
    std::vector<Executed> exported(const Script& script) {
        EXPECT_TRUE(export_kernel_trace(ScriptKernel(script), 1, path));
        TraceFile file(path.string());
        std::vector<Executed> all = executed(file);
        EXPECT_EQ(all.back().mnemonic, "EXIT");
        all.pop_back();
        return all;
    }

    const fs::path path = fs::path(testing::TempDir()) /
                          ("tessera_trace_export_" + std::to_string(getpid()) + ".traceg");
};

TEST_F(TraceExport, RowsOfAGoToBothOctets) {
    constexpr std::uint32_t kPitch = 1152;
    const auto lines = exported({load_fragment(FragmentRole::kA, 16, kBase, kPitch)});
    ASSERT_EQ(lines.size(), 2U);
    for (std::uint32_t half = 0; half < 2; ++half) {
        const Executed& line = lines[half];
        EXPECT_EQ(line.mnemonic, "LDG.E.128.SYS");
        EXPECT_EQ(line.what.destination, 16 + 4 * half);
        EXPECT_EQ(line.pattern_mask, 0xffffffff);
        std::map<Address, std::vector<std::uint32_t>> lanes_of_row;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            const Address offset = line.addresses[lane] - kBase;
            EXPECT_EQ(offset % kPitch, 16 * half);
            lanes_of_row[offset / kPitch].push_back(lane);
        }
        ASSERT_EQ(lanes_of_row.size(), 16U);
        EXPECT_EQ(lanes_of_row[0], (std::vector<std::uint32_t>{0, 8}));
        EXPECT_EQ(lanes_of_row[4], (std::vector<std::uint32_t>{16, 24}));
        EXPECT_EQ(lanes_of_row[15], (std::vector<std::uint32_t>{23, 31}));
    }
}

TEST_F(TraceExport, ColumnsOfBToo) {
    const auto lines = exported({load_fragment(FragmentRole::kB, 32, kBase)});
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].addresses[4], kBase) << "lanes 0 and 4 share column 0";
    EXPECT_EQ(lines[0].addresses[8], kBase + 256);
    EXPECT_EQ(lines[1].addresses[16], kBase + 128 + 16);
}

TEST_F(TraceExport, ProductIsSixteenHmmas) {
    const auto lines = exported({mma(48, 16, 32)});
    ASSERT_EQ(lines.size(), 16U);
    std::set<std::uint32_t> pcs;
    for (std::uint32_t i = 0; i < 16; ++i) {
        EXPECT_EQ(lines[i].mnemonic, "HMMA.884.F32.F32.STEP" + std::to_string(i % 4));
        EXPECT_EQ(lines[i].what.destination, 48 + 2 * (i % 4));
        EXPECT_EQ(lines[i].what.source[0], 16 + i / 4 * 2);
        EXPECT_EQ(lines[i].what.source[1], 32 + i / 4 * 2);
        EXPECT_EQ(lines[i].what.source[2], 48 + 2 * (i % 4));
        pcs.insert(lines[i].what.pc);
    }
    EXPECT_EQ(pcs.size(), 16U);
}

/// Rows of an LDSM in the order of its matrices: halves of rows 0 to 7, 8 to 15, then the others.
/// No two rows of a matrix share a bank, whatever their distance.
TEST_F(TraceExport, MatricesAreLoadedWithoutBankConflicts) {
    for (const std::uint32_t pitch : {64U, 128U, 256U}) {
        const WarpInstruction w = access(Opcode::kLoadMatrix, 16, 0x1000, 16, 32, pitch);
        const auto lines = exported({w});
        ASSERT_EQ(lines.size(), 1U);
        EXPECT_EQ(lines[0].mnemonic, "LDSM.16.M88.4");
        EXPECT_EQ(lines[0].what.destination, 16);
        std::set<Address> all;
        for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
            std::set<Address> places;
            for (std::uint32_t row = 0; row < 8; ++row) {
                const Address address = lines[0].addresses[8 * matrix + row] - kShared;
                places.insert(address % 128 / 16);
                all.insert(address);
                const Address first = 0x1000 + (matrix % 2 * 8 + row) * Address{pitch};
                EXPECT_EQ(address / std::max(128U, pitch), first / std::max(128U, pitch));
            }
            EXPECT_EQ(places.size(), 8U) << "pitch " << pitch;
        }
        EXPECT_EQ(all.size(), 32U);
    }
}

TEST_F(TraceExport, ProductOfLdsmIsTwoWholeHmmas) {
    WarpInstruction w = mma(48, 16, 32);
    w.mma().single_copies = true;
    const auto lines = exported({w});
    ASSERT_EQ(lines.size(), 2U);
    for (std::uint32_t half = 0; half < 2; ++half) {
        EXPECT_EQ(lines[half].mnemonic, "HMMA.16816.F32");
        EXPECT_EQ(lines[half].what.destination, 48 + 4 * half);
        EXPECT_EQ(lines[half].what.source,
                  (std::array<std::uint8_t, 4>{16, static_cast<std::uint8_t>(32 + 2 * half),
                                               static_cast<std::uint8_t>(48 + 4 * half), 0}));
    }
    const auto of_type = [&](OperandType type) {
        w.mma().operands = type;
        return exported({w})[1].mnemonic;
    };
    EXPECT_EQ(of_type(OperandType::kBf16), "HMMA.16816.F32.BF16");
    EXPECT_EQ(of_type(OperandType::kTf32), "HMMA.1688.F32.TF32");
    EXPECT_EQ(of_type(OperandType::kInt8), "IMMA.16832.S8.S8");
    EXPECT_EQ(of_type(OperandType::kUint8), "IMMA.16832.U8.S8");
    w.set_structured(60, 0, 20);
    EXPECT_EQ(exported({w})[1].mnemonic, "HMMA.SP.16832.F32");
}

TEST_F(TraceExport, CopiesAndTheirGroups) {
    WarpInstruction copy = access(Opcode::kCopyAsync, 8, kBase, 8, 64, 1000 * 16);
    copy.shared().address = 0x400;
    copy.shared().bypass_l1 = true;
    WarpInstruction wait(Opcode::kWaitCopies);
    wait.set_groups_left(3);
    const auto lines = exported({copy, WarpInstruction(Opcode::kCommitCopies), wait});
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].mnemonic, "LDGSTS.E.BYPASS.128");
    EXPECT_EQ(lines[0].addresses[4], kBase + 16000);
    EXPECT_EQ(lines[0].what.destinations, 0);
    EXPECT_EQ(lines[1].mnemonic, "LDGDEPBAR");
    EXPECT_EQ(lines[2].mnemonic, "DEPBAR.LE");
    EXPECT_EQ(lines[2].what.immediate, 3);
}

/// Two lanes copy a pixel each, and those of padding read nothing.
TEST_F(TraceExport, CopiesOfLanes) {
    LaneAccess lanes;
    lanes.has_places = true;
    lanes.bytes = 32;
    lanes.pieces = {{0, 16, 0}, {1000 * 16, 16, 64}};
    lanes.zeros = {{0, 16, 32}};
    WarpInstruction copy(Opcode::kCopyAsync);
    copy.memory() = {kBase, &lanes};
    copy.shared().address = 0x400;
    const auto lines = exported({copy});
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].mnemonic, "LDGSTS.E.128");
    EXPECT_EQ(lines[0].addresses[0], kBase);
    EXPECT_EQ(lines[0].addresses[1], kBase + 16000);
    EXPECT_EQ(lines[0].pattern_mask, 3U);
}

TEST_F(TraceExport, LastOfAnAluBlockWritesItsResult) {
    const auto lines = exported({alu(3, 5, 6)});
    ASSERT_EQ(lines.size(), 3U);
    for (std::uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(lines[i].mnemonic, "IADD3");
        EXPECT_EQ(lines[i].what.pc, 16 * i);
        EXPECT_EQ(lines[i].what.source[0], 6);
        EXPECT_EQ(lines[i].what.destinations, i == 2 ? 1 : 0);
    }
    EXPECT_EQ(lines[2].what.destination, 5);
}

TEST_F(TraceExport, AccessesAreAsWideAsTheirAlignment) {
    struct Expected {
        WarpInstruction instruction;
        const char* mnemonic;
        std::size_t lines;
        std::uint32_t last_mask;
    };
    const std::vector<Expected> all = {
        {load(8, kBase, 512), "LDG.E.128.SYS", 1, 0xffffffff},
        {load(8, kBase, 64), "LDG.E.128.SYS", 1, 0xf},
        {store(8, kBase + 8, 40), "STG.E.64.SYS", 1, 0x1f},
        {load(8, kBase + 4, 512), "LDG.E.SYS", 4, 0xffffffff},
        {store(8, kBase, 132), "STG.E.SYS", 2, 1},
        {load(8, kBase + 2, 6), "LDG.E.U16.SYS", 1, 7},
        {load(8, kBase + 1, 3), "LDG.E.U8.SYS", 1, 7},
        {access(Opcode::kLoadGlobal, 8, kBase, 3, 32, 1000), "LDG.E.64.SYS", 1, 0xfff},
        {access(Opcode::kStoreShared, 8, 0, 2, 64, 256), "STS.128", 1, 0xff},
        {load_shared(8, 4, 132), "LDS", 1, 0xf},
    };
    for (const Expected& expected : all) {
        const auto lines = exported({expected.instruction});
        ASSERT_EQ(lines.size(), expected.lines) << expected.mnemonic;
        EXPECT_EQ(lines.back().mnemonic, expected.mnemonic);
        EXPECT_EQ(lines.back().pattern_mask, expected.last_mask) << expected.mnemonic;
    }
}

TEST_F(TraceExport, LanesTakeThePiecesInTurn) {
    const auto rows = exported({access(Opcode::kLoadGlobal, 8, kBase, 3, 32, 1000)});
    EXPECT_EQ(rows[0].addresses[3], kBase + 24);
    EXPECT_EQ(rows[0].addresses[4], kBase + 1000);
    EXPECT_EQ(rows[0].addresses[11], kBase + 2024);
    const auto words = exported({store(8, kBase + 4, 512)});
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(words[i].addresses[1], kBase + 8 + Address{128} * i);
        EXPECT_EQ(words[i].what.source[0], 255) << "the address";
        EXPECT_EQ(words[i].what.source[1], 8 + i) << "the data";
    }
    const auto shared = exported({load_shared(8, 4, 132)});
    EXPECT_EQ(shared[0].addresses[2], kShared + 264);
    EXPECT_EQ(shared[0].what.destination, 8);
}

TEST_F(TraceExport, PiecesWithPlacesKeepTheirAddresses) {
    LaneAccess lanes;
    lanes.has_places = true;
    lanes.pieces = {{0, 64, 0}, {4096, 16, 64}, {-128, 32, 96}};
    lanes.bytes = 112;
    WarpInstruction w = load(8, kBase, 64);
    w.memory().lanes = &lanes;
    const auto lines = exported({w});
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].mnemonic, "LDG.E.128.SYS");
    EXPECT_EQ(lines[0].pattern_mask, 0x7fU);
    EXPECT_EQ(lines[0].addresses[3], kBase + 48);
    EXPECT_EQ(lines[0].addresses[4], kBase + 4096);
    EXPECT_EQ(lines[0].addresses[6], kBase - 112);
    lanes.pieces.assign(40, {2, 6, 0});
    const auto narrow = exported({w});
    ASSERT_EQ(narrow.size(), 4U) << "120 halves";
    EXPECT_EQ(narrow[0].mnemonic, "LDG.E.U16.SYS");
    lanes.has_places = false;
    EXPECT_THROW(exported({w}), std::logic_error);
}

TEST_F(TraceExport, AccumulatorsAreCoveredOnce) {
    WarpInstruction load = access(Opcode::kLoadShared, 48, 0, 16, 64, 256);
    load.registers().role = FragmentRole::kAccumulator;
    const auto lines = exported({load});
    ASSERT_EQ(lines.size(), 4U);
    std::set<Address> pairs;
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(lines[i].mnemonic, "LDS.64");
        EXPECT_EQ(lines[i].what.destination, 48 + 2 * i);
        for (const Address address : lines[i].addresses) {
            EXPECT_LT((address - kShared) % 256, 64U);
            EXPECT_TRUE(pairs.insert(address).second);
        }
    }
    EXPECT_EQ(pairs.size(), 128U);
    EXPECT_EQ(*pairs.rbegin(), kShared + Address{15} * 256 + 56);
}

TEST_F(TraceExport, LoopsComeBackToTheirPcs) {
    const auto lines = exported({alu(2), load(8, kBase), alu(2), load(8, kBase + 512), barrier()});
    ASSERT_EQ(lines.size(), 7U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(lines[i].what.pc, lines[i + 3].what.pc);
    EXPECT_EQ(lines[6].mnemonic, "BAR.SYNC");
    EXPECT_EQ(lines[6].what.pc, 3 * 16U);
}

TEST_F(TraceExport, HeaderIsTheLaunch) {
    ScriptKernel kernel(std::vector<Script>{{}, {}, {}});
    kernel.edit().ctas = 5;
    kernel.edit().name = "net.C1.gemm";
    kernel.edit().registers_per_thread = 88;
    kernel.edit().shared_memory_bytes = 4096;
    ASSERT_TRUE(export_kernel_trace(kernel, 7, path));
    const TraceFile file(path.string());
    EXPECT_EQ(file.header().name, "net.C1.gemm");
    EXPECT_EQ(file.header().id, 7U);
    EXPECT_EQ(file.header().grid, (Dim3{5, 1, 1}));
    EXPECT_EQ(file.header().block, (Dim3{96, 1, 1}));
    EXPECT_EQ(file.header().registers, 88U);
    EXPECT_EQ(file.header().shared_memory_bytes, 4096U);
}

TEST_F(TraceExport, WhatATraceCannotHold) {
    EXPECT_THROW(export_kernel_trace(ScriptKernel(std::vector<Script>(33)), 1, path), ConfigError);
    const WarpInstruction atomic = access(Opcode::kAtomicGlobal, 8, kBase, 1, 32, 32);
    EXPECT_THROW(exported({atomic}), std::logic_error);
    EXPECT_FALSE(fs::exists(path)) << "nothing is left of it";
}

TEST_F(TraceExport, StopsOnRequest) {
    ScriptKernel kernel{Script{}};
    kernel.edit().ctas = 3;
    std::vector<std::uint64_t> seen;
    const auto progress = [&](std::uint64_t done, std::uint64_t total) {
        EXPECT_EQ(total, 3U);
        seen.push_back(done);
        return done < 2;
    };
    EXPECT_FALSE(export_kernel_trace(kernel, 1, path, {}, progress));
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace tessera
