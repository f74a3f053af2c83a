// Do the hash of indices and the search among words side by side give what is written down for
// them?
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "sc_models/common/byte_search.h"
#include "sc_models/common/xor_fold.h"

using namespace tessera;

namespace {

std::uint64_t folded(std::uint64_t value, std::uint32_t bits) {
    std::uint64_t sum = 0;
    for (; bits != 0 && value != 0; value >>= bits) sum ^= value & ((std::uint64_t{1} << bits) - 1);
    return sum;
}

TEST(XorFold, IsTheSumOfAllPieces) {
    std::mt19937_64 random(11);
    for (std::uint32_t bits = 0; bits < 63; ++bits) {
        const XorFold fold(bits);
        for (int i = 0; i < 2000; ++i) {
            const std::uint64_t value = random() >> (1 + random() % 63);  // below 2^63
            ASSERT_EQ(fold(value), folded(value, bits)) << value << " by " << bits;
            ASSERT_EQ(xor_fold(value, bits), folded(value, bits)) << value << " by " << bits;
        }
    }
}

TEST(WordsEqual, ReportsWhichOfSixteen) {
    std::mt19937_64 random(12);
    for (int i = 0; i < 20000; ++i) {
        std::array<std::uint32_t, 16> words{};
        const auto wanted = static_cast<std::uint32_t>(random());
        std::uint32_t expected = 0;
        for (std::uint32_t at = 0; at < words.size(); ++at) {
            // Some that differ in one bit alone.
            const bool equal = random() % 3 == 0;
            words[at] = equal ? wanted : wanted ^ 1U << random() % 32;
            expected |= (equal ? 1U : 0U) << at;
        }
        ASSERT_EQ(words_equal(words.data(), wanted), expected);
    }
}

}  // namespace
