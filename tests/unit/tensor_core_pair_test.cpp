// Does the pair of tensor cores feed its units the right copies, one product after the other, and
// hand the accumulation buffer from tile to tile?
#include "sc_models/sm/tensor_core_pair.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "sc_models/tensor_core/fedp.h"

namespace tessera {
namespace {

/// Puts into D what lies in column 0 of A's row and B's column, and adds C.
class FakeMatrixUnit : public MatrixUnit {
public:
    std::uint32_t calls = 0;
    MatrixTiming structured{48, 20}, integer{50, 24};
    [[nodiscard]] MatrixTiming timing() const override { return {40, 32}; }
    [[nodiscard]] MatrixTiming timing_of(FragmentProduct product) const override {
        if (product == FragmentProduct::kHalf) return timing();
        return product == FragmentProduct::kStructured ? structured : integer;
    }
    MatrixTiming multiply(Cycle /*start*/, const HalfBits a[kMatrixElements],
                          const HalfBits b[kMatrixElements], const float c[kMatrixElements],
                          float d[kMatrixElements]) override {
        ++calls;
        for (std::uint32_t i = 0; i < kMatrixElements; ++i) {
            const std::uint32_t row = i / kMatrixSize, column = i % kMatrixSize;
            d[i] = static_cast<float>(a[row * kMatrixSize] + b[column * kMatrixSize]) + c[i];
        }
        return timing();
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return 100; }
};

/// Takes 10 cycles an SpWMMA and 3 to drain; its sums are what was loaded, one more for each
/// SpWMMA.
class FakeSpwmmaUnit : public SpwmmaUnit {
public:
    SpwmmaConfig its;
    std::array<float, kTileElements> sums{};
    void at(Cycle now) override { when.push_back(now); }
    Cycle run(const SpwmmaTile& /*a*/, const SpwmmaTile& /*b*/, SpwmmaWork& work) override {
        ++work.k_sets;
        for (float& sum : sums) ++sum;
        return 10;
    }
    Cycle drain() override { return 3; }
    void load(const float* tile) override { std::copy_n(tile, sums.size(), sums.begin()); }
    void store(float* tile) override { std::copy_n(sums.begin(), sums.size(), tile); }
    void watch(std::vector<SpwmmaSet>* /*sets*/) override {}
    [[nodiscard]] const SpwmmaConfig& config() const override { return its; }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return 11; }
    std::vector<Cycle> when;
};

/// Stands where the sub-core stands.
class Sender : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<Sender> socket{"socket"};
    explicit Sender(const sc_core::sc_module_name& name) : sc_module(name) {}
};

class TensorCorePairTest : public testing::Test {
protected:
    static constexpr Cycle kSwap = 5, kLatency = 6;

    TensorCorePairTest() {
        auto matrix = std::make_unique<FakeMatrixUnit>();
        auto sparse = std::make_unique<FakeSpwmmaUnit>();
        sparse->its.swap_cycles = kSwap;
        sparse->its.latency_cycles = kLatency;
        matrix_ = matrix.get();
        sparse_ = sparse.get();
        const auto make = [&] {
            auto blocks = std::make_unique<OuterProductBlocks>(BlockDetail::kWhole,
                                                               BlockDetail::kWhole, models_only());
            return TensorCoreUnits{std::move(blocks), std::move(matrix), std::move(sparse)};
        };
        pair_ = std::make_unique<TensorCorePair>("pair", make, clock_, stats_);
        sender_.socket.bind(pair_->from_sub_core);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    /// Sends `operands` to arrive at cycle `at`; returns when the result is there.
    template <class Operands>
    Cycle send(Operands& operands, Cycle at) {
        tlm::tlm_generic_payload payload;
        payload.set_extension(&operands);
        sc_core::sc_time delay = clock_.span(at);
        sender_.socket->b_transport(payload, delay);
        status_ = payload.get_response_status();
        payload.clear_extension(&operands);
        return clock_.cycle_at(delay);
    }
    /// An SpWMMA of `warp` on `sums`, or its wish to have them back.
    SpwmmaOperands sparse_of(std::uint32_t warp, float* sums, bool flush = false) {
        SpwmmaOperands operands;
        if (!flush) operands.a.counts = operands.b.counts = counts_.data();
        operands.warp = WarpId(warp);
        operands.accumulators = 8;
        operands.sums = reinterpret_cast<std::byte*>(sums);
        return operands;
    }

    ClockDomain clock_{1000};
    StatGroup stats_{"pair"};
    FakeMatrixUnit* matrix_ = nullptr;
    FakeSpwmmaUnit* sparse_ = nullptr;
    std::unique_ptr<TensorCorePair> pair_;
    Sender sender_{"sender"};
    tlm::tlm_response_status status_ = tlm::TLM_INCOMPLETE_RESPONSE;
    std::array<std::uint8_t, kSpwmmaDepth> counts_{};
};

TEST_F(TensorCorePairTest, TheRightHalfReadsItsOwnCopyOfA) {
    std::array<HalfBits, kMatrixElements> left{}, right{}, b{};
    std::array<float, kMatrixElements> c{};
    for (std::uint32_t i = 0; i < kMatrixElements; ++i) {
        left[i] = static_cast<HalfBits>(i);
        right[i] = static_cast<HalfBits>(1000 + 2 * i);
        b[i] = static_cast<HalfBits>(3 * i);
    }
    const auto product = [&](const auto& second) {
        for (std::uint32_t i = 0; i < kMatrixElements; ++i) c[i] = static_cast<float>(i) / 4;
        MmaOperands operands;
        operands.a[0] = reinterpret_cast<const std::byte*>(left.data());
        operands.a[1] = reinterpret_cast<const std::byte*>(second.data());
        operands.b = reinterpret_cast<const std::byte*>(b.data());
        operands.c = reinterpret_cast<std::byte*>(c.data());
        send(operands, 0);
    };
    const auto expect = [&](const auto& second) {
        for (std::uint32_t i = 0; i < kMatrixElements; ++i) {
            const std::uint32_t row = i / kMatrixSize, column = i % kMatrixSize;
            const auto& a = column < kMatrixSize / 2 ? left : second;
            ASSERT_EQ(c[i], static_cast<float>(a[row * kMatrixSize] + b[column * kMatrixSize]) +
                                static_cast<float>(i) / 4)
                << "row " << row << ", column " << column;
        }
    };
    product(right);
    expect(right);
    EXPECT_EQ(matrix_->calls, 2U) << "once for each copy";
    product(left);
    expect(left);
    const std::array<HalfBits, kMatrixElements> same = left;
    product(same);
    expect(same);
    EXPECT_EQ(matrix_->calls, 4U) << "copies that are equal need one product";
    EXPECT_EQ(stats_.sum("rtl_cycles"), 100U);
}

TEST_F(TensorCorePairTest, OneProductAfterTheOther) {
    MmaOperands operands;
    EXPECT_EQ(send(operands, 100), 140U);
    EXPECT_EQ(operands.free_at, 132U);
    EXPECT_EQ(send(operands, 110), 172U) << "from 132 on";
    EXPECT_EQ(operands.free_at, 164U);
    EXPECT_EQ(send(operands, 164), 204U);
    EXPECT_EQ(status_, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(stats_.sum("operations"), 3U);
    EXPECT_EQ(stats_.sum("busy_cycles"), 3U * 32U);
    EXPECT_EQ(matrix_->calls, 0U) << "no values, nothing to compute";
}

/// The fake unit sees column 0 of each half of k: with the first element of every group kept, those
/// of B's first and ninth kept halves.
TEST_F(TensorCorePairTest, AStructuredProductIsTwoProductsOfTheExpandedOperand) {
    std::array<HalfBits, kMatrixElements> first{}, second{}, kept{};
    std::array<std::uint32_t, kMatrixSize> metadata{};
    std::array<float, kMatrixElements> c{};
    for (std::uint32_t i = 0; i < kMatrixElements; ++i) {
        first[i] = static_cast<HalfBits>(i);
        second[i] = static_cast<HalfBits>(1000 + i);
        kept[i] = static_cast<HalfBits>(7 * i);
        c[i] = static_cast<float>(i) / 4;
    }
    metadata.fill(0x44444444);  // elements 0 and 1 of every group
    metadata[3] = 0x44444449;   // column 3: elements 1 and 2 of the first group
    MmaOperands operands;
    operands.product = FragmentProduct::kStructured;
    operands.a[0] = reinterpret_cast<const std::byte*>(first.data());
    operands.a[1] = reinterpret_cast<const std::byte*>(second.data());
    operands.b = reinterpret_cast<const std::byte*>(kept.data());
    operands.metadata = reinterpret_cast<const std::byte*>(metadata.data());
    operands.c = reinterpret_cast<std::byte*>(c.data());
    EXPECT_EQ(send(operands, 0), 48U);
    EXPECT_EQ(operands.free_at, 20U);
    EXPECT_EQ(matrix_->calls, 2U);
    for (std::uint32_t i = 0; i < kMatrixElements; ++i) {
        const std::uint32_t row = i / kMatrixSize, column = i % kMatrixSize;
        const std::uint32_t low = column == 3 ? 0 : kept[column * kMatrixSize];
        const std::uint32_t high = kept[column * kMatrixSize + kMatrixSize / 2];
        const std::uint32_t sum = first[row * kMatrixSize] + low + second[row * kMatrixSize] + high;
        ASSERT_EQ(c[i], static_cast<float>(sum) + static_cast<float>(i) / 4) << row << column;
    }
    MmaOperands dense;
    EXPECT_EQ(send(dense, 20), 60U) << "the dense product keeps its time";
}

/// Sums of INT8 wrap, and the unit of FP16 has no part in it.
TEST_F(TensorCorePairTest, AnIntegerProductHasATimeOfItsOwn) {
    std::array<std::int8_t, 2 * kMatrixElements> a{}, b{};
    std::array<std::int32_t, kMatrixElements> c{};
    for (std::uint32_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<std::int8_t>(i * 7);
        b[i] = static_cast<std::int8_t>(i * 13 + 5);
    }
    c.fill(std::numeric_limits<std::int32_t>::max());
    MmaOperands operands;
    operands.product = FragmentProduct::kInteger;
    operands.a[0] = operands.a[1] = reinterpret_cast<const std::byte*>(a.data());
    operands.b = reinterpret_cast<const std::byte*>(b.data());
    operands.c = reinterpret_cast<std::byte*>(c.data());
    EXPECT_EQ(send(operands, 0), 50U);
    EXPECT_EQ(operands.free_at, 24U);
    EXPECT_EQ(matrix_->calls, 0U);
    constexpr std::uint32_t kDepth = 2 * kMatrixSize;
    for (std::uint32_t i = 0; i < kMatrixElements; ++i) {
        std::int64_t sum = std::numeric_limits<std::int32_t>::max();
        for (std::uint32_t k = 0; k < kDepth; ++k) {
            sum += std::int64_t{a[i / kMatrixSize * kDepth + k]} * b[i % kMatrixSize * kDepth + k];
        }
        ASSERT_EQ(static_cast<std::uint32_t>(c[i]), static_cast<std::uint32_t>(sum)) << i;
    }
}

/// Products of BF16 and TF32 are those of their units, and the unit of FP16 has no part in them.
TEST_F(TensorCorePairTest, OtherFloatsHaveUnitsOfTheirOwn) {
    std::array<HalfBits, kMatrixElements> a{}, b{};
    for (std::uint32_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<HalfBits>(0x3f80U + i % 64);
        b[i] = static_cast<HalfBits>(0xbf00U + i % 61);
    }
    std::array<std::uint32_t, kMatrixElements / 2> words_a{}, words_b{};
    std::memcpy(words_a.data(), a.data(), sizeof(a));
    std::memcpy(words_b.data(), b.data(), sizeof(b));
    for (const FragmentProduct product : {FragmentProduct::kBf16, FragmentProduct::kTf32}) {
        std::array<float, kMatrixElements> c{}, expected{};
        for (std::uint32_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(i);
        if (product == FragmentProduct::kBf16) {
            mma_16x16x16_bf16(a.data(), b.data(), c.data(), expected.data());
        } else {
            mma_16x16x8_tf32(words_a.data(), words_b.data(), c.data(), expected.data());
        }
        MmaOperands operands;
        operands.product = product;
        operands.a[0] = operands.a[1] = reinterpret_cast<const std::byte*>(a.data());
        operands.b = reinterpret_cast<const std::byte*>(b.data());
        operands.c = reinterpret_cast<std::byte*>(c.data());
        send(operands, 0);
        EXPECT_EQ(status_, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(c, expected);
        EXPECT_NE(c[17], 17);
    }
    EXPECT_EQ(matrix_->calls, 0U);
}

TEST_F(TensorCorePairTest, ARequestWithoutOperandsIsAnError) {
    WarpAccess other;
    send(other, 0);
    EXPECT_EQ(status_, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(stats_.sum("operations"), 0U);
}

TEST_F(TensorCorePairTest, AnotherTileIsExchangedFirst) {
    std::array<float, kTileElements> first{}, second{};
    first.fill(100);
    second.fill(200);
    SpwmmaOperands one = sparse_of(0, first.data());
    EXPECT_EQ(send(one, 50), 50 + kSwap + 10 + kLatency) << "the buffer was empty";
    EXPECT_EQ(status_, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(one.swapped, kSwap);
    EXPECT_EQ(one.free_at, 50 + kSwap + 10);
    EXPECT_EQ(send(one, 60), 65 + 10 + kLatency) << "its tile is there";
    EXPECT_EQ(one.swapped, 0U);
    EXPECT_EQ(first[0], 100) << "the sums are in the buffer";
    SpwmmaOperands other = sparse_of(1, second.data());
    EXPECT_EQ(send(other, 100), 100 + 3 + kSwap + 10 + kLatency);
    EXPECT_EQ(other.swapped, 3 + kSwap);
    EXPECT_EQ(first[0], 102) << "two SpWMMAs";
    EXPECT_EQ(first[kTileElements - 1], 102);
    EXPECT_EQ(sparse_->sums[7], 201);
    EXPECT_EQ(stats_.sum("spwmmas"), 3U);
    EXPECT_EQ(stats_.sum("bohmmas"), 3U);
    EXPECT_EQ(stats_.sum("swaps"), 2U);
    EXPECT_EQ(stats_.sum("swap_cycles"), kSwap + 3 + kSwap);
    EXPECT_EQ(stats_.sum("busy_cycles"), kSwap + 10 + 10 + 3 + kSwap + 10);
    EXPECT_EQ(stats_.sum("rtl_cycles"), 100U + 11U);
    EXPECT_EQ(sparse_->when, (std::vector<Cycle>{50, 65, 100}));
    EXPECT_EQ(stats_.sum("operations"), 0U);
}

/// Two tiles of one warp are two tiles.
TEST_F(TensorCorePairTest, ATileIsKnownByWarpAndRegisters) {
    SpwmmaOperands one = sparse_of(0, nullptr);
    SpwmmaOperands other = one;
    other.accumulators = 40;
    send(one, 0);
    send(other, 100);
    EXPECT_EQ(other.swapped, 3 + kSwap);
    send(other, 200);
    EXPECT_EQ(other.swapped, 0U);
}

TEST_F(TensorCorePairTest, AWarpGetsItsSumsBack) {
    std::array<float, kTileElements> sums{};
    SpwmmaOperands flush = sparse_of(0, sums.data(), true);
    EXPECT_EQ(send(flush, 10), 10 + kLatency) << "nothing is there";
    EXPECT_EQ(flush.free_at, 10U);
    SpwmmaOperands work = sparse_of(0, sums.data());
    send(work, 20);
    EXPECT_EQ(send(flush, 50), 50 + 3 + kSwap + kLatency);
    EXPECT_EQ(flush.swapped, 3 + kSwap);
    EXPECT_EQ(sums[5], 1);
    EXPECT_EQ(send(flush, 100), 100 + kLatency) << "it has them already";
    EXPECT_EQ(stats_.sum("spwmmas"), 1U);
    EXPECT_EQ(stats_.sum("swaps"), 2U);
}

}  // namespace
}  // namespace tessera
