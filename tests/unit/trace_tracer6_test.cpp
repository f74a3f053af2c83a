// Are the lines of tracer 6 read as they stand, and what is not modelled refused by name?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sc_models/trace/instruction_line.h"
#include "tests/support/trace_text.h"

namespace tessera {
namespace {

using test::Executed;
using test::executed;
using test::trace_of_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// A kernel of one warp that executes the lines and EXIT, with its block in a cluster.
std::string trace_of(const std::vector<std::string>& lines, const std::string& binary = "80") {
    std::string text = test::trace_header_text();
    text.replace(text.find("version = 70") + 10, 2, binary);
    text.replace(text.find("tracer version = 5") + 17, 1, "6");
    std::vector<std::string> all = lines;
    all.emplace_back("0ff0 ffffffff 0 EXIT 0 0 0 NoVal");
    return text + std::string(test::kTraceFormatLine) +
           test::trace_block_text("0,0,0",
                                  "cluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n" +
                                      test::trace_warp_text(0, all));
}
/// Header, format line, #BEGIN_TB, thread block, three of the cluster, warp, insts.
constexpr int kLinesBefore = test::kTraceHeaderLines + 8;

Executed only_line(const std::string& line) {
    TraceFile file = trace_of_text(trace_of({line}));
    return executed(file).at(0);
}

/// The error of reading a trace; empty if there is none.
std::string error_of(const std::string& text) {
    try {
        TraceFile file = trace_of_text(text);
        (void)executed(file);
        return {};
    } catch (const ConfigError& error) {
        return error.what();
    }
}

TEST(Tracer6, RegistersOfEveryKind) {
    const Executed e = only_line("0000 ffffffff 1 UR255 IADD3 4 R3 UR4 P5 UP6 0 0 NoVal");
    EXPECT_EQ(e.what.destination, 255);
    EXPECT_EQ(e.what.destination_kind, RegisterKind::kUniform);
    EXPECT_EQ(e.what.source, (std::array<std::uint8_t, 4>{3, 4, 5, 6}));
    EXPECT_EQ(e.what.source_kind, (std::array<RegisterKind, 4>{
                                      RegisterKind::kVector, RegisterKind::kUniform,
                                      RegisterKind::kPredicate, RegisterKind::kUniformPredicate}));
    TraceHeader header;
    header.tracer_version = 6;
    std::string text;
    StaticInstruction what = e.what;
    const SassMnemonic mnemonic = parse_sass_mnemonic("IADD3");
    what.mnemonic = &mnemonic;
    append_instruction_line(text, what, e.active_mask, {}, header);
    EXPECT_EQ(text, "0000 ffffffff 1 UR255 IADD3 4 R3 UR4 P5 UP6 0 0 NoVal\n");
}

TEST(Tracer6, InstructionsThatDifferInTheKindOfARegisterAreTwo) {
    TraceFile file = trace_of_text(
        trace_of({"0000 ffffffff 1 R1 MOV 1 R4 0 0 NoVal", "0000 ffffffff 1 R1 MOV 1 UR4 0 0 NoVal",
                  "0000 ffffffff 1 UR1 MOV 1 R4 0 0 NoVal"}));
    const std::vector<Executed> all = executed(file);
    EXPECT_EQ(file.table().instructions(), 4U);
    EXPECT_EQ(all[1].what.source_kind[0], RegisterKind::kUniform);
    EXPECT_EQ(all[2].what.destination_kind, RegisterKind::kUniform);
}

/// Older readers take one difference more, which is the immediate here.
TEST(Tracer6, DifferencesAreOneFewerThanLanes) {
    const Executed e = only_line("0000 00000007 1 R1 LDG.E 1 R2 4 2 0x100 8 16 9 NoVal");
    EXPECT_EQ(e.addresses[2], 0x118U);
    EXPECT_EQ(e.what.immediate, 9);
    EXPECT_THAT(error_of(trace_of({"0000 00000007 1 R1 LDG.E 1 R2 4 2 0x100 8 16 24 9 NoVal"})),
                "" /* 24 is the immediate, 9 a second one */);
}

TEST(Tracer6, ImmediatesAndValues) {
    for (const char* const end :
         {"5 NoVal", "5 7 NoVal",
          "5 Val 1 0 32 0 1 2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 16 "
          "17 18 19 1a 1b 1c 1d 1e 1f",
          "5 Val 1 deadbeef 1 0xff"}) {
        EXPECT_EQ(only_line(std::string("0000 ffffffff 1 R1 MOV 1 R2 0 ") + end).what.immediate, 5)
            << end;
    }
    const auto refused = [](const std::string& end, const char* message) {
        EXPECT_THAT(error_of(trace_of({"0000 ffffffff 1 R1 MOV 1 R2 0 " + end})),
                    AllOf(StartsWith("k.traceg:" + std::to_string(kLinesBefore + 1) + ": "),
                          HasSubstr(message)))
            << end;
    };
    refused("5", "the line ends here, expected NoVal, or Val");
    refused("5 6 7 NoVal", "got '7', expected NoVal, or Val");
    refused("5 Maybe", "got 'Maybe', expected NoVal, or Val");
    refused("5 Val 1 0", "the line ends here, expected 1 value");
    refused("5 Val 2 0 0 1 0", "got '2', expected 1 value of a register, or 32");
    refused("5 Val 1 0 1 xyz", "got 'xyz', expected a hexadecimal value");
    refused("5 NoVal 1", "got '1', expected the end of the line");
}

TEST(Tracer6, OlderTracersHaveVectorRegistersAlone) {
    EXPECT_THAT(error_of(test::one_warp_trace({"0000 ffffffff 1 UR1 MOV 0 0 0"})),
                HasSubstr("got 'UR1', expected a register R0 to R255"));
    EXPECT_THAT(error_of(test::one_warp_trace({"0000 ffffffff 1 R1 MOV 0 0 0 NoVal"})),
                HasSubstr("got 'NoVal', expected the end of the line"));
    EXPECT_THAT(error_of(trace_of({"0000 ffffffff 1 X1 MOV 0 0 0 NoVal"})),
                HasSubstr("got 'X1', expected a register R0 to R255, or UR, P or UP"));
    EXPECT_THAT(error_of(trace_of({"0000 ffffffff 1 UP256 MOV 0 0 0 NoVal"})),
                HasSubstr("got 'UP256'"));
}

TEST(Tracer6, BinaryVersionsUpTo90) {
    for (const char* const version : {"87", "89", "90"}) {
        TraceFile file = trace_of_text(trace_of({}, version));
        EXPECT_EQ(file.header().binary_version, std::stoul(version));
        EXPECT_TRUE(file.header().has_copy_groups());
    }
    EXPECT_FALSE(trace_of_text(trace_of({}, "75")).header().has_copy_groups());
}

/// Some of these lines have columns of their own; the opcode is refused before they are read.
TEST(Tracer6, RefusesWhatIsNotModelledByName) {
    const std::pair<const char*, const char*> all[] = {
        {"0010 00000001 0 UTMALDG.2D 2 UR4 UR8 128 0x400 0 4096 0 3 1 0x7f4000000000 0 NoVal",
         "got 'UTMALDG.2D', which is not modelled (copies of tensors and blocks (TMA))"},
        {"0020 ffffffff 1 R24 HGMMA.64x128x16.F32 3 R24 UR4 UR8 1 0 0 NoVal",
         "got 'HGMMA.64x128x16.F32', which is not modelled (products of warp groups)"},
        {"0030 ffffffff 0 SYNCS.TRYWAIT 1 UR4 4 0 0x10 0 NoVal",
         "got 'SYNCS.TRYWAIT', which is not modelled (barriers in shared memory (mbarrier))"},
        {"0040 ffffffff 1 R1 QMMA.16832.F32.E4M3.E4M3 3 R2 R4 R1 0 0 NoVal",
         "got 'QMMA.16832.F32.E4M3.E4M3', which is not modelled (products of FP8)"},
        {"REPLAY_START", "got 'REPLAY_START', which is not modelled (spin loops"},
    };
    for (const auto& [line, message] : all) {
        EXPECT_THAT(error_of(trace_of({line}, "90")),
                    AllOf(StartsWith("k.traceg:" + std::to_string(kLinesBefore + 1) + ": "),
                          HasSubstr(message), HasSubstr("expected instructions of")));
    }
}

TEST(Tracer6, HopperInstructionsThatAreAlike) {
    TraceFile file =
        trace_of_text(trace_of({"0000 ffffffff 1 R1 VIADD 2 R2 R3 0 0 NoVal",
                                "0010 ffffffff 1 R1 VIADDMNMX 3 R2 R3 R4 0 0 NoVal",
                                "0020 00000001 0 REDG.E.ADD.S32 2 R2 R4 4 0 0x7f0000000 0 NoVal",
                                "0030 ffffffff 0 PREEXIT 0 0 0 NoVal"},
                               "90"));
    const std::vector<Executed> all = executed(file);
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(find_sass_opcode("VIADD")->op_class, SassClass::kInteger);
    EXPECT_EQ(find_sass_opcode("REDG")->op_class, SassClass::kAtomic);
}

/// `text` with its first `from` turned into `to`.
std::string with(std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST(Tracer6, TextNeedsEveryWarpAndKnowsClusters) {
    const std::string good = trace_of({});
    EXPECT_EQ(error_of(good), "");
    EXPECT_THAT(error_of(with(good, "insts = 1", "insts = 0")), HasSubstr("has no instructions"));
    EXPECT_THAT(error_of(with(good, "tracer version = 6", "tracer version = 5")),
                HasSubstr("got 'cluster id = 0,0,0'"));
}

}  // namespace
}  // namespace tessera
