// Is every damaged trace refused with one line that names the place?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sc_models/trace/trace_file.h"
#include "tests/support/trace_text.h"

namespace tessera {
namespace {

using test::kExitLine;
using test::kTraceFormatLine;
using test::kTraceHeaderLines;
using test::one_warp_trace;
using test::trace_block_text;
using test::trace_header_text;
using test::trace_of_text;
using test::trace_warp_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kTraces = std::string(TESSERA_SOURCE_DIR) + "/tests/golden/traces/";

/// The error that reading all of `file` throws; empty if there is none.
std::string error_of(TraceFile& file) {
    ThreadBlock block;
    while (file.next_thread_block(block)) {
    }
    return {};
}
std::string error_of(std::unique_ptr<ByteSource> source) {
    try {
        TraceFile file(std::move(source), "k.traceg");
        return error_of(file);
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
        return error.what();
    }
}
std::string error_of(const std::string& text) {
    return error_of(memory_byte_source(text));
}

std::string at_line(int line) {
    return "k.traceg:" + std::to_string(line) + ": ";
}

/// `text` with its first `from` turned into `to`.
std::string with(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

const std::string kGood = one_warp_trace({"0000 ffffffff 1 R1 MOV 0 0 0"});
/// Header, format line, #BEGIN_TB, thread block, warp, insts.
constexpr int kFirstInstruction = kTraceHeaderLines + 6;

/// The error of a kernel whose first instruction is `line`.
std::string line_error(const std::string& line) {
    return error_of(one_warp_trace({line}));
}

TEST(TraceErrors, TheUndamagedTraceIsGood) {
    EXPECT_EQ(error_of(kGood), "");
}

struct Damage {
    std::string_view from, to;
    int line;
    std::string_view message;
};
std::ostream& operator<<(std::ostream& out, const Damage& d) {
    return out << d.to;
}

class TraceHeaderErrors : public testing::TestWithParam<Damage> {};

TEST_P(TraceHeaderErrors, AreLocated) {
    const Damage& d = GetParam();
    EXPECT_THAT(error_of(with(kGood, d.from, d.to)),
                AllOf(StartsWith(at_line(d.line)), HasSubstr(d.message)));
}

INSTANTIATE_TEST_SUITE_P(
    Values, TraceHeaderErrors,
    testing::Values(
        Damage{"-kernel name = k", "-kernel name = ", 1, "expected the kernel's name"},
        Damage{"-kernel name = k", "kernel name = k", 1, "expected '-key = value'"},
        Damage{"-kernel name = k", "-kernel name k", 1, "expected '-key = value'"},
        Damage{"-kernel name = k", "-kernel nome = k", 14, "expected '-kernel name = ...' in it"},
        Damage{"-kernel id = 1", "-kernel id = one", 2, "-kernel id: got 'one'"},
        Damage{"-kernel id = 1", "-kernel id = -1", 2, "got '-1'"},
        Damage{"-kernel id = 1", "-kernel id = 4294967296", 2, "to 4294967295"},
        Damage{"-kernel id = 1", "-kernel id = 99999999999999999999", 2, "got '999"},
        Damage{"-kernel id = 1\n", "-kernel id = 1\n-kernel id = 1\n", 3, "occurs twice"},
        Damage{"-kernel id = 1\n", "", 13, "expected '-kernel id = ...'"},
        Damage{"grid dim = (1,1,1)", "grid dim = (1,1)", 3, "expected (X,Y,Z)"},
        Damage{"grid dim = (1,1,1)", "grid dim = (1,1,1,1)", 3, "expected (X,Y,Z)"},
        Damage{"grid dim = (1,1,1)", "grid dim = (1,0,1)", 3, "numbers from 1"},
        Damage{"grid dim = (1,1,1)", "grid dim = (-1,1,1)", 3, "got '(-1,1,1)'"},
        Damage{"grid dim = (1,1,1)", "grid dim = (2147483648,1,1)", 3, "(2147483647,65535,65535)"},
        Damage{"grid dim = (1,1,1)", "grid dim = (2147483647,65535,65535)", 3, "at most"},
        Damage{"block dim = (32,1,1)", "block dim = (32,0,1)", 4, "numbers from 1"},
        Damage{"block dim = (32,1,1)", "block dim = (1024,2,1)", 4, "at most 1024 threads"},
        Damage{"block dim = (32,1,1)", "block dim = 32", 4, "expected (X,Y,Z)"},
        Damage{"shmem = 0", "shmem = 0x10", 5, "-shmem: got '0x10'"},
        Damage{"shmem = 0", "shmem = 99999999", 5, "-shmem: got '99999999'"},
        Damage{"nregs = 64", "nregs = 0", 6, "from 1 to 256"},
        Damage{"nregs = 64", "nregs = 300", 6, "from 1 to 256"},
        Damage{"binary version = 70", "binary version = 71", 7,
               "{35, 60, 61, 70, 75, 80, 86, 87, 89, 90}"},
        Damage{"binary version = 70\n", "", 13, "expected '-binary version = ...'"},
        Damage{"stream id = 0", "stream id = x", 8, "-cuda stream id: got 'x'"},
        Damage{"0x00007f0000000000", "00007f0000000000", 9, "expected 0x"},
        Damage{"0x00007f0000000000", "0x17f000000000000000", 9, "at most 0xffffffffffffffff"},
        Damage{"0x00007f0010000000", "0x", 10, "-local mem base_addr: got '0x'"},
        Damage{"tracer version = 5", "tracer version = 7", 12, "from 1 to 6"},
        Damage{"tracer version = 5", "tracer version = 0", 12, "from 1 to 6"},
        Damage{"lineinfo = 0", "lineinfo = 2", 13, "from 0 to 1"}));

class TraceFrameErrors : public testing::TestWithParam<Damage> {};

TEST_P(TraceFrameErrors, AreLocated) {
    const Damage& d = GetParam();
    EXPECT_THAT(error_of(with(kGood, d.from, d.to)),
                AllOf(StartsWith(at_line(d.line)), HasSubstr(d.message)));
}

INSTANTIATE_TEST_SUITE_P(
    Values, TraceFrameErrors,
    testing::Values(
        Damage{"#BEGIN_TB", "#BEGIN", 15, "got '#BEGIN', expected #BEGIN_TB"},
        Damage{"thread block = 0,0,0", "thread = 0,0,0", 16, "expected 'thread block = x,y,z'"},
        Damage{"thread block = 0,0,0", "thread block = 0,0", 16, "got '0,0'"},
        Damage{"thread block = 0,0,0", "thread block = 1,0,0", 16, "grid of (1,1,1)"},
        Damage{"warp = 0", "warp = 1", 17, "from 0 to 0"},
        Damage{"warp = 0", "warp = -1", 17, "got '-1'"},
        Damage{"warp = 0", "worp = 0", 17, "expected 'warp = W'"},
        Damage{"warp = 0\n", "#END_TB\n", 17, "ends without warp 0"},
        Damage{"insts = 2", "insts = 0", 18, "warp 0 has no instructions"},
        Damage{"insts = 2", "insts = two", 18, "got 'two'"},
        Damage{"insts = 2", "insts = 99999999999", 18, "at most 4294967295"},
        Damage{"insts = 2", "insts = 4294967295", 21, "after 2 instructions of warp 0"},
        Damage{"insts = 2", "inst = 2", 18, "expected 'insts = COUNT'"},
        Damage{"insts = 2", "insts = 3", 21, "expected the declared 3"},
        Damage{"insts = 2", "insts = 1", 19, "warp 0 ends with this instruction, expected EXIT"},
        Damage{"0 EXIT", "0 NOP", 20, "warp 0 ends with this instruction, expected EXIT"},
        Damage{"0010 ffffffff 0 EXIT 0 0 0\n",
               "0010 ffffffff 0 EXIT 0 0 0\n0020 ffffffff 0 EXIT 0 0 0\n", 21,
               "more instructions than declared?"},
        Damage{"#END_TB\n", "", 20, "the file ends in a thread block, expected #END_TB"},
        Damage{"#END_TB\n", "#END_TB", 21, "expected a newline at the end of every line"},
        Damage{"#END_TB\n", "#END_TB\n#BEGIN_TB\n", 22, "only the 1 of the grid"},
        Damage{"#END_TB\n", "#END_TB\nmore\n", 22, "expected the end of the file"},
        Damage{"grid dim = (1,1,1)", "grid dim = (2,1,1)", 21,
               "the file ends after 1 thread blocks, expected the 2 of the grid"}));

struct BadLine {
    std::string_view line, message;
};
std::ostream& operator<<(std::ostream& out, const BadLine& bad) {
    return out << bad.line;
}

class TraceLineErrors : public testing::TestWithParam<BadLine> {};

TEST_P(TraceLineErrors, AreLocated) {
    const BadLine& bad = GetParam();
    EXPECT_THAT(line_error(std::string(bad.line)),
                AllOf(StartsWith(at_line(kFirstInstruction)), HasSubstr(bad.message)));
}

INSTANTIATE_TEST_SUITE_P(
    Values, TraceLineErrors,
    testing::Values(
        BadLine{"0000", "the line ends here, expected a hexadecimal lane mask"},
        BadLine{"00g0 ffffffff 1 R1 MOV 0 0 0", "got '00g0', expected a hexadecimal program"},
        BadLine{"0x10 ffffffff 1 R1 MOV 0 0 0", "got '0x10'"},
        BadLine{"100000000 ffffffff 1 R1 MOV 0 0 0", "at most 0xffffffff"},
        BadLine{"0000 1ffffffff 1 R1 MOV 0 0 0", "got '1ffffffff', expected a hexadecimal lane"},
        BadLine{"0000 -1 1 R1 MOV 0 0 0", "got '-1'"},
        BadLine{"0000 ffffffff 2 R1 R2 MOV 0 0 0", "a number of destinations of at most 1"},
        BadLine{"0000 ffffffff 1 MOV 0 0 0", "got 'MOV', expected a register R0 to R255"},
        BadLine{"0000 ffffffff 1 R256 MOV 0 0 0", "got 'R256'"},
        BadLine{"0000 ffffffff 1 R-1 MOV 0 0 0", "got 'R-1'"},
        BadLine{"0000 ffffffff 1 R1 MOVE 0 0 0", "unknown opcode 'MOVE' (did you mean 'MOV'?)"},
        BadLine{"0000 ffffffff 1 R1 MOV 5 R1 R2 R3 R4 R5 0 0", "of at most 4"},
        BadLine{"0000 ffffffff 1 R1 MOV 1 R999 0 0", "got 'R999'"},
        BadLine{"0000 ffffffff 1 R1 MOV 0 0", "the line ends here, expected a decimal immediate"},
        BadLine{"0000 ffffffff 1 R1 MOV 0 0 x", "got 'x', expected a decimal immediate"},
        BadLine{"0000 ffffffff 1 R1 MOV 0 0 99999999999999999999", "of 64 bits"},
        BadLine{"0000 ffffffff 1 R1 MOV 0 0 0 0", "got '0', expected the end of the line"},
        BadLine{"0000 ffffffff 1 R1 MOV\r 0 0 0", "unknown opcode 'MOV\\u000d'"},
        BadLine{"0000 ffffffff 1 R1 MOV 0 0 0\r\r", "\\u000d"},
        BadLine{"0000 ffffffff 1 R1 HMMA.SP.16816.F32 3 R4 R8 R1 0 0",
                "got 'HMMA.SP.16816.F32', expected one of the shapes and types of sm.tensor_rates "
                "(tessera config --list): no machine has a rate for it"},
        BadLine{"0000 ffffffff 1 R1 IMMA.8832.S4.S4 3 R4 R8 R1 0 0",
                "no machine has a rate for it"},
        BadLine{"0000 ffffffff 1 R1 BMMA.88128.XOR.POPC 3 R4 R8 R1 0 0", "got 'BMMA"},
        BadLine{"0000 ffffffff 1 R1 DMMA.884 3 R4 R8 R1 0 0", "got 'DMMA.884'"},
        BadLine{"0000 00000001 1 R1 LDL 1 R2 4 0 0x1000000 0",
                "got address 0x1000000 for 'LDL', expected an offset below 0x1000000 into local "
                "memory, or one from its window at 0x7f0010000000 on"},
        BadLine{"0000 00000002 0 STL 2 R1 R2 4 0 0x7f0011000000 0",
                "for 'STL', expected an offset"},
        BadLine{"0000 ffffffff 1 R1 LDG.E 1 R2 4 0 0x10",
                "the line ends here, expected an address"},
        BadLine{"0000 00000001 1 R1 MOV 0 4 0 0x10 0", "it is no memory instruction"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 0 0", "memory width 0 for 'LDG.E'"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 -4 0 0x10 0", "got '-4', expected a memory width"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 9999999 0 0x10 0", "of at most 4096"},
        BadLine{"0000 00000001 1 R1 LDG.E.96 1 R2 4 0 0x10 0", "{8, 16, 32, 64, 128} bits"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 4 3 0x10 0", "got '3', expected address mode"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 4 0 10 0", "got '10', expected an address 0xHEX"},
        BadLine{"0000 00000003 1 R1 LDG.E 1 R2 4 0 0x10 0", "got '0', expected an address 0xHEX"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 4 0 0x10 0x20 0", "got '0x20'"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 4 0 0x8000000000000000 0", "at most 0x7fff"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 4 0 0x10000000000000000 0", "at most 0x7fff"},
        BadLine{"0000 00000001 1 R1 LDG.E 1 R2 4 0 0x7ffffffffffffffd 0", "address overflow"},
        BadLine{"0000 00000005 1 R1 LDG.E 1 R2 4 1 0x10 4 0", "active lanes without gaps"},
        BadLine{"0000 00000003 1 R1 LDG.E 1 R2 4 1 0x10 0x4 0", "got '0x4', expected a decimal st"},
        BadLine{"0000 00000003 1 R1 LDG.E 1 R2 4 1 0x10 -17 0", "address overflow: 0x10 - 17"},
        BadLine{"0000 00000003 1 R1 LDG.E 1 R2 4 1 0x7ffffffffffffff0 9223372036854775807 0",
                "address overflow"},
        BadLine{"0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x10 4 4 0", "the line ends here, expected a"},
        BadLine{"0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x10 4 4", "address difference for every"},
        BadLine{"0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x10 4 4 4 4 4 0", "expected the end of the"},
        BadLine{"0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x10 4 -64 4 0", "address overflow"}));

TEST(TraceErrors, CutAnywhereIsRefused) {
    for (std::size_t length = 0; length < kGood.size(); ++length) {
        EXPECT_THAT(error_of(kGood.substr(0, length)), StartsWith("k.traceg:")) << length;
    }
}

TEST(TraceErrors, AKnownLineWithAnotherEndIsParsedAgain) {
    EXPECT_THAT(
        error_of(one_warp_trace({"0000 ffffffff 1 R1 MOV 0 0 0", "0000 ffffffff 1 R1 MOV 0 0 0",
                                 "0000 ffffffff 1 R1 MOV 0 0 0x"})),
        StartsWith(at_line(kFirstInstruction + 2)));
}

TEST(TraceErrors, WarpsMissingOrTwice) {
    const std::string exit(kExitLine.substr(0, kExitLine.size() - 1));
    const std::string head = trace_header_text("(64,1,1)") + std::string(kTraceFormatLine);
    const std::string zero = trace_warp_text(0, {exit});
    const std::string one = trace_warp_text(1, {exit});
    EXPECT_EQ(error_of(head + trace_block_text("0,0,0", one + zero)), "");
    EXPECT_THAT(error_of(head + trace_block_text("0,0,0", zero)),
                AllOf(StartsWith(at_line(20)), HasSubstr("ends without warp 1")));
    EXPECT_THAT(error_of(head + trace_block_text("0,0,0", zero + zero)),
                AllOf(StartsWith(at_line(20)), HasSubstr("warp 0 occurs twice")));
    EXPECT_THAT(error_of(head + trace_block_text("0,0,0", zero + trace_warp_text(2, {exit}))),
                AllOf(StartsWith(at_line(20)), HasSubstr("W from 0 to 1")));
}

TEST(TraceErrors, ThreadBlocksTwice) {
    const std::string exit(kExitLine.substr(0, kExitLine.size() - 1));
    const std::string head = trace_header_text("(32,1,1)", "(2,1,1)") + "#\n";
    const std::string warp = trace_warp_text(0, {exit});
    EXPECT_EQ(error_of(head + trace_block_text("1,0,0", warp) + trace_block_text("0,0,0", warp)),
              "");
    EXPECT_THAT(error_of(head + trace_block_text("0,0,0", warp) + trace_block_text("0,0,0", warp)),
                HasSubstr("occurs twice"));
}

TEST(TraceErrors, WrongCtaColumnsOfOldTracers) {
    const std::string head = with(kGood, "tracer version = 5", "tracer version = 2");
    EXPECT_THAT(error_of(head), StartsWith(at_line(kFirstInstruction)));
    EXPECT_THAT(error_of(with(head, "0000 ff", "0 0 0 3 0000 ff")),
                AllOf(StartsWith(at_line(kFirstInstruction)),
                      HasSubstr("got '3', expected 0 in the columns of CTA and warp")));
}

TEST(TraceErrors, OverlongLines) {
    const std::string name(100000, 'n');
    EXPECT_THAT(error_of(with(kGood, "name = k", "name = " + name)),
                AllOf(StartsWith(at_line(1)), HasSubstr("line longer than 65536 bytes")));
    EXPECT_THAT(line_error(std::string(3000000, '0')),
                AllOf(StartsWith(at_line(kFirstInstruction)), HasSubstr("longer than")));
    EXPECT_EQ(error_of(with(kGood, "name = k", "name = " + name.substr(0, 60000))), "");
}

/// A compressed trace of nothing but blank lines is small and takes long.
TEST(TraceErrors, BlankLinesWithoutEnd) {
    const std::string most(LineReader::kMostBlankLines, '\n');
    for (const char* before : {"-nregs", "#traces", "#BEGIN_TB", "thread block", "warp", "insts",
                               "0000 ffffffff", "#END_TB"}) {
        const std::size_t at = kGood.find(before);
        ASSERT_NE(at, std::string::npos) << before;
        std::string text = kGood;
        text.insert(at, "\n" + most);
        EXPECT_THAT(error_of(text), HasSubstr("more than 1000 blank lines in a row")) << before;
    }
    EXPECT_THAT(error_of(kGood + most + "\n"), HasSubstr("more than 1000 blank lines in a row"));
    EXPECT_EQ(error_of(kGood + most), "");
    std::string text = kGood;
    std::string unknown;
    for (int i = 0; i < 1000; ++i) unknown += "-key = value\n";
    text.insert(0, unknown);
    EXPECT_THAT(error_of(text), HasSubstr("more than 1000 lines in the header"));
}

std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
std::string xz_error(std::string bytes) {
    return error_of(xz_byte_source(memory_byte_source(std::move(bytes))));
}

TEST(TraceErrors, DamagedXz) {
    const std::string good = bytes_of(kTraces + "tiny/kernel-1.traceg.xz");
    ASSERT_EQ(xz_error(good), "");
    EXPECT_THAT(xz_error(kGood), AllOf(StartsWith(at_line(1)), HasSubstr("not in .xz format")));
    EXPECT_THAT(xz_error(""), AllOf(StartsWith(at_line(1)), HasSubstr("too early")));
    EXPECT_THAT(xz_error(good.substr(0, good.size() / 2)),
                AllOf(StartsWith("k.traceg:"), HasSubstr("too early (truncated file)")));
    EXPECT_THAT(xz_error(good.substr(0, good.size() - 1)), HasSubstr("too early"));
    std::string damaged = good;
    damaged[good.size() / 2] = static_cast<char>(damaged[good.size() / 2] ^ 0x40);
    EXPECT_THAT(xz_error(damaged), AllOf(StartsWith("k.traceg:"), HasSubstr("corrupt .xz data")));
    EXPECT_EQ(xz_error(good + std::string(4, '\0')), "") << "padding";
    EXPECT_THAT(xz_error(good + good), HasSubstr("expected the end of the file")) << "two streams";
}

TEST(TraceErrors, FilesThatCannotBeRead) {
    EXPECT_THROW(TraceFile("/no/such/kernel-1.traceg"), ConfigError);
    EXPECT_THROW(TraceFile file(testing::TempDir()), ConfigError);
}

}  // namespace
}  // namespace tessera
