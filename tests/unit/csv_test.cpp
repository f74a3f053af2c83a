// Is a cell read back as it was, and never as a formula?
#include "sc_models/common/csv.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(CsvTest, QuotesAsRfc4180Requires) {
    EXPECT_EQ(csv_text("plain text"), "plain text");
    EXPECT_EQ(csv_text(""), "");
    EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_text("say \"x\""), "\"say \"\"x\"\"\"");
    EXPECT_EQ(csv_text("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(csv_text("two\rlines"), "\"two\rlines\"");
}

TEST(CsvTest, TextsAreNoFormulas) {
    EXPECT_EQ(csv_text("=HYPERLINK(1)"), "'=HYPERLINK(1)");
    EXPECT_EQ(csv_text("+cmd"), "'+cmd");
    EXPECT_EQ(csv_text("-cmd"), "'-cmd");
    EXPECT_EQ(csv_text("-3.5+1"), "'-3.5+1");
    EXPECT_EQ(csv_text("@SUM(A1)"), "'@SUM(A1)");
    EXPECT_EQ(csv_text("\t=1"), "'\t=1");
    EXPECT_EQ(csv_text("\r=1"), "\"'\r=1\"");
    EXPECT_EQ(csv_text("=1,2"), "\"'=1,2\"");
}

TEST(CsvTest, NumbersStayNumbers) {
    for (const char* number : {"-3.5", "+3.5", "-1e-9", "-0", "12"}) {
        EXPECT_EQ(csv_text(number), number);
    }
}

}  // namespace
}  // namespace tessera
