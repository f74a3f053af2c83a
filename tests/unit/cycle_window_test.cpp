// Are windows and scopes read as the user means them?
#include "sc_models/observe/cycle_window.h"

#include <gtest/gtest.h>

#include "sc_models/common/error.h"
#include "sc_models/observe/scope_filter.h"

namespace tessera {
namespace {

TEST(CycleWindow, EitherSideMayBeLeftOut) {
    const auto parse = [](std::string_view text) { return CycleWindow::parse(text, "--w"); };
    EXPECT_EQ(parse("10:20").begin, 10U);
    EXPECT_EQ(parse("10:20").end, 20U);
    EXPECT_EQ(parse(":20").begin, 0U);
    EXPECT_EQ(parse("10:").end, kNever);
    EXPECT_EQ(parse(":").end, kNever);
    EXPECT_EQ(parse("10:").text(), "10:");
}

TEST(CycleWindow, CountsFromTheFirstKernelOfItsName) {
    const auto window = CycleWindow::parse("gemm:10:20", "--w");
    EXPECT_EQ(window.kernel, "gemm");
    EXPECT_EQ(window.text(), "gemm:10:20");
    EXPECT_NO_THROW(window.check_kernel({"c2.im2col", "c2.gemm"}, "--w"));
    EXPECT_THROW(window.check_kernel({"c2.im2col", "c2.xgemm"}, "--w"), ConfigError);

    PlacedWindow placed(window);
    EXPECT_FALSE(placed.placed());
    EXPECT_EQ(placed.begin(), kNever);
    placed.start_kernel("c2.im2col", 0);
    EXPECT_FALSE(placed.placed());
    placed.start_kernel("c2.gemm", 1000);
    EXPECT_EQ(placed.begin(), 1010U);
    EXPECT_EQ(placed.end(), 1020U);
    placed.start_kernel("c2.gemm", 1015);  // over already, and not the first
    EXPECT_EQ(placed.begin(), 1010U);
    EXPECT_EQ(placed.end(), 1015U);

    PlacedWindow open(CycleWindow::parse("gemm::", "--w"));
    open.start_kernel("gemm", 1000);
    EXPECT_EQ(open.end(), kNever);
    open.start_kernel("last", 1500);
    EXPECT_EQ(open.end(), 1500U);
}

TEST(CycleWindow, AnythingElseIsOneError) {
    for (const char* text : {"", "10", "10-20", "a:b", "10:2x", "-1:5", ":1:2", "a:b:c", "gemm:5",
                             "gemm:20:10", "20:20", "20:10", "0:99999999999999999999", " 1:2"}) {
        try {
            (void)CycleWindow::parse(text, "--wave-window");
            FAIL() << text;
        } catch (const ConfigError& error) {
            const std::string expected =
                std::string("--wave-window: got '") + text + "', expected ";
            EXPECT_EQ(std::string(error.what()).substr(0, expected.size()), expected);
        }
    }
}

TEST(ScopeFilter, PatternsSelectWhatTheyMatchAndEverythingInside) {
    ScopeFilter filter("sm0.*,sm1,*.l1");
    EXPECT_TRUE(filter.matches("sm0.sub_core3"));
    EXPECT_TRUE(filter.matches("sm1.ldst"));
    EXPECT_TRUE(filter.matches("sm7.l1"));
    EXPECT_FALSE(filter.matches("sm10.ldst"));
    EXPECT_FALSE(filter.matches("memory.l2_0"));
    EXPECT_NO_THROW(filter.check("--wave-scope"));
}

TEST(ScopeFilter, EveryPatternMustMatchUnlessOneSuffices) {
    ScopeFilter filter("sm0,memory");
    EXPECT_TRUE(filter.matches("sm0"));
    EXPECT_THROW(filter.check("--wave-scope"), ConfigError);
    EXPECT_NO_THROW(filter.check("--wave-scope", true));
    ScopeFilter nothing("");
    EXPECT_FALSE(nothing.matches("sm0"));
    EXPECT_THROW(nothing.check("--wave-scope", true), ConfigError);
}

TEST(ScopeFilter, ScopesAreSummarisedByTheirNumbers) {
    EXPECT_EQ(summarise_scopes({"sm0.ldst", "sm79.ldst", "sm8.sub_core0", "sm9.sub_core3", "noc"}),
              "noc, sm{0..79}.ldst, sm{8..9}.sub_core{0..3}");
}

}  // namespace
}  // namespace tessera
