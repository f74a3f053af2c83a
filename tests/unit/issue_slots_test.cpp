// Do requests share cycles as far as ports and banks allow, and no further?
#include "sc_models/sm/bank_scheduler.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

L1Config banked(std::uint32_t banks, std::uint32_t interleave, BankHash hash) {
    L1Config l1;
    l1.banks = banks;
    l1.bank_interleave_bytes = interleave;
    l1.bank_hash = hash;
    return l1;
}

TEST(BankMap, PlainModulo) {
    const BankMap map(banked(4, 32, BankHash::kNone));
    EXPECT_EQ(map.bank(0), 0U);
    EXPECT_EQ(map.bank(31), 0U);
    EXPECT_EQ(map.bank(32), 1U);
    EXPECT_EQ(map.bank(96), 3U);
    EXPECT_EQ(map.bank(128), 0U);
    const BankMap odd(banked(4, 48, BankHash::kNone));
    EXPECT_EQ(odd.bank(47), 0U);
    EXPECT_EQ(odd.bank(48), 1U);
    EXPECT_EQ(odd.bank(2 * 48 + 1), 2U);
    const BankMap lines(banked(4, 128, BankHash::kNone));
    EXPECT_EQ(lines.bank(127), 0U);
    EXPECT_EQ(lines.bank(128), 1U);
}

TEST(BankMap, HashFoldsAllDigits) {
    const BankMap map(banked(4, 32, BankHash::kXor));
    // Unit 0x1b = digits 1, 2, 3 of base 4: 1 ^ 2 ^ 3 = 0; unit 0x6 = 1, 2: 3.
    EXPECT_EQ(map.bank(0x1b * 32), 0U);
    EXPECT_EQ(map.bank(0x6 * 32), 3U);
    // Four units that differ in one digit lie in four banks, whichever digit it is.
    for (std::uint32_t digit = 0; digit < 8; ++digit) {
        std::uint32_t seen = 0;
        for (Address value = 0; value < 4; ++value) {
            seen |= 1U << map.bank((Address{0x2d} * 65536 + (value << (2 * digit))) * 32);
        }
        EXPECT_EQ(seen, 0xfU) << "digit " << digit;
    }
}

TEST(BankMap, NextDigitOnly) {
    const BankMap map(banked(4, 32, BankHash::kXorNext));
    // Unit 0x1b = digits 1, 2, 3 of base 4: 2 ^ 3 = 1, whatever is above.
    EXPECT_EQ(map.bank(0x1b * 32), 1U);
    EXPECT_EQ(map.bank(0x2b * 32), 1U);
    EXPECT_EQ(map.bank(0x1b * 32 + 31), 1U);
    // Lines in turn start in banks 0 to 3, and sixteen units later the order is the same again.
    for (Address line = 0; line < 64; ++line) EXPECT_EQ(map.bank(line * 128), line % 4);
    EXPECT_EQ(BankMap(banked(8, 128, BankHash::kXorNext)).bank(0x2b * 128), 3U ^ 5U);
}

TEST(BankMap, OneBank) {
    const BankMap map(banked(1, 32, BankHash::kXor));
    for (Address a = 0; a < 4096; a += 32) EXPECT_EQ(map.bank(a), 0U);
}

TEST(BankScheduler, FillACycleThenOpenTheNext) {
    BankScheduler slots(10, 2);
    EXPECT_EQ(slots.take(0), 10U);
    EXPECT_EQ(slots.take(1), 10U);
    EXPECT_EQ(slots.peek(2), 11U);
    EXPECT_EQ(slots.take(2), 11U);
    EXPECT_EQ(slots.end(), 12U);
}

TEST(BankScheduler, BankServesOnceACycle) {
    BankScheduler slots(10, 4);
    EXPECT_EQ(slots.take(3), 10U);
    EXPECT_EQ(slots.peek(3), 11U);
    EXPECT_EQ(slots.peek(2), 10U);
    EXPECT_EQ(slots.take(3), 11U);
    // In order: what follows does not go back to cycle 10.
    EXPECT_EQ(slots.take(2), 11U);
    EXPECT_EQ(slots.end(), 12U);
}

TEST(BankScheduler, PeekTakesNothing) {
    BankScheduler slots(5, 1);
    EXPECT_EQ(slots.peek(0), 5U);
    EXPECT_EQ(slots.peek(0), 5U);
    EXPECT_EQ(slots.take(0), 5U);
}

TEST(BankScheduler, HeldRequestHoldsWhatIsBehind) {
    BankScheduler slots(10, 4);
    slots.take(0);
    slots.stall_until(25);
    EXPECT_EQ(slots.peek(1), 25U);
    EXPECT_EQ(slots.take(1), 25U);
    slots.stall_until(20);  // in the past: nothing to hold
    EXPECT_EQ(slots.take(2), 25U);
    EXPECT_EQ(slots.end(), 26U);
}

TEST(BankScheduler, AnInstructionTakesACycleAtLeast) {
    EXPECT_EQ(BankScheduler(7, 4).end(), 8U);
}

TEST(BankScheduler, LastBankOfManyCounts) {
    BankScheduler slots(0, 32);
    EXPECT_EQ(slots.take(63), 0U);
    EXPECT_EQ(slots.take(63), 1U);
    EXPECT_EQ(slots.take(0), 1U);
}

}  // namespace
}  // namespace tessera
