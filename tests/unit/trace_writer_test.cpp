// Is what the writer writes what the reader reads?
#include "sc_models/trace/trace_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tests/support/temp_folder.h"
#include "tests/support/trace_text.h"

namespace tessera {
namespace {

using test::Executed;
using test::executed;
using test::trace_of_text;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::uint32_t kSeed = 20220801;
const std::string kTraces = std::string(TESSERA_SOURCE_DIR) + "/tests/golden/traces/";

class TraceWriterTest : public test::TempFolder {
protected:
    /// Writes all of `in` to `out`.
    static void copy(TraceFile& in, const fs::path& out) {
        TraceWriter writer(out, in.header());
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
    [[nodiscard]] std::vector<Executed> copied(TraceFile in, const std::string& name) const {
        copy(in, folder / name);
        TraceFile back((folder / name).string());
        return executed(back);
    }
};

TEST_F(TraceWriterTest, RoundTripOfTheGoldenTraces) {
    std::vector<std::string> names = {"fmt/kernel-1.traceg", "tiny/kernel-1.traceg.xz"};
    for (int k = 1; k <= 22; ++k) {
        names.push_back("microbench/kernel-" + std::to_string(k) + ".traceg.xz");
    }
    for (const std::string& name : names) {
        TraceFile original(kTraces + name);
        const std::vector<Executed> all = executed(original);
        EXPECT_TRUE(copied(TraceFile(kTraces + name), "k.traceg") == all) << name;
        EXPECT_TRUE(copied(TraceFile(kTraces + name), "k.traceg.xz") == all) << name;
        EXPECT_LT(fs::file_size(folder / "k.traceg.xz"), fs::file_size(folder / "k.traceg"));
    }
}

TEST_F(TraceWriterTest, HeaderRoundTrip) {
    TraceHeader h;
    h.name = "void f<int>(a = b)";
    h.id = 7;
    h.grid = {1, 1, 1};
    h.block = {8, 2, 2};
    h.shared_memory_bytes = 49152;
    h.registers = 255;
    h.binary_version = 86;
    h.stream = 94012345678901;
    h.shared_base = 0x7f11;
    h.local_base = 0x7f22;
    h.tracer_version = 2;
    h.line_info = true;
    LineReader lines(memory_byte_source(to_text(h)), "h");
    EXPECT_EQ(to_text(read_trace_header(lines)), to_text(h));
}

/// Lines of one warp with every mode, random masks and addresses, in every column layout.
TEST_F(TraceWriterTest, RoundTripOfRandomInstructions) {
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    const std::vector<SassMnemonic> mnemonics = {
        parse_sass_mnemonic("LDG.E.128.SYS"),  parse_sass_mnemonic("STS.U8"),
        parse_sass_mnemonic("ATOM.E.ADD.F64"), parse_sass_mnemonic("LDC"),
        parse_sass_mnemonic("FFMA"),           parse_sass_mnemonic("DEPBAR.LE")};
    const SassMnemonic exit = parse_sass_mnemonic("EXIT");
    for (const std::uint32_t version : {1U, 2U, 3U, 4U, 5U, 6U}) {
        TraceHeader header;
        header.name = "random";
        header.tracer_version = version;
        header.line_info = version % 2 == 0;
        header.block = {32, 1, 1};
        std::vector<Executed> expected;
        TraceWriter writer(folder / "r.traceg", header);
        writer.begin_thread_block({0, 0, 0});
        writer.begin_warp(0);
        for (int i = 0; i < 2000; ++i) {
            const SassMnemonic& mnemonic = mnemonics[random() % mnemonics.size()];
            Executed e;
            e.what.mnemonic = &mnemonic;
            e.mnemonic = mnemonic.text;
            e.what.pc = static_cast<std::uint32_t>(random() % 64 * 16);
            if (header.line_info) e.what.source_line = static_cast<std::uint32_t>(random() % 100);
            e.what.immediate = static_cast<std::int64_t>(random() % 9) - 4;
            e.what.destinations = random() % 2;
            const auto any_kind = [&] {
                return version < 6 ? RegisterKind::kVector
                                   : static_cast<RegisterKind>(random() % 4);
            };
            if (e.what.destinations > 0) {
                e.what.destination = random() % 256;
                e.what.destination_kind = any_kind();
            }
            e.what.sources = random() % 5;
            for (int s = 0; s < e.what.sources; ++s) {
                e.what.source[s] = random() % 256;
                e.what.source_kind[s] = any_kind();
            }
            e.active_mask = static_cast<std::uint32_t>(random());
            if (random() % 4 == 0) e.active_mask = 0xffffffffU >> random() % 32 << random() % 8;
            if (random() % 8 == 0) e.active_mask = 0;
            const AddressRule rule = address_rule(*mnemonic.opcode);
            if (rule == AddressRule::kRequired || (rule == AddressRule::kOptional && i % 2 == 0)) {
                e.what.memory_width = 4;
                const std::uint64_t kind = random() % 3;
                const Address base = random() >> (random() % 2 == 0 ? 2 : 30);
                for (std::uint32_t lane = 0; lane < 32; ++lane) {
                    if ((e.active_mask >> lane & 1) == 0) continue;
                    e.addresses[lane] = kind == 0   ? random() >> 2
                                        : kind == 1 ? base + Address{lane} * 16
                                                    : base + random() % 4096;
                }
                e.pattern_mask = e.active_mask;
            }
            writer.write(e.what, e.active_mask, e.addresses);
            expected.push_back(e);
        }
        StaticInstruction last;
        last.mnemonic = &exit;
        writer.write(last, 1, {});
        writer.end_thread_block();
        writer.commit();

        TraceFile file((folder / "r.traceg").string());
        std::vector<Executed> read = executed(file);
        ASSERT_EQ(read.size(), expected.size() + 1);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_TRUE(read[i] == expected[i]) << "instruction " << i << ", tracer " << version;
        }
    }
}

std::string line_of(const char* mnemonic, std::uint32_t mask, const LaneAddresses& addresses) {
    const SassMnemonic parsed = parse_sass_mnemonic(mnemonic);
    StaticInstruction what;
    what.mnemonic = &parsed;
    what.memory_width = 4;
    std::string text;
    append_instruction_line(text, what, mask, addresses, TraceHeader{});
    return text;
}

TEST_F(TraceWriterTest, ShortestAddressMode) {
    EXPECT_EQ(line_of("LDG.E", 4, {0, 0, 0x40}), "0000 00000004 0 LDG.E 0 4 0 0x40 0 \n");
    EXPECT_EQ(line_of("LDG.E", 0, {}), "0000 00000000 0 LDG.E 0 4 0 0 \n");
    EXPECT_EQ(line_of("LDG.E", 7, {0x40, 0x38, 0x30}), "0000 00000007 0 LDG.E 0 4 1 0x40 -8 0 \n");
    EXPECT_EQ(line_of("LDG.E", 5, {0x40, 0, 0x48}), "0000 00000005 0 LDG.E 0 4 2 0x40 8 0 \n");
    EXPECT_EQ(line_of("LDG.E", 7, {0x40, 0x48, 0x40}),
              "0000 00000007 0 LDG.E 0 4 2 0x40 8 -8 0 \n");
}

TEST_F(TraceWriterTest, NothingAppearsUntilCommit) {
    TraceHeader header;
    header.name = "k";
    header.block = {64, 1, 1};
    const SassMnemonic exit = parse_sass_mnemonic("EXIT");
    const SassMnemonic nop = parse_sass_mnemonic("NOP");
    StaticInstruction last;
    last.mnemonic = &exit;
    StaticInstruction idle;
    idle.mnemonic = &nop;
    {
        TraceWriter writer(folder / "k.traceg", header);
        EXPECT_THROW(writer.commit(), CheckError);
        EXPECT_THROW(writer.begin_thread_block({1, 0, 0}), CheckError);
        EXPECT_THROW(writer.begin_warp(0), CheckError);
        writer.begin_thread_block({0, 0, 0});
        EXPECT_THROW(writer.begin_warp(2), CheckError);
        writer.begin_warp(1);
        writer.write(idle, 1, {});
        EXPECT_THROW(writer.begin_warp(0), CheckError) << "no EXIT";
        writer.write(last, 1, {});
        EXPECT_THROW(writer.begin_warp(1), CheckError) << "twice";
        EXPECT_THROW(writer.end_thread_block(), CheckError) << "warp 0 is missing";
    }
    EXPECT_TRUE(fs::is_empty(folder));
    header.name = "two\nlines";
    EXPECT_THROW(TraceWriter(folder / "k.traceg", header), CheckError);
    header.name = "k";
    EXPECT_THROW(TraceWriter(folder / "no" / "k.traceg", header), ConfigError);
}

TEST_F(TraceWriterTest, ListRoundTrip) {
    TraceCommand copy;
    copy.kind = TraceCommand::Kind::kCopyToDevice;
    copy.address = 0x7f2010000000;
    copy.bytes = 1179648;
    TraceCommand kernel;
    kernel.path = "kernel-1.traceg.xz";
    write_trace_command_list(folder / "kernelslist.g", {copy, kernel});
    EXPECT_EQ(content(folder / "kernelslist.g"),
              "MemcpyHtoD,0x00007f2010000000,1179648\nkernel-1.traceg.xz\n");
    fs::copy_file(kTraces + "fmt/kernel-1.traceg.xz", folder / "kernel-1.traceg.xz");
    const TraceCommandList back((folder / "kernelslist.g").string());
    EXPECT_EQ(back.commands().at(0).bytes, copy.bytes);
    EXPECT_EQ(back.commands().at(1).path, (folder / "kernel-1.traceg.xz").string());
}

}  // namespace
}  // namespace tessera
