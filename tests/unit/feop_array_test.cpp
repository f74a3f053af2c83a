// Does the pair of outer-product tensor cores keep its timing, its order and its handshakes?
#include "sc_models/tensor_core/feop_array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>

#include "sc_models/tensor_core/feop.h"

namespace tessera {
namespace {

constexpr std::uint32_t kSeed = 4711;

FeopArrayInputs ohmma(std::uint32_t tag) {
    FeopArrayInputs in;
    in.valid = 1;
    in.ready = 1;
    in.meta = {tag, ~tag, tag + 1};
    for (std::uint32_t row = 0; row < kOhmmaRows; ++row) {
        in.a[row] = float_to_half(static_cast<float>(row + tag));
    }
    for (std::uint32_t column = 0; column < kOhmmaColumns; ++column) {
        in.b[column] = float_to_half(static_cast<float>(column) - 3);
    }
    return in;
}

FeopArrayInputs idle(bool ready) {
    FeopArrayInputs in;
    in.ready = ready ? 1 : 0;
    return in;
}

/// Results as the operation's definition has them.
void expect_results(const FeopArrayInputs& in, const FeopArrayOutputs& out) {
    ASSERT_EQ(out.op, in.op);
    ASSERT_EQ(out.meta, in.meta);
    if (in.op == FeopArrayOp::kOhmma) {
        for (std::uint32_t row = 0; row < kOhmmaRows; ++row) {
            for (std::uint32_t column = 0; column < kOhmmaColumns; ++column) {
                const float product = half_to_float(in.a[row]) * half_to_float(in.b[column]);
                ASSERT_EQ(out.product[row * kOhmmaColumns + column],
                          std::isnan(product) ? kFeopNan : float_bits(product))
                    << "row " << row << " column " << column;
            }
        }
        return;
    }
    for (std::uint32_t row = 0; row < kBohmmaSize; ++row) {
        for (std::uint32_t column = 0; column < kBohmmaSize; ++column) {
            const bool a = (in.a[row / 16] >> (row % 16) & 1) != 0;
            const bool b = (in.b[column / 16] >> (column % 16) & 1) != 0;
            ASSERT_EQ(out.bits[row] >> column & 1U, a && b ? 1U : 0U);
        }
    }
}

TEST(FeopArray, ResultIsThereAfterTheLatencyAndNotBefore) {
    FeopArray array;
    array.reset();
    const FeopArrayInputs in = ohmma(1);
    EXPECT_EQ(array.step(in).ready, 1U);
    for (std::uint32_t cycle = 1; cycle < kFeopArrayLatency; ++cycle) {
        EXPECT_EQ(array.step(idle(true)).valid, 0U);
    }
    const FeopArrayOutputs out = array.step(idle(true));
    ASSERT_EQ(out.valid, 1U);
    expect_results(in, out);
    EXPECT_EQ(array.step(idle(true)).valid, 0U);
}

TEST(FeopArray, OneOperationACycle) {
    FeopArray array;
    array.reset();
    for (std::uint32_t cycle = 0; cycle < 20; ++cycle) {
        const FeopArrayOutputs out = array.step(ohmma(cycle));
        EXPECT_EQ(out.ready, 1U);
        EXPECT_EQ(out.valid, cycle >= kFeopArrayLatency ? 1U : 0U);
        if (out.valid != 0) expect_results(ohmma(cycle - kFeopArrayLatency), out);
    }
}

TEST(FeopArray, PredicatedOffUsesASlotAndGivesNothing) {
    FeopArray array;
    array.reset();
    for (std::uint32_t cycle = 0; cycle < 20; ++cycle) {
        FeopArrayInputs in = ohmma(cycle);
        in.predicate = cycle % 2;
        const FeopArrayOutputs out = array.step(in);
        EXPECT_EQ(out.ready, 1U);
        EXPECT_EQ(out.valid, cycle >= kFeopArrayLatency ? cycle % 2 : 0U);
    }
}

TEST(FeopArray, ABubbleClosesDuringAStall) {
    FeopArray array;
    array.reset();
    array.step(ohmma(1));
    array.step(idle(true));
    FeopArrayInputs second = ohmma(2);
    second.ready = 0;
    EXPECT_EQ(array.step(second).ready, 1U);  // into the bubble behind the stalled result
    FeopArrayInputs third = ohmma(3);
    third.ready = 0;
    FeopArrayOutputs out = array.step(third);
    EXPECT_EQ(out.ready, 0U);
    expect_results(ohmma(1), out);
    third.ready = 1;
    out = array.step(third);
    EXPECT_EQ(out.ready, 1U);  // follows the receiver in the same cycle
    expect_results(ohmma(1), out);
    out = array.step(idle(true));
    expect_results(ohmma(2), out);
    out = array.step(idle(true));
    expect_results(ohmma(3), out);
}

// Against a queue of operations and the cycles in which they were accepted.
TEST(FeopArray, RandomOperationsAgreeWithAQueue) {
    struct Accepted {
        FeopArrayInputs in;
        std::uint64_t cycle;
    };
    std::mt19937 random(kSeed);
    FeopArray array;
    array.reset();
    std::deque<Accepted> queue;
    std::uint64_t results = 0;
    for (std::uint64_t cycle = 0; cycle < 30000; ++cycle) {
        if (random() % 500 == 0) {
            array.reset();
            queue.clear();
        }
        FeopArrayInputs in;
        in.valid = random() % 4 != 0 ? 1 : 0;
        in.op = random() % 4 == 0 ? FeopArrayOp::kBohmma : FeopArrayOp::kOhmma;
        in.predicate = random() % 4 != 0 ? 1 : 0;
        for (HalfBits& a : in.a) a = static_cast<HalfBits>(random());
        for (HalfBits& b : in.b) b = static_cast<HalfBits>(random());
        for (std::uint32_t& word : in.meta) word = static_cast<std::uint32_t>(random());
        in.ready = random() % 4 != 0 ? 1 : 0;

        const FeopArrayOutputs out = array.step(in);
        const bool valid = !queue.empty() && cycle >= queue.front().cycle + kFeopArrayLatency;
        const bool ready = queue.size() < kFeopArrayLatency || in.ready != 0;
        ASSERT_EQ(out.valid != 0, valid) << "seed " << kSeed << " cycle " << cycle;
        ASSERT_EQ(out.ready != 0, ready) << "seed " << kSeed << " cycle " << cycle;
        if (valid) {
            expect_results(queue.front().in, out);
            if (HasFatalFailure()) return;
            if (in.ready != 0) {
                queue.pop_front();
                ++results;
            }
        }
        if (ready && in.valid != 0 && in.predicate != 0) queue.push_back({in, cycle});
    }
    EXPECT_GT(results, 10000U);
}

}  // namespace
}  // namespace tessera
