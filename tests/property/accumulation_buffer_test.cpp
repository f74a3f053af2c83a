// Does the accumulation buffer agree with a sequential loop, whatever the schedule?
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/accumulation_rate.h"
#include "sc_models/tensor_core/condensing.h"
#include "sc_models/tensor_core/half.h"

namespace tessera {
namespace {

using Inputs = AccumulationBuffer::Inputs;
using Outputs = AccumulationBuffer::Outputs;

/// Host arithmetic: round to nearest even; one NaN.
std::uint32_t host_add(std::uint32_t x, std::uint32_t y) {
    const float sum = float_from_bits(x) + float_from_bits(y);
    return sum != sum ? 0x7fffffffU : float_bits(sum);
}
std::uint32_t host_product(HalfBits a, HalfBits b) {
    const float product = half_to_float(a) * half_to_float(b);
    return product != product ? 0x7fffffffU : float_bits(product);
}

struct Case {
    const char* name;
    AccumulationBufferConfig config;
};

AccumulationBufferConfig make_config(std::uint32_t banks, AccumulationMap map,
                                     CollectorKind collector, std::uint32_t depth,
                                     std::uint32_t latency) {
    AccumulationBufferConfig config;
    config.banks = banks;
    config.map = map;
    config.collector = collector;
    config.depth_entries = depth;
    config.adder_latency_cycles = latency;
    return config;
}

const std::array<Case, 10> kCases = {{
    {"xor128_fifo8", {}},
    {"xor128_fifo1", make_config(128, AccumulationMap::kXor, CollectorKind::kFifo, 1, 2)},
    {"xor128_fifo3_latency5", make_config(128, AccumulationMap::kXor, CollectorKind::kFifo, 3, 5)},
    {"xor128_slots1", make_config(128, AccumulationMap::kXor, CollectorKind::kSlots, 1, 2)},
    {"xor128_slots8_latency4",
     make_config(128, AccumulationMap::kXor, CollectorKind::kSlots, 8, 4)},
    {"linear16_slots8", make_config(16, AccumulationMap::kLinear, CollectorKind::kSlots, 8, 2)},
    {"xor16_fifo4", make_config(16, AccumulationMap::kXor, CollectorKind::kFifo, 4, 3)},
    {"xor32_fifo4", make_config(32, AccumulationMap::kXor, CollectorKind::kFifo, 4, 1)},
    {"two_d_64_fifo8", make_config(64, AccumulationMap::kTwoD, CollectorKind::kFifo, 8, 2)},
    {"xor256_slots2", make_config(256, AccumulationMap::kXor, CollectorKind::kSlots, 2, 2)},
}};

class AccumulationOrder : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Configs, AccumulationOrder, testing::ValuesIn(kCases),
                         [](const auto& of_case) { return of_case.param.name; });

/// A 32x32 tile times k sets of random density, finite halves, subnormals and zeros of both signs.
TEST_P(AccumulationOrder, TileEqualsDenseLoopOverK) {
    constexpr std::uint32_t kDepth = 24;
    std::mt19937 random(11);
    for (const std::uint32_t density : {16U, 11U, 8U, 5U, 2U, 1U}) {
        AccumulationBuffer buffer(GetParam().config);
        std::vector<std::uint32_t> expected(kTileElements);
        for (std::uint32_t e = 0; e < kTileElements; ++e) {
            expected[e] = float_bits(static_cast<float>(random()) * 0x1p-20F - 2048.0F);
            buffer.set_value(e / kTileSize, e % kTileSize, expected[e]);
        }
        Inputs in;
        for (std::uint32_t k = 0; k < kDepth; ++k) {
            std::array<HalfBits, kTileSize> a{};
            std::array<HalfBits, kTileSize> b{};
            std::uint32_t a_bits = 0;
            std::uint32_t b_bits = 0;
            for (std::uint32_t n = 0; n < kTileSize; ++n) {
                a[n] = static_cast<HalfBits>(random() & 0xbbffU);  // finite
                b[n] = static_cast<HalfBits>(random() & 0xbbffU);
                if (random() % 16 >= density) a[n] &= 0x8000U;
                if (random() % 16 >= density) b[n] &= 0x8000U;
                if ((a[n] & 0x7fffU) != 0) a_bits |= 1U << n;
                if ((b[n] & 0x7fffU) != 0) b_bits |= 1U << n;
            }
            for (std::uint32_t e = 0; e < kTileElements; ++e) {
                expected[e] =
                    host_add(expected[e], host_product(a[e / kTileSize], b[e % kTileSize]));
            }
            for (std::uint32_t i = 0; i < 4; ++i) {
                const auto rows = condensed_group<kOhmmaRows>(a_bits, i);
                for (std::uint32_t j = 0; j < 2; ++j) {
                    const auto columns = condensed_group<kOhmmaColumns>(b_bits, j);
                    in.op_valid = 1;
                    in.op_row = rows.index;
                    in.op_row_valid = rows.valid;
                    in.op_column = columns.index;
                    in.op_column_valid = columns.valid;
                    for (std::uint32_t n = 0; n < kOhmmaProducts; ++n) {
                        in.op_product[n] = host_product(a[rows.index[n / kOhmmaColumns]],
                                                        b[columns.index[n % kOhmmaColumns]]);
                    }
                    while (buffer.step(in).op_ready == 0) {
                    }
                    in.op_valid = 0;
                    while (random() % 4 == 0) buffer.step(in);
                }
            }
        }
        while (buffer.step(in).idle == 0) {
        }
        for (std::uint32_t e = 0; e < kTileElements; ++e) {
            ASSERT_EQ(expected[e], buffer.value(e / kTileSize, e % kTileSize))
                << "row " << e / kTileSize << " column " << e % kTileSize << " density " << density;
        }
    }
}

/// Reference: the words after every accepted request, applied in the order of acceptance.
class SequentialBuffer {
public:
    void preload(const Inputs& in) {
        for (std::uint32_t bank = 0; bank < kOhmmaProducts; ++bank) {
            words_[bank][in.preload_word] = positive_zero(in.preload_data[bank]);
        }
    }
    void sparse(const Inputs& in) {
        for (std::uint32_t i = 0; i < kOhmmaRows; ++i) {
            for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
                if ((in.op_row_valid >> i & in.op_column_valid >> j & 1U) == 0) continue;
                const std::uint32_t row = in.op_row[i];
                // The map of the design, written out once more.
                const std::uint32_t bank = row % 4 * 32 + (in.op_column[j] ^ row / 4 * 4);
                std::uint32_t& word = words_[bank][row / 4];
                word = host_add(word, in.op_product[i * kOhmmaColumns + j]);
            }
        }
    }
    void dense(const Inputs& in) {
        std::array<std::uint32_t, kOhmmaProducts> sums{};
        for (std::uint32_t bank = 0; bank < kOhmmaProducts; ++bank) {
            std::uint32_t& word = words_[bank][in.op_word];
            if (in.op_first != 0) word = positive_zero(in.op_c[bank]);
            word = host_add(word, in.op_product[bank]);
            sums[bank] = word;
        }
        if (in.op_last != 0) results.push_back({in.op_word, sums});
    }
    void drain(bool clear) {
        for (std::uint32_t word = 0; word < 8; ++word) {
            std::array<std::uint32_t, kOhmmaProducts> row{};
            for (std::uint32_t bank = 0; bank < kOhmmaProducts; ++bank) {
                row[bank] = words_[bank][word];
                if (clear) words_[bank][word] = 0;
            }
            rows.push_back({word, row});
        }
    }

    struct Row {
        std::uint32_t word;
        std::array<std::uint32_t, kOhmmaProducts> data;
    };
    std::deque<Row> results;
    std::deque<Row> rows;

private:
    static std::uint32_t positive_zero(std::uint32_t bits) {
        return bits == 0x80000000U ? 0 : bits;
    }
    std::array<std::array<std::uint32_t, 8>, kOhmmaProducts> words_{};
};

std::uint32_t random_float(std::mt19937& random) {
    static constexpr std::array<std::uint32_t, 8> kSpecial = {0x00000000, 0x80000000, 0x7f800000,
                                                              0xff800000, 0x7fffffff, 0x00000001,
                                                              0x807fffff, 0x00800000};
    const std::uint32_t draw = random();
    if (draw % 32 < kSpecial.size()) return kSpecial[draw % 32];
    if (draw % 32 < 12) return random() & 0x80ffffffU;  // subnormals and the smallest normals
    return (random() & 0x80ffffffU) | 0x3c000000U;
}

void random_ohmma(std::mt19937& random, Inputs& in) {
    in.op_dense = static_cast<std::uint32_t>(random() % 8 < 3);
    in.op_first = static_cast<std::uint32_t>(random() % 4 == 0);
    in.op_last = static_cast<std::uint32_t>(random() % 3 == 0);
    in.op_word = random() % 8;
    in.op_row_valid = random() % 256;
    in.op_column_valid = random() % 65536;
    const std::uint32_t step = 2 * (random() % 16) + 1;
    const std::uint32_t start = random();
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) in.op_row[i] = random() % kTileSize;
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) in.op_column[j] = (start + j * step) % 32;
    for (std::uint32_t& product : in.op_product) product = random_float(random);
    for (std::uint32_t& c : in.op_c) c = random_float(random);
}

/// OHMMAs of both kinds, preloads and drains as they come, with stalls at every port.
TEST(AccumulationBuffer, MixedTrafficEqualsSequentialReference) {
    for (const std::uint32_t latency : {2U, 3U, 5U}) {
        std::mt19937 random(latency);
        AccumulationBufferConfig config;
        config.adder_latency_cycles = latency;
        AccumulationBuffer buffer(config);
        SequentialBuffer reference;
        Inputs in;
        std::uint64_t checked_rows = 0;
        std::uint64_t checked_results = 0;
        for (std::uint32_t cycle = 0; cycle < 60000; ++cycle) {
            if (in.op_valid == 0 && random() % 4 != 0) {
                in.op_valid = 1;
                random_ohmma(random, in);
            }
            if (cycle / 256 % 4 == 3 && random() % 2 == 0) in.op_valid = 0;
            if (in.preload_valid == 0 && random() % 64 == 0) {
                in.preload_valid = 1;
                in.preload_word = random() % 8;
                for (std::uint32_t& word : in.preload_data) word = random_float(random);
            }
            in.drain_valid |= static_cast<std::uint32_t>(random() % 128 == 0);
            in.drain_clear = random() % 2;
            in.row_ready = random() % 2;
            in.result_ready = random() % 2;
            const Outputs& out = buffer.step(in);
            // Preloads take effect before operations of the same cycle.
            if (in.preload_valid != 0 && out.preload_ready != 0) {
                reference.preload(in);
                in.preload_valid = 0;
            }
            if (in.op_valid != 0 && out.op_ready != 0) {
                in.op_dense != 0 ? reference.dense(in) : reference.sparse(in);
                in.op_valid = 0;
            }
            if (out.row_valid != 0 && in.row_ready != 0) {
                ASSERT_FALSE(reference.rows.empty()) << "cycle " << cycle;
                ASSERT_EQ(reference.rows.front().word, out.row_word) << "cycle " << cycle;
                ASSERT_EQ(reference.rows.front().data, out.row_data) << "cycle " << cycle;
                reference.rows.pop_front();
                ++checked_rows;
            }
            if (in.drain_valid != 0 && out.drain_ready != 0) {
                reference.drain(in.drain_clear != 0);
                in.drain_valid = 0;
            }
            if (out.result_valid != 0 && in.result_ready != 0) {
                ASSERT_FALSE(reference.results.empty()) << "cycle " << cycle;
                ASSERT_EQ(reference.results.front().word, out.result_word) << "cycle " << cycle;
                ASSERT_EQ(reference.results.front().data, out.result_data) << "cycle " << cycle;
                reference.results.pop_front();
                ++checked_results;
            }
        }
        EXPECT_GT(checked_rows, 500U);
        EXPECT_GT(checked_results, 500U);
    }
}

/// Whatever is under way, a reset leaves a buffer that is idle and does what a new one with the
/// same words does.
TEST(AccumulationBuffer, ResetEmptiesEverythingButTheWords) {
    for (const CollectorKind collector : {CollectorKind::kFifo, CollectorKind::kSlots}) {
        AccumulationBufferConfig config;
        config.collector = collector;
        config.adder_latency_cycles = 4;
        std::mt19937 random(7);
        for (std::uint32_t busy = 0; busy < 60; ++busy) {
            AccumulationBuffer buffer(config), fresh(config);
            Inputs in;
            for (std::uint32_t cycle = 0; cycle < busy; ++cycle) {
                in.op_valid = 1;
                random_ohmma(random, in);
                in.drain_valid = static_cast<std::uint32_t>(cycle % 16 == 15);
                buffer.step(in);
            }
            buffer.reset();
            for (std::uint32_t row = 0; row < kTileSize; ++row) {
                for (std::uint32_t column = 0; column < kTileSize; ++column) {
                    fresh.set_value(row, column, buffer.value(row, column));
                }
            }
            EXPECT_EQ(AccumulationBuffer(buffer).step({}).idle, 1U) << "after " << busy;
            for (std::uint32_t cycle = 0; cycle < 100; ++cycle) {
                in = {};
                in.op_valid = static_cast<std::uint32_t>(cycle < 40);
                random_ohmma(random, in);
                in.result_ready = in.row_ready = 1;
                in.drain_valid = static_cast<std::uint32_t>(cycle == 60);
                const Outputs& is = buffer.step(in);
                const Outputs& should = fresh.step(in);
                ASSERT_EQ(is.op_ready, should.op_ready) << busy << ", cycle " << cycle;
                ASSERT_EQ(is.idle, should.idle) << busy << ", cycle " << cycle;
                ASSERT_EQ(is.result_valid, should.result_valid) << busy << ", cycle " << cycle;
                ASSERT_EQ(is.row_valid, should.row_valid) << busy << ", cycle " << cycle;
                if (is.result_valid != 0) {
                    ASSERT_EQ(is.result_data, should.result_data);
                }
                if (is.row_valid != 0) {
                    ASSERT_EQ(is.row_data, should.row_data);
                }
            }
        }
    }
}

TEST(AccumulationBuffer, EveryMapIsABijection) {
    for (const AccumulationMap map :
         {AccumulationMap::kLinear, AccumulationMap::kTwoD, AccumulationMap::kXor}) {
        for (const std::uint32_t banks : {16U, 32U, 64U, 128U, 256U}) {
            std::vector<bool> seen(kTileElements);
            for (std::uint32_t row = 0; row < kTileSize; ++row) {
                for (std::uint32_t column = 0; column < kTileSize; ++column) {
                    const BankWord place = bank_word(map, banks, row, column);
                    ASSERT_LT(place.bank, banks);
                    ASSERT_LT(place.word, kTileElements / banks);
                    const std::uint32_t address = place.bank * (kTileElements / banks) + place.word;
                    ASSERT_FALSE(seen[address]) << banks << " banks, " << row << ", " << column;
                    seen[address] = true;
                }
            }
        }
    }
}

struct Rate {
    double density_a;
    double density_b;
    double xor128_slot1;  ///< OHMMAs a cycle, adder latency 1, of an independent simulation
    double two_d_slot1;
};

/// The operand collector keeps up; without one, banks conflict as often as an independent
/// simulation found.
TEST(AccumulationBuffer, SustainedRates) {
    static constexpr std::array<Rate, 10> kRates = {{{1, 1, .500, 1},
                                                     {.75, .75, .444, .401},
                                                     {.5, .5, .471, .333},
                                                     {.3, .4, .449, .298},
                                                     {.25, .25, .512, .336},
                                                     {.1, .1, .876, .619},
                                                     {1, .5, .566, .595},
                                                     {1, .1, .884, .885},
                                                     {1, .01, .994, .996},
                                                     {.3, 1, .494, .556}}};
    constexpr std::uint64_t kOhmmas = 20000;
    for (const Rate& rate : kRates) {
        const auto of = [&](const AccumulationBufferConfig& config) {
            return sustained_ohmma_rate(config, rate.density_a, rate.density_b, kOhmmas, 7);
        };
        EXPECT_GE(of({}), .99) << rate.density_a << ", " << rate.density_b;
        EXPECT_NEAR(of(make_config(128, AccumulationMap::kXor, CollectorKind::kSlots, 1, 1)),
                    rate.xor128_slot1, .02);
        EXPECT_NEAR(of(make_config(128, AccumulationMap::kTwoD, CollectorKind::kSlots, 1, 1)),
                    rate.two_d_slot1, .02);
    }
}

TEST(AccumulationBuffer, TimingOnlyTakesTheSameCycles) {
    std::mt19937 random(3);
    AccumulationBufferConfig timing;
    timing.values = false;
    AccumulationBuffer fast(timing);
    AccumulationBuffer full({});
    Inputs in;
    for (std::uint32_t cycle = 0; cycle < 20000; ++cycle) {
        if (in.op_valid == 0) random_ohmma(random, in);
        in.op_valid = static_cast<std::uint32_t>(in.op_valid != 0 || random() % 4 != 0);
        in.result_ready = random() % 2;
        const Outputs& a = fast.step(in);
        const Outputs& b = full.step(in);
        ASSERT_EQ(a.op_ready, b.op_ready);
        ASSERT_EQ(a.result_valid, b.result_valid);
        ASSERT_EQ(a.idle, b.idle);
        if (b.op_ready != 0) in.op_valid = 0;
    }
    EXPECT_EQ(fast.issued(), full.issued());
    EXPECT_GT(full.issued(), 10000U);
}

TEST(AccumulationBuffer, RefusesWhatHasNoHardware) {
    AccumulationBufferConfig config;
    config.banks = 48;
    EXPECT_THROW(AccumulationBuffer{config}, ConfigError);
    config = {};
    config.depth_entries = 0;
    EXPECT_THROW(AccumulationBuffer{config}, ConfigError);
    config = {};
    config.adder_latency_cycles = 0;
    EXPECT_THROW(AccumulationBuffer{config}, ConfigError);
    config = {};
    config.banks = 64;
    AccumulationBuffer half(config);
    Inputs in;
    in.op_valid = 1;
    in.op_dense = 1;
    EXPECT_THROW(half.step(in), ConfigError);
    EXPECT_THROW((void)sustained_ohmma_rate({}, 0, 1, 1, 1), ConfigError);
    EXPECT_THROW((void)sustained_ohmma_rate({}, 1, 1.5, 1, 1), ConfigError);
}

}  // namespace
}  // namespace tessera
