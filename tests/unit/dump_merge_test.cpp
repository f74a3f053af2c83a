// Dumps of several sources in one file.
#include "sc_models/observe/dump_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>

#include "sc_models/common/error.h"
#include "sc_models/observe/vcd_writer.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

class DumpMergeTest : public test::TempFolder {
protected:
    std::string file() const { return (folder / "all.vcd").string(); }
};

constexpr const char* kMain =
    "$version x $end\n$timescale 1 fs $end\n$scope module gpu $end\n"
    "$var wire 48 ! cycle [47:0] $end\n$scope module sm0 $end\n$var wire 1 \" busy $end\n"
    "$upscope $end\n$upscope $end\n$enddefinitions $end\n"
    "#0\n$dumpvars\nb0 !\n1\"\n$end\n#100\nb1 !\n#300\nb11 !\n";
constexpr const char* kBlock =
    "$version Verilator $end\n$timescale 1fs $end\n\n $scope module TOP $end\n"
    "  $var wire  1 ! clk_i $end\n  $var wire  8 # data_o [7:0] $end\n  $scope struct s $end\n"
    "   $var wire  8 # data [7:0] $end\n  $upscope $end\n $upscope $end\n"
    "$enddefinitions $end\n\n\n#100\n0!\nb00000001 #\n#150\n1!\n#400\n0!\nbx #\n";

TEST_F(DumpMergeTest, ChangesAreInOrderOfTimeUnderTheirOwnScopesAndCodes) {
    const std::string main = write("main.part", kMain);
    const std::string block = write("block.part", kBlock);
    VcdWriter writer(file());
    merge_dumps({{main, ""}, {block, "gpu.sm0.rtl"}}, writer);
    const std::string said = content(file());
    EXPECT_EQ(said.substr(said.find("$timescale")),
              "$timescale 1 fs $end\n$scope module gpu $end\n$var wire 48 ! cycle [47:0] $end\n"
              "$scope module sm0 $end\n$var wire 1 \" busy $end\n$scope module rtl $end\n"
              "$scope module TOP $end\n$var wire 1 # clk_i $end\n$var wire 8 $ data_o [7:0] $end\n"
              "$scope struct s $end\n$var wire 8 $ data [7:0] $end\n$upscope $end\n"
              "$upscope $end\n$upscope $end\n$upscope $end\n$upscope $end\n"
              "$enddefinitions $end\n"
              "#0\n$dumpvars\nb0 !\n1\"\n$end\n#100\nb1 !\n0#\nb00000001 $\n#150\n1#\n#300\n"
              "b11 !\n#400\n0#\nbx $\n");
    EXPECT_FALSE(std::filesystem::exists(main)) << "merged dumps are removed";
    EXPECT_FALSE(std::filesystem::exists(block));
}

TEST_F(DumpMergeTest, ADumpThatWasNeverWrittenIsEmpty) {
    VcdWriter writer(file());
    merge_dumps({{write("main.part", kMain), ""},
                 {write("empty.part", ""), "gpu.a"},
                 {(folder / "none.part").string(), "gpu.b"}},
                writer);
    EXPECT_THAT(content(file()), HasSubstr("#300\nb11 !\n"));
}

TEST_F(DumpMergeTest, WhatIsNoWholeDumpOfBitsIsRefusedAndLeavesNoFile) {
    const auto refusal = [&](const std::string& text) -> std::string {
        VcdWriter writer(file());
        try {
            merge_dumps({{write("main.part", kMain), ""}, {write("other.part", text), "gpu.a"}},
                        writer);
        } catch (const CheckError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refusal("$version x $end\n$scope module TOP $end\n"),
                HasSubstr("other.part: no $enddefinitions"));
    EXPECT_THAT(refusal("$var real 64 ! r $end\n$enddefinitions $end\n"),
                HasSubstr("got '$var real 64 ! r $end', expected a signal of bits"));
    EXPECT_THAT(refusal("$enddefinitions $end\n#0\n1!\n"), HasSubstr("no signal has the code '!'"));
    EXPECT_THAT(refusal("$enddefinitions $end\n#x\n"), HasSubstr("got '#x', expected a time"));
    EXPECT_FALSE(std::filesystem::exists(file()));
    EXPECT_FALSE(std::filesystem::exists(file() + ".part"));
}

}  // namespace
}  // namespace tessera
