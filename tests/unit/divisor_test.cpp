// Are quotients and remainders those of a division?
#include "sc_models/common/divisor.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tessera {
namespace {

TEST(Divisor, DividesExactly) {
    constexpr std::uint64_t kLargest = Divisor::kLimit - 1;
    std::mt19937_64 random(5);
    std::vector<std::uint64_t> divisors = {1,
                                           2,
                                           3,
                                           5,
                                           7,
                                           24,
                                           96,
                                           1024,
                                           833333,
                                           kLargest - 1,
                                           kLargest,
                                           kLargest + 1,
                                           kLargest + 2,
                                           ~std::uint64_t{0}};
    for (int i = 0; i < 200; ++i) divisors.push_back((random() >> random() % 64) | 1U);
    for (const std::uint64_t by : divisors) {
        const Divisor divisor(by);
        ASSERT_EQ(divisor.value(), by);
        const auto expect = [&](std::uint64_t number) {
            if (number > kLargest) number &= kLargest;
            ASSERT_EQ(number / divisor, number / by) << number << " by " << by;
            ASSERT_EQ(number % divisor, number % by) << number << " by " << by;
            ASSERT_EQ(divisor.split(number).quotient, number / by);
        };
        for (int i = 0; i < 2000; ++i) {
            const std::uint64_t number = random() >> random() % 64;
            expect(number);
            const std::uint64_t edge = number / by * by;  // where an estimate may be one off
            expect(edge);
            expect(edge + by - 1);
            expect(edge - 1);
        }
        expect(0);
        expect(kLargest);
        expect(kLargest / by * by);
        expect(kLargest / by * by - 1);
    }
}

}  // namespace
}  // namespace tessera
