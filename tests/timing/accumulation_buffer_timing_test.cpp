// Are the accumulation buffer and the bitmap unit ready at n, and not at n-1?
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/bitmap_unit.h"

namespace tessera {
namespace {

using Inputs = AccumulationBuffer::Inputs;

constexpr std::uint32_t kOne = 0x3f800000U;

Inputs dense(std::uint32_t word, bool first, bool last) {
    Inputs in;
    in.op_valid = 1;
    in.op_dense = 1;
    in.op_word = word;
    in.op_first = first ? 1 : 0;
    in.op_last = last ? 1 : 0;
    in.op_product.fill(kOne);
    in.result_ready = 1;
    return in;
}

/// `count` rows of class 0 from row 0 on, and a column for each that leads to bank 0.
Inputs into_bank_0(std::uint32_t count) {
    Inputs in;
    in.op_valid = 1;
    in.op_row_valid = (1U << count) - 1;
    in.op_column_valid = in.op_row_valid;
    for (std::uint32_t n = 0; n < count; ++n) {
        in.op_row[n] = 4 * n;
        in.op_column[n] = 4 * n;
    }
    in.op_product.fill(kOne);
    return in;
}

/// Cycles until the input is accepted, that one included.
std::uint32_t cycles_to_accept(AccumulationBuffer& buffer, const Inputs& in) {
    std::uint32_t cycles = 1;
    while (buffer.step(in).op_ready == 0) ++cycles;
    return cycles;
}

/// Cycles in which the buffer is not idle.
std::uint32_t cycles_to_idle(AccumulationBuffer& buffer) {
    std::uint32_t cycles = 0;
    while (buffer.step({}).idle == 0) ++cycles;
    return cycles;
}

TEST(AccumulationBufferTiming, OwmmasFollowEachOtherWithoutABubble) {
    AccumulationBuffer buffer({});
    std::vector<std::uint32_t> results;
    for (std::uint32_t cycle = 0; cycle < 4 * 32 + 3; ++cycle) {
        const std::uint32_t step = cycle % 32;
        Inputs in = cycle < 4 * 32 ? dense(step % 2, step < 2, step >= 30) : Inputs{};
        in.result_ready = 1;
        const AccumulationBuffer::Outputs& out = buffer.step(in);
        ASSERT_TRUE(in.op_valid == 0 || out.op_ready == 1) << "cycle " << cycle;
        if (out.result_valid == 0) continue;
        results.push_back(cycle);
        EXPECT_EQ(out.result_word, step % 2);
        EXPECT_EQ(out.result_data[77], 0x41800000U);  // 16
    }
    // Accepted at 30 and 31, issued a cycle later, shown another cycle later.
    EXPECT_EQ(results, (std::vector<std::uint32_t>{32, 33, 64, 65, 96, 97, 128, 129}));
}

TEST(AccumulationBufferTiming, DenseInterlockOnOneWord) {
    AccumulationBuffer buffer({});
    EXPECT_EQ(cycles_to_accept(buffer, dense(3, false, false)), 1U);
    EXPECT_EQ(cycles_to_accept(buffer, dense(3, false, false)), 1U);
    EXPECT_EQ(cycles_to_accept(buffer, dense(3, false, false)), 2U);
    EXPECT_EQ(cycles_to_accept(buffer, dense(3, true, false)), 2U);
    // The one with `first` does not wait.
    EXPECT_EQ(cycles_to_accept(buffer, dense(3, false, false)), 1U);
}

TEST(AccumulationBufferTiming, AResultThatIsNotTakenStopsTheAdders) {
    AccumulationBuffer buffer({});
    buffer.step(dense(0, true, true));
    Inputs in = dense(1, false, false);
    in.result_ready = 0;
    EXPECT_EQ(buffer.step(in).result_valid, 0U);
    for (std::uint32_t cycle = 0; cycle < 5; ++cycle) {
        const AccumulationBuffer::Outputs& out = buffer.step(in);
        EXPECT_EQ(out.result_valid, 1U);
        EXPECT_EQ(out.op_ready, 0U);
        EXPECT_EQ(out.result_data[5], kOne);
    }
    in.result_ready = 1;
    EXPECT_EQ(buffer.step(in).op_ready, 1U);
}

TEST(AccumulationBufferTiming, SparseLatencyAndBankConflicts) {
    AccumulationBuffer buffer({});
    // Register, FIFO, adder: three cycles; each further entry for the bank one more.
    for (std::uint32_t count = 1; count <= 8; ++count) {
        EXPECT_EQ(cycles_to_accept(buffer, into_bank_0(count)), 1U);
        EXPECT_EQ(cycles_to_idle(buffer), 3 + count - 1) << count;
    }
}

TEST(AccumulationBufferTiming, OneWordIsAddedToEveryOtherCycle) {
    AccumulationBuffer buffer({});
    for (std::uint32_t n = 0; n < 4; ++n) {
        EXPECT_EQ(cycles_to_accept(buffer, into_bank_0(1)), 1U);
    }
    // Issued 2, 4, 6 and 8 cycles after the first was accepted in cycle 0; empty from 10 on.
    EXPECT_EQ(cycles_to_idle(buffer), 6U);
}

TEST(AccumulationBufferTiming, AFullFifoHoldsTheOhmmaBack) {
    AccumulationBuffer buffer({});
    EXPECT_EQ(cycles_to_accept(buffer, into_bank_0(8)), 1U);
    EXPECT_EQ(cycles_to_accept(buffer, into_bank_0(8)), 1U);
    // Eight of the second wait for room: one a cycle from the cycle after the first pop on.
    EXPECT_EQ(cycles_to_accept(buffer, into_bank_0(8)), 9U);
}

TEST(AccumulationBufferTiming, KindsDoNotOverlap) {
    AccumulationBuffer buffer({});
    EXPECT_EQ(cycles_to_accept(buffer, into_bank_0(1)), 1U);
    EXPECT_EQ(cycles_to_accept(buffer, dense(0, false, false)), 1U);
    // The dense one is issued in cycle 4, when the adder is empty.
    EXPECT_EQ(cycles_to_accept(buffer, into_bank_0(1)), 3U);
    EXPECT_EQ(cycles_to_accept(buffer, into_bank_0(1)), 2U);
}

TEST(AccumulationBufferTiming, DrainTakesEightCyclesAndWaits) {
    AccumulationBuffer buffer({});
    Inputs in = into_bank_0(1);
    in.drain_valid = 1;
    in.drain_clear = 1;
    in.row_ready = 1;
    EXPECT_EQ(buffer.step(in).drain_ready, 1U);
    std::uint32_t rows = 0;
    for (std::uint32_t cycle = 1; cycle < 20; ++cycle) {
        const AccumulationBuffer::Outputs& out = buffer.step(in);
        const bool draining = cycle < 12;
        if (!draining) break;
        EXPECT_EQ(out.drain_ready, 0U);
        EXPECT_EQ(out.op_ready, 0U);
        EXPECT_EQ(out.row_valid, cycle >= 4 ? 1U : 0U) << cycle;
        if (out.row_valid == 0) continue;
        EXPECT_EQ(out.row_word, rows++);
        EXPECT_EQ(out.row_data[0], out.row_word == 0 ? kOne : 0U);
    }
    EXPECT_EQ(rows, 8U);
}

BitmapUnit::Inputs tile(std::uint32_t a, std::uint32_t b, std::uint32_t sets) {
    BitmapUnit::Inputs in;
    in.tile_valid = 1;
    in.ohmma_ready = 1;
    for (std::uint32_t k = 0; k < sets; ++k) {
        in.a_bitmap[k] = a;
        in.b_bitmap[k] = b;
    }
    return in;
}

TEST(BitmapUnitTiming, FirstOhmmaAfterThreeCyclesThenOneACycle) {
    BitmapUnit unit;
    // Two tiles of 2 x 3 OHMMAs, an empty one, and one of a single OHMMA.
    const std::vector<BitmapUnit::Inputs> tiles = {
        tile(0xfffffU, 0x7ffU, 2), tile(0xfffffU, 0x7ffU, 2), tile(0xfU, 0, 16), tile(1, 1, 1)};
    std::vector<std::uint32_t> issued;
    std::size_t next = 0;
    for (std::uint32_t cycle = 0; cycle < 24; ++cycle) {
        BitmapUnit::Inputs in;
        if (next < tiles.size()) in = tiles[next];
        in.ohmma_ready = 1;
        const BitmapUnit::Outputs& out = unit.step(in);
        if (in.tile_valid != 0 && out.tile_ready != 0) ++next;
        if (out.ohmma_valid != 0) issued.push_back(cycle);
    }
    // The empty tile is the gap of one cycle.
    EXPECT_EQ(issued, (std::vector<std::uint32_t>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16}));
}

TEST(BitmapUnitTiming, NothingIsThereAfterAReset) {
    BitmapUnit unit;
    const BitmapUnit::Inputs in = tile(~0U, ~0U, 16);
    for (std::uint32_t cycle = 0; cycle < 5; ++cycle) unit.step(in);
    unit.reset();
    const BitmapUnit::Outputs& out = unit.step({});
    EXPECT_EQ(out.idle, 1U);
    EXPECT_EQ(out.tile_ready, 1U);
    EXPECT_EQ(out.summary_valid, 0U);
    EXPECT_EQ(out.ohmma_valid, 0U);
}

TEST(BitmapUnitTiming, AnOhmmaThatIsNotTakenStays) {
    BitmapUnit unit;
    BitmapUnit::Inputs in = tile(~0U, ~0U, 16);
    in.ohmma_ready = 0;
    for (std::uint32_t cycle = 0; cycle < 3; ++cycle) EXPECT_EQ(unit.step(in).ohmma_valid, 0U);
    for (std::uint32_t cycle = 0; cycle < 5; ++cycle) {
        const BitmapUnit::Outputs& out = unit.step(in);
        EXPECT_EQ(out.tile_ready, 0U);
        EXPECT_EQ(out.ohmma_valid, 1U);
        EXPECT_EQ(out.ohmma.i, 0U);
        EXPECT_EQ(out.ohmma.j, 0U);
        EXPECT_EQ(out.ohmma.first, 1U);
    }
    in.ohmma_ready = 1;
    unit.step(in);
    EXPECT_EQ(unit.step(in).ohmma.j, 1U);
}

}  // namespace
}  // namespace tessera
