// Is a .tracez the text that was packed, and is every damaged one refused?
#include "sc_models/trace/tracez_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "sc_models/trace/trace_kernel.h"
#include "sc_models/trace/trace_writer.h"
#include "tests/support/packed_trace.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

using test::executed;
using test::PackedTrace;
using test::small_packed_trace;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

constexpr std::uint32_t kSeed = 20261129;
const std::string kTraces = std::string(TESSERA_SOURCE_DIR) + "/tests/golden/traces/";

TraceFile file_of(std::string bytes) {
    return {tracez_byte_source(memory_random_bytes(std::move(bytes))), "k.tracez"};
}

/// Returns the error of reading all of a trace; empty if there is none.
std::string error_of(std::string bytes) {
    try {
        TraceFile file = file_of(std::move(bytes));
        (void)executed(file);
        return {};
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
        return error.what();
    }
}

std::string text_of(ByteSource& source, std::size_t at_once) {
    std::string text, part(at_once, '\0');
    while (const std::size_t got = source.read(part.data(), part.size())) text.append(part, 0, got);
    return text;
}

/// However few bytes are read at once.
TEST(Tracez, IsTheTextOfTracer6) {
    const PackedTrace packed = small_packed_trace();
    std::string expected = packed.header + "#traces format\n";
    const std::string exit = test::kPackedExit + "\n";
    const auto block = [&](const char* x, const std::string& warps) {
        expected += std::string("#BEGIN_TB\nthread block = ") + x +
                    ",0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n" + warps +
                    "#END_TB\n";
    };
    block("1", "warp = 0\ninsts = 1\n" + exit + "warp = 1\ninsts = 1\n" + exit);
    block("3",
          "warp = 0\ninsts = 3\n0000 ffffffff 1 R2 MOV 0 0 0 NoVal\n"
          "0010 00000003 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 NoVal\n" +
              exit + "warp = 1\ninsts = 0\n");
    for (const std::size_t at_once : {1U, 7U, 1U << 16U}) {
        const auto source = tracez_byte_source(memory_random_bytes(packed.bytes()));
        EXPECT_EQ(source->thread_blocks(), 2U);
        EXPECT_EQ(text_of(*source, at_once), expected);
    }
}

TEST(Tracez, BlocksMayBeAbsentAndWarpsEmpty) {
    TraceFile file = file_of(small_packed_trace().bytes());
    EXPECT_EQ(file.header().grid.count(), 4U);
    EXPECT_EQ(file.thread_blocks(), 2U);
    ThreadBlock block;
    ASSERT_TRUE(file.next_thread_block(block));
    EXPECT_EQ(block.index(), (Dim3{1, 0, 0}));
    ASSERT_TRUE(file.next_thread_block(block));
    EXPECT_EQ(block.index(), (Dim3{3, 0, 0}));
    EXPECT_EQ(block.warp(0).instructions(), 3U);
    EXPECT_EQ(block.warp(1).instructions(), 0U);
    EXPECT_FALSE(file.next_thread_block(block));
}

/// Lines of the hand-made sample of Accel-Sim's form: the header ends without a format line.
TEST(Tracez, CommentLinesOfTheHeaderAreIgnored) {
    PackedTrace packed = small_packed_trace();
    packed.header += "#traces format = PC mask\nnot a header\n";
    EXPECT_EQ(error_of(packed.bytes()), "");
}

class TracezFiles : public test::TempFolder {
protected:
    /// Writes all of `in` to `out` as lines of tracer 6.
    static void copy(TraceFile& in, const fs::path& out) {
        TraceHeader header = in.header();
        header.tracer_version = 6;
        TraceWriter writer(out, header);
        for (ThreadBlock block; in.next_thread_block(block);) {
            writer.begin_thread_block(block.index());
            for (std::uint32_t w = 0; w < block.warps(); ++w) {
                writer.begin_warp(w);
                WarpTrace::Cursor cursor = block.warp(w).cursor();
                for (TraceInstruction i; cursor.next(i);) writer.write(i);
            }
            writer.end_thread_block();
        }
        writer.commit();
    }
};

TEST_F(TracezFiles, RoundTripOfGoldenTraces) {
    for (const char* const name :
         {"fmt/kernel-1.traceg", "tiny/kernel-1.traceg.xz", "microbench/kernel-3.traceg.xz"}) {
        TraceFile original(kTraces + name);
        const auto all = executed(original);
        for (const char* const copied : {"k.traceg", "k.tracez"}) {
            TraceFile in(kTraces + name);
            copy(in, folder / copied);
            TraceFile back((folder / copied).string());
            EXPECT_TRUE(executed(back) == all) << name << " as " << copied;
        }
        EXPECT_LT(fs::file_size(folder / "k.tracez"), fs::file_size(folder / "k.traceg"));
    }
}

/// A warp of more lines than a frame has.
TEST_F(TracezFiles, WarpOfSeveralFrames) {
    constexpr std::uint32_t kLines = 2 * TracezPacker::kFrameInstructions + 7;
    TraceHeader header;
    header.name = "k";
    header.block = {32, 1, 1};
    header.tracer_version = 6;
    const SassMnemonic move = parse_sass_mnemonic("MOV"), exit = parse_sass_mnemonic("EXIT");
    TraceWriter writer(folder / "k.tracez", header);
    writer.begin_thread_block({0, 0, 0});
    writer.begin_warp(0);
    for (std::uint32_t i = 0; i <= kLines; ++i) {
        StaticInstruction what;
        what.mnemonic = i == kLines ? &exit : &move;
        what.pc = i;
        writer.write(what, 1, {});
    }
    writer.end_thread_block();
    writer.commit();
    TraceFile file((folder / "k.tracez").string());
    const auto all = executed(file);
    ASSERT_EQ(all.size(), kLines + 1);
    for (std::uint32_t i = 0; i <= kLines; ++i) ASSERT_EQ(all[i].what.pc, i);
}

TEST_F(TracezFiles, WriterKeepsTheFormat) {
    TraceHeader header;
    header.name = "k";
    header.block = {64, 1, 1};
    EXPECT_THROW(TraceWriter(folder / "k.tracez", header), CheckError) << "tracer 5";
    header.tracer_version = 6;
    TraceWriter writer(folder / "k.tracez", header);
    writer.begin_thread_block({0, 0, 0});
    EXPECT_THROW(writer.begin_warp(1), CheckError) << "before warp 0";
}

TEST_F(TracezFiles, KernelRunsTheBlocksThatExist) {
    std::ofstream(folder / "k.tracez", std::ios::binary) << small_packed_trace().bytes();
    const TraceKernel kernel((folder / "k.tracez").string(), {}, 1);
    EXPECT_EQ(kernel.info().ctas, 2U);
    std::array<WarpInstruction, kFillCapacity> batch;
    EXPECT_EQ(kernel.program(CtaId(0), 0)->fill(batch.data(), batch.size()), 1U);
    (void)kernel.program(CtaId(0), 1);
    EXPECT_EQ(kernel.program(CtaId(1), 0)->fill(batch.data(), batch.size()), 3U);
    const auto empty = kernel.program(CtaId(1), 1);
    ASSERT_EQ(empty->fill(batch.data(), batch.size()), 1U);
    EXPECT_EQ(batch[0].opcode(), Opcode::kExit);
    EXPECT_EQ(empty->fill(batch.data(), batch.size()), 0U);
}

TEST_F(TracezFiles, ErrorsOfOpeningNameTheFile) {
    std::ofstream(folder / "k.tracez") << "short";
    const std::string path = (folder / "k.tracez").string();
    EXPECT_THAT([&] { TraceFile{path}; }, testing::ThrowsMessage<ConfigError>(AllOf(
                                              StartsWith(path + ": "), HasSubstr("too short"))));
    EXPECT_THAT([&] { TraceFile{folder.string() + "/none.tracez"}; },
                testing::ThrowsMessage<ConfigError>(HasSubstr("No such file")));
}

/// Each damage is named; where text is read already, with its line.
TEST(Tracez, DamagedFieldsAreRefused) {
    const auto refused = [](const auto& damage, const char* message) {
        PackedTrace packed = small_packed_trace();
        damage(packed);
        EXPECT_THAT(error_of(packed.bytes()), HasSubstr(message));
    };
    using P = PackedTrace;
    refused([](P& p) { p.dictionary_bytes = 1 << 30; }, "got a dictionary of 1073741824 bytes");
    refused([](P& p) { p.dictionary_bytes = 16; }, "got instructions at byte");
    refused([](P& p) { p.index_by = 1000; }, "got an index at byte");
    refused([](P& p) { p.index_by = ~std::uint64_t{0} - 5; }, "");
    refused([](P& p) { p.blocks_by = 100; }, "got 102 thread blocks");
    refused([](P& p) { p.blocks_by = 1; }, "ends too early");
    refused([](P& p) { p.blocks.clear(); }, "got 0 thread blocks");
    refused([](P& p) { p.behind_index = "xyz"; }, "3 bytes behind the index");
    refused([](P& p) { p.behind_frame = "xyz"; }, "bytes behind a zstd frame");
    refused([](P& p) { p.blocks[0].x = 4; }, "k.tracez:16: got '4,0,0'");
    refused([](P& p) { p.blocks[1].x = 1; }, "the thread block occurs twice");
    refused([](P& p) { p.blocks[0].warps.pop_back(); }, "ends without warp 1");
    refused([](P& p) { p.blocks[0].warps.resize(3); }, "expected 'warp = W' with W from 0 to 1");
    refused([](P& p) { p.blocks[0].warps[0].before_data = 1; },
            "warp 0 of the thread block: got 2 instructions in 1 frames, expected the 1 in 1");
    refused([](P& p) { p.blocks[1].warps[0].offset_by = 1U << 20U; }, "got instructions at byte");
    refused([](P& p) { p.blocks[1].warps[0].frames[0].stated = 1; },
            "more lines than the index says");
    refused([](P& p) { p.blocks[1].warps[0].frames[1].stated = 2; }, "expected 1 to 1");
    refused([](P& p) { p.blocks[1].warps[0].frames[1].stated = 0; },
            "got a frame of 0 instructions");
    refused([](P& p) { p.blocks[1].warps[0].stated = 4; }, "its frames lack 1 instructions");
    refused([](P& p) { p.blocks[1].warps[0].frames[1].lines += "\n"; }, "a frame lacks 0 lines");
    refused(
        [](P& p) { p.blocks[1].warps[0].frames[0].lines = "0000 ffffffff 1 R2 MOV 0 0 0 NoVal"; },
        "a frame lacks 1 lines");
    refused([](P& p) { p.blocks[1].warps[0].frames[1].lines = "#END_TB"; },
            "k.tracez:36: got '#END_TB'");
    refused([](P& p) { p.header.replace(p.header.find("version = 6") + 10, 1, "5"); },
            "got tracer version 5, expected 6 in a .tracez");
    refused([](P& p) { p.header.replace(p.header.find("(4,1,1)"), 7, "(1,1,1)"); },
            "got 2 thread blocks, expected at most the 1 of the grid");
    refused([](P& p) { p.header.assign(2 << 20, '\n'); }, "expected a NUL behind it");
}

TEST(Tracez, EveryTruncationIsRefused) {
    const std::string whole = small_packed_trace().bytes();
    ASSERT_EQ(error_of(whole), "");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_NE(error_of(whole.substr(0, size)), "") << size << " bytes";
    }
}

/// Random bytes are changed, dropped or doubled: the reader refuses the file or reads something.
TEST(Tracez, NothingBreaksOnRandomDamage) {
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    const std::string whole = small_packed_trace().bytes();
    int refused = 0;
    constexpr int kTrials = 20000;
    for (int trial = 0; trial < kTrials; ++trial) {
        std::string bytes = whole;
        for (std::uint64_t i = 1 + random() % 3; i > 0; --i) {
            const std::size_t at = random() % bytes.size();
            switch (random() % 4) {
                case 0:
                    bytes[at] = static_cast<char>(random());
                    break;
                case 1:
                    bytes[at] = static_cast<char>(bytes[at] ^ (1U << random() % 8));
                    break;
                case 2:
                    bytes.erase(at, 1 + random() % 4);
                    break;
                default:
                    bytes.insert(at, bytes.substr(random() % bytes.size(), 1 + random() % 8));
            }
        }
        const std::string error = error_of(bytes);
        if (!error.empty()) ++refused;
    }
    EXPECT_GT(refused, kTrials / 2) << "most damage is noticed";
}

}  // namespace
}  // namespace tessera
