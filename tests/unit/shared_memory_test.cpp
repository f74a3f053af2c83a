// Are bank conflicts counted as the banks see them, and do CTAs keep to their regions?
#include "sc_models/sm/shared_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tessera {
namespace {

WarpInstruction rows_of(std::uint16_t rows, std::uint16_t bytes, std::uint32_t pitch,
                        Address address = 0) {
    WarpInstruction w(Opcode::kLoadShared);
    w.memory().set_rows(address, rows, bytes, pitch);
    return w;
}

TEST(SharedMemory, OneWavefrontWithoutConflict) {
    SharedMemory memory(32);
    EXPECT_EQ(memory.wavefronts(rows_of(1, 4, 0)), 1U);
    EXPECT_EQ(memory.wavefronts(rows_of(1, 128, 0)), 1U);
    EXPECT_EQ(memory.wavefronts(rows_of(2, 64, 64)), 1U);
    EXPECT_EQ(memory.wavefronts(rows_of(32, 4, 132)), 1U);
    EXPECT_EQ(memory.wavefronts(rows_of(0, 4, 4)), 1U) << "nothing still takes a turn";
}

/// The wavefronts of an access do not depend on earlier accesses, although all share one cache.
TEST(SharedMemory, RandomRowsTakeTheFullestBanksWords) {
    for (const std::uint32_t banks : {32U, 24U}) {
        SharedMemory memory(banks);
        std::mt19937 random(7);
        for (int i = 0; i < 20000; ++i) {
            const auto w = rows_of(static_cast<std::uint16_t>(2 + random() % 7),
                                   static_cast<std::uint16_t>(2 * (1 + random() % 20)),
                                   2 * (random() % 70), 2 * (random() % 300));
            std::vector<std::uint32_t> words(banks);
            const MemoryAccess& rows = w.memory();
            for (std::uint32_t row = 0; row < rows.rows; ++row) {
                const Address first = rows.address + row * rows.row_pitch_bytes;
                for (Address word = first / 4; word * 4 < first + rows.row_bytes; ++word) {
                    ++words[word % banks];
                }
            }
            ASSERT_EQ(memory.wavefronts(w), *std::max_element(words.begin(), words.end())) << i;
        }
    }
}

TEST(SharedMemory, WordsOfOneBankTakeTurns) {
    SharedMemory memory(32);
    EXPECT_EQ(memory.wavefronts(rows_of(2, 4, 128)), 2U);
    EXPECT_EQ(memory.wavefronts(rows_of(32, 4, 128)), 32U);
    EXPECT_EQ(memory.wavefronts(rows_of(32, 4, 256)), 32U);
    EXPECT_EQ(memory.wavefronts(rows_of(32, 4, 64)), 16U);
    // An accumulator fragment, 16 rows of 16 floats: 256 words over 32 banks are 8 turns at best;
    // rows of a 64-float tile lie on the same 16 banks.
    EXPECT_EQ(memory.wavefronts(rows_of(16, 64, 64)), 8U);
    EXPECT_EQ(memory.wavefronts(rows_of(16, 64, 256)), 16U);
}

TEST(SharedMemory, MisalignedRowTouchesAWordMore) {
    SharedMemory memory(32);
    EXPECT_EQ(memory.wavefronts(rows_of(1, 128, 0, 2)), 2U);
    EXPECT_EQ(memory.wavefronts(rows_of(1, 2, 0, 2)), 1U);
}

TEST(SharedMemory, AnyNumberOfBanks) {
    SharedMemory one(1);
    EXPECT_EQ(one.wavefronts(rows_of(1, 128, 0)), 32U);
    SharedMemory odd(33);
    EXPECT_EQ(odd.wavefronts(rows_of(32, 4, 128)), 1U);
}

TEST(SharedMemory, PiecesATurnApartTakeTurns) {
    WarpInstruction w(Opcode::kLoadPieces);
    w.pieces().row_bytes = 512;
    const auto of = [&](std::uint32_t banks, std::uint32_t pieces) {
        w.pieces().mask = pieces;
        return SharedMemory(banks).wavefronts(w);
    };
    EXPECT_EQ(of(32, 0xffffffffU), 4U);
    EXPECT_EQ(of(32, 0x000000ffU), 1U);
    EXPECT_EQ(of(32, 0x0f0f0f0fU), 4U) << "every other k, all in the same half of the banks";
    EXPECT_EQ(of(32, 0x00f0000fU), 1U);
    EXPECT_EQ(of(32, 0x00000101U), 2U);
    EXPECT_EQ(of(1, 0x3U), 8U);
    EXPECT_EQ(of(6, 0x3U), 2U);
}

TEST(SharedMemory, CountsEachAccessAnew) {
    SharedMemory memory(32);
    EXPECT_EQ(memory.wavefronts(rows_of(32, 4, 128)), 32U);
    EXPECT_EQ(memory.wavefronts(rows_of(1, 4, 0)), 1U);
}

TEST(SharedMemory, RegionsOfCtas) {
    SharedMemory memory(32);
    memory.configure_values(2, 256);
    *memory.at(0, 255) = std::byte{1};
    *memory.at(1, 0) = std::byte{2};
    EXPECT_EQ(*memory.at(0, 255), std::byte{1});
    EXPECT_EQ(*memory.at(1, 0), std::byte{2});
    EXPECT_EQ(memory.at(1, 0), memory.at(0, 255) + 1);
    memory.configure_values(2, 256);
    EXPECT_EQ(*memory.at(1, 0), std::byte{0}) << "cleared for the next kernel";
}

}  // namespace
}  // namespace tessera
