// Dumps of several sources in one file.
#include "sc_models/observe/vcd_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sc_models/common/error.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

class VcdMergeTest : public test::TempFolder {};

constexpr const char* kMain =
    "$version x $end\n$timescale 1 fs $end\n$scope module gpu $end\n"
    "$var wire 48 ! cycle [47:0] $end\n$upscope $end\n$enddefinitions $end\n"
    "#0\n$dumpvars\nb0 !\n$end\n#100\nb1 !\n#300\nb11 !\n";
constexpr const char* kBlock =
    "$version Verilator $end\n$timescale 1fs $end\n\n $scope module TOP $end\n"
    "  $var wire  1 ! clk_i $end\n  $var wire  8 # data_o [7:0] $end\n $upscope $end\n"
    "$enddefinitions $end\n\n\n#100\n0!\nb00000001 #\n#150\n1!\n#400\n0!\nb00000010 #\n";

TEST_F(VcdMergeTest, ChangesAreInOrderOfTimeUnderTheirOwnScopesAndCodes) {
    const std::string file = write("main.vcd", kMain);
    const std::string block = write("block.vcd", kBlock);
    merge_vcd(file, {{block, "gpu.sm0.rtl"}});
    EXPECT_EQ(
        content(file),
        "$version tessera $end\n$timescale 1 fs $end\n$scope module gpu $end\n"
        "$var wire 48 A! cycle [47:0] $end\n"
        "$scope module sm0 $end\n$scope module rtl $end\n"
        " $scope module TOP $end\n$var wire 1 B! clk_i $end\n$var wire 8 B# data_o [7:0] $end\n"
        " $upscope $end\n$upscope $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n"
        "#0\nb0 A!\n#100\nb1 A!\n0B!\nb00000001 B#\n#150\n1B!\n#300\nb11 A!\n#400\n0B!\n"
        "b00000010 B#\n");
    EXPECT_FALSE(std::filesystem::exists(block)) << "merged dumps are removed";
}

TEST_F(VcdMergeTest, ADumpThatWasNeverWrittenIsEmpty) {
    const std::string file = write("main.vcd", kMain);
    merge_vcd(file, {{write("empty.vcd", ""), "gpu.a"}, {(folder / "none.vcd").string(), "gpu.b"}});
    EXPECT_THAT(content(file), HasSubstr("#300\nb11 A!\n"));
}

TEST_F(VcdMergeTest, HalfADumpIsRefusedAndTheFileIsLeftAlone) {
    const std::string file = write("main.vcd", kMain);
    const std::string half = write("half.vcd", "$version x $end\n$scope module TOP $end\n");
    EXPECT_THROW(merge_vcd(file, {{half, "gpu.a"}}), CheckError);
    EXPECT_EQ(content(file), kMain);
}

}  // namespace
}  // namespace tessera
