// Is a text shown without anything that a terminal acts on?
#include "sc_models/common/utf8.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(Utf8Test, ControlCharactersAreShown) {
    EXPECT_EQ(printable("\x1b[2J\x1b]0;owned\x07"), R"(\u001b[2J\u001b]0;owned\u0007)");
    EXPECT_EQ(printable("a\x7f\b"), R"(a\u007f\u0008)");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              R"(\u009b31m)")
        << "C1: CSI in one character";
    EXPECT_EQ(printable("\xc2\x85"), R"(\u0085)");
    EXPECT_EQ(printable("a\nb\tc\r"), R"(a\nb\tc\u000d)");
    EXPECT_EQ(printable_lines("a\nb\tc\r"), "a\nb\tc\\u000d");
}

TEST(Utf8Test, CharactersThatTurnTextAroundAreShown) {
    EXPECT_EQ(printable("\u202egnp.exe"), R"(\u202egnp.exe)");
    for (const char* mark :
         {"\u061c", "\u200e", "\u200f", "\u202a", "\u202d", "\u2066", "\u2069", "\u2028"}) {
        EXPECT_EQ(printable(mark).substr(0, 2), "\\u") << mark;
    }
    EXPECT_EQ(printable("\U000e0041"), R"(\U000e0041)");
}

TEST(Utf8Test, OtherTextStays) {
    const char* const text = "Größe ± 3 µs, 层 🙂 שלום";
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_lines(text), text);
    EXPECT_EQ(printable("\xff("), R"(\xff()");
}

}  // namespace
}  // namespace tessera
