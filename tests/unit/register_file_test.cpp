// Does the register file find the contents of fragments, renamed or not?
#include "sc_models/sm/register_file.h"

#include <gtest/gtest.h>
#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kCopyBytes = kFragmentRows * kFragmentRowBytes;
constexpr std::uint8_t kFragment = 10;  // fragments need not begin at a multiple of 8

class RenamedFragment : public testing::Test {
protected:
    void make(std::uint32_t rows, std::uint32_t copies) {
        units_ = FragmentUnits(rows, copies);
        registers_.rename_in(units_);
        registers_.configure(4, 32);
        std::fill_n(registers_.at(WarpId(2), kFragment), kFragmentBytes, std::byte{0xee});
    }
    void rename(std::uint32_t unit, std::uint32_t phys) {
        std::fill_n(registers_.unit(PhysRegId(phys)), units_.bytes(), std::byte(phys));
        registers_.rename(WarpId(2), kFragment, unit, PhysRegId(phys));
    }
    /// The byte that all of a row of an octet copy holds; -1 if it holds several.
    int row(std::uint32_t copy, std::uint32_t row) {
        const std::byte* copies[2];
        registers_.read_fragment(WarpId(2), kFragment, scratch_, copies);
        const std::byte* const begin = copies[copy] + row * kFragmentRowBytes;
        const bool same = std::all_of(begin, begin + kFragmentRowBytes,
                                      [begin](std::byte b) { return b == *begin; });
        return same ? std::to_integer<int>(*begin) : -1;
    }

    FragmentUnits units_{kFragmentRows, 1};
    RegisterFile registers_;
    std::array<std::byte, kFragmentBytes> scratch_{};
};

TEST_F(RenamedFragment, IsWhereItsRegistersAreUntilRenamed) {
    make(1, 2);
    const std::byte* copies[2];
    registers_.read_fragment(WarpId(2), kFragment, scratch_, copies);
    EXPECT_EQ(copies[0], registers_.at(WarpId(2), kFragment));
    EXPECT_EQ(copies[1], copies[0] + kCopyBytes);
    EXPECT_EQ(row(1, 15), 0xee);
}

TEST_F(RenamedFragment, LiesRowByRowInPhysicalUnits) {
    make(1, 2);
    for (std::uint32_t unit = 0; unit < units_.count(); ++unit) rename(unit, 100 + unit);
    rename(16 + 3, 7);  // shared by two
    rename(5, 7);
    registers_.rename(WarpId(2), kFragment, 6, PhysRegId());
    EXPECT_EQ(row(0, 0), 100);
    EXPECT_EQ(row(1, 15), 131);
    EXPECT_EQ(row(1, 3), 7);
    EXPECT_EQ(row(0, 5), 7);
    EXPECT_EQ(row(0, 6), 0) << "known to be zero";
    registers_.configure(4, 32);
    EXPECT_EQ(row(0, 0), 0) << "of the last kernel";
}

TEST_F(RenamedFragment, LiesInHalfTiles) {
    make(8, 2);
    for (std::uint32_t unit = 0; unit < 4; ++unit) rename(unit, 10 + unit);
    EXPECT_EQ(row(0, 7), 10);
    EXPECT_EQ(row(0, 8), 11);
    EXPECT_EQ(row(1, 7), 12);
    EXPECT_EQ(row(1, 15), 13);
}

TEST_F(RenamedFragment, HasOneUnitForBothCopies) {
    make(16, 1);
    rename(0, 9);
    EXPECT_EQ(row(0, 15), 9);
    EXPECT_EQ(row(1, 0), 9);
}

TEST_F(RenamedFragment, IsReadOnceForEachSetOfRegistersItLiesIn) {
    make(1, 2);
    const auto reads = [&](RegisterAddress address) {
        return registers_.reads_of_fragment(WarpId(2), kFragment, address);
    };
    EXPECT_EQ(reads(RegisterAddress::kWarp), 1U) << "not renamed";
    for (std::uint32_t unit = 0; unit < 32; ++unit) rename(unit, 64 + unit);
    EXPECT_EQ(reads(RegisterAddress::kWarp), 1U) << "units 64..95 are one set";
    EXPECT_EQ(reads(RegisterAddress::kLane), 1U);
    rename(3, 32 + 3);
    rename(4, 4);
    EXPECT_EQ(reads(RegisterAddress::kWarp), 3U);
    EXPECT_EQ(reads(RegisterAddress::kLane), 1U) << "each in its own lane";
    rename(5, 32 + 6);
    EXPECT_EQ(reads(RegisterAddress::kWarp), 3U);
    EXPECT_EQ(reads(RegisterAddress::kLane), 2U) << "lane 6 has two of them";
    for (std::uint32_t unit = 0; unit < 32; ++unit) rename(unit, 6);
    EXPECT_EQ(reads(RegisterAddress::kWarp), 1U) << "one register, broadcast";
    EXPECT_EQ(reads(RegisterAddress::kLane), 1U);
    for (std::uint32_t unit = 0; unit < 32; ++unit) {
        registers_.rename(WarpId(2), kFragment, unit, PhysRegId());
    }
    EXPECT_EQ(reads(RegisterAddress::kWarp), 0U) << "known to be zero";
}

TEST_F(RenamedFragment, IsFollowedWithoutContents) {
    registers_.rename_in(FragmentUnits(1, 2));
    EXPECT_FALSE(registers_.follows_renaming());
    registers_.follow_renaming(4, 32);
    EXPECT_TRUE(registers_.follows_renaming());
    EXPECT_FALSE(registers_.holds_values());
    for (std::uint32_t unit = 0; unit < 32; ++unit) {
        registers_.rename(WarpId(1), 8, unit, PhysRegId(unit * 32));
    }
    EXPECT_EQ(registers_.reads_of_fragment(WarpId(1), 8, RegisterAddress::kWarp), 32U);
    EXPECT_EQ(registers_.reads_of_fragment(WarpId(1), 8, RegisterAddress::kLane), 32U);
}

}  // namespace
}  // namespace tessera
