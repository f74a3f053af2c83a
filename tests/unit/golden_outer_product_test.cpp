// Does the C interface of the multiplier array, the accumulation buffer, the bitmap unit and the
// bitmap im2col give what the models give?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/bitmap_im2col.h"
#include "sc_models/tensor_core/bitmap_unit.h"
#include "sc_models/tensor_core/feop_array.h"
#include "tests/unit/golden_block.h"

namespace tessera {
namespace {

TEST(GoldenLibrary, FeopArrayIsTheModel) {
    const Block<tessera_golden_feop_array> block(tessera_golden_feop_array_create,
                                                 tessera_golden_feop_array_destroy);
    std::mt19937 random(kSeed);
    FeopArray model;
    int results = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        tessera_golden_feop_array_inputs in{};
        FeopArrayInputs pins;
        in.valid = pins.valid = random() % 2;
        in.op = random() % 2;
        pins.op = static_cast<FeopArrayOp>(in.op);
        in.predicate = pins.predicate = random() % 8 != 0 ? 1 : 0;
        fill(in.a, random);
        fill(in.b, random);
        fill(in.meta, random);
        std::memcpy(pins.a.data(), in.a, sizeof in.a);
        std::memcpy(pins.b.data(), in.b, sizeof in.b);
        std::memcpy(pins.meta.data(), in.meta, sizeof in.meta);
        in.ready = pins.ready = random() % 4 != 0 ? 1 : 0;
        const FeopArrayOutputs expected = model.step(pins);
        tessera_golden_feop_array_outputs out;
        ASSERT_EQ(tessera_golden_feop_array_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
        ASSERT_EQ(out.ready, expected.ready);
        ASSERT_EQ(out.valid, expected.valid);
        if (out.valid == 0) continue;
        ++results;
        ASSERT_EQ(out.op, static_cast<std::uint32_t>(expected.op));
        ASSERT_TRUE(same(out.meta, expected.meta));
        ASSERT_TRUE(same(out.product, expected.product));
        ASSERT_TRUE(same(out.bits, expected.bits));
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_feop_array_reset(block.get()), TESSERA_GOLDEN_OK);
        }
    }
    EXPECT_GT(results, kCycles / 4);
}

TEST(GoldenLibrary, AccumulationBufferIsTheModel) {
    const Block<tessera_golden_accumulation_buffer> block(
        tessera_golden_accumulation_buffer_create, tessera_golden_accumulation_buffer_destroy);
    std::mt19937 random(kSeed);
    AccumulationBuffer model{AccumulationBufferConfig{}};
    int rows = 0;
    int results = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        tessera_golden_accumulation_buffer_inputs in{};
        AccumulationBuffer::Inputs pins;
        in.op_valid = pins.op_valid = random() % 2;
        in.op_dense = pins.op_dense = random() % 2;
        in.op_first = pins.op_first = random() % 4 == 0 ? 1 : 0;
        in.op_last = pins.op_last = random() % 4 == 0 ? 1 : 0;
        in.op_word = pins.op_word = random() % 8;
        in.op_row_valid = pins.op_row_valid = random() % 256;
        in.op_column_valid = pins.op_column_valid = random() % 65536;
        for (std::uint32_t& row : in.op_row) row = random() % 32;
        const std::uint32_t step = 2 * (random() % 16) + 1;  // odd, so that columns are distinct
        for (std::uint32_t j = 0; j < 16; ++j) in.op_column[j] = (step * (j + 1)) % 32;
        for (std::uint32_t& product : in.op_product) product = float_bits(float(random() % 64));
        for (std::uint32_t& c : in.op_c) c = float_bits(float(random() % 64));
        in.preload_valid = pins.preload_valid = random() % 16 == 0 ? 1 : 0;
        in.preload_word = pins.preload_word = random() % 8;
        for (std::uint32_t& data : in.preload_data) data = float_bits(float(random() % 64));
        in.drain_valid = pins.drain_valid = random() % 16 == 0 ? 1 : 0;
        in.drain_clear = pins.drain_clear = random() % 2;
        in.row_ready = pins.row_ready = random() % 4 != 0 ? 1 : 0;
        in.result_ready = pins.result_ready = random() % 4 != 0 ? 1 : 0;
        std::memcpy(pins.op_row.data(), in.op_row, sizeof in.op_row);
        std::memcpy(pins.op_column.data(), in.op_column, sizeof in.op_column);
        std::memcpy(pins.op_product.data(), in.op_product, sizeof in.op_product);
        std::memcpy(pins.op_c.data(), in.op_c, sizeof in.op_c);
        std::memcpy(pins.preload_data.data(), in.preload_data, sizeof in.preload_data);
        const AccumulationBuffer::Outputs& expected = model.step(pins);
        tessera_golden_accumulation_buffer_outputs out;
        ASSERT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out),
                  TESSERA_GOLDEN_OK)
            << tessera_golden_message();
        ASSERT_EQ(out.op_ready, expected.op_ready);
        ASSERT_EQ(out.preload_ready, expected.preload_ready);
        ASSERT_EQ(out.drain_ready, expected.drain_ready);
        ASSERT_EQ(out.idle, expected.idle);
        ASSERT_EQ(out.row_valid, expected.row_valid);
        ASSERT_EQ(out.result_valid, expected.result_valid);
        if (out.row_valid != 0) {
            ++rows;
            ASSERT_EQ(out.row_word, expected.row_word);
            ASSERT_TRUE(same(out.row_data, expected.row_data));
        }
        if (out.result_valid != 0) {
            ++results;
            ASSERT_EQ(out.result_word, expected.result_word);
            ASSERT_TRUE(same(out.result_data, expected.result_data));
        }
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_accumulation_buffer_reset(block.get()), TESSERA_GOLDEN_OK);
        }
    }
    EXPECT_GT(rows, 100);
    EXPECT_GT(results, 100);
}

TEST(GoldenLibrary, BitmapUnitIsTheModel) {
    const Block<tessera_golden_bitmap_unit> block(tessera_golden_bitmap_unit_create,
                                                  tessera_golden_bitmap_unit_destroy);
    std::mt19937 random(kSeed);
    BitmapUnit model;
    int ohmmas = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        tessera_golden_bitmap_unit_inputs in{};
        BitmapUnit::Inputs pins;
        in.tile_valid = pins.tile_valid = random() % 2;
        const std::uint32_t density = random() % 4;
        const auto bits = [&] {
            return density == 0 ? 0 : random() & (density == 1 ? random() : ~0U);
        };
        fill(in.a_bitmap, bits);
        fill(in.b_bitmap, bits);
        std::memcpy(pins.a_bitmap.data(), in.a_bitmap, sizeof in.a_bitmap);
        std::memcpy(pins.b_bitmap.data(), in.b_bitmap, sizeof in.b_bitmap);
        in.ohmma_ready = pins.ohmma_ready = random() % 4 != 0 ? 1 : 0;
        const BitmapUnit::Outputs& expected = model.step(pins);
        tessera_golden_bitmap_unit_outputs out;
        ASSERT_EQ(tessera_golden_bitmap_unit_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
        ASSERT_EQ(out.tile_ready, expected.tile_ready);
        ASSERT_EQ(out.tile_done, expected.tile_done);
        ASSERT_EQ(out.idle, expected.idle);
        ASSERT_EQ(out.summary_valid, expected.summary_valid);
        if (out.summary_valid != 0) {
            ASSERT_TRUE(same(out.a_count, expected.summary.a_count));
            ASSERT_TRUE(same(out.b_count, expected.summary.b_count));
            ASSERT_TRUE(same(out.a_offset, expected.summary.a_offset));
            ASSERT_TRUE(same(out.b_offset, expected.summary.b_offset));
            ASSERT_TRUE(same(out.row_groups, expected.summary.row_groups));
            ASSERT_TRUE(same(out.column_groups, expected.summary.column_groups));
            ASSERT_TRUE(same(out.predicates, expected.summary.predicates));
        }
        ASSERT_EQ(out.ohmma_valid, expected.ohmma_valid);
        if (out.ohmma_valid == 0) continue;
        ++ohmmas;
        ASSERT_EQ(out.ohmma_k, expected.ohmma.k);
        ASSERT_EQ(out.ohmma_i, expected.ohmma.i);
        ASSERT_EQ(out.ohmma_j, expected.ohmma.j);
        ASSERT_TRUE(same(out.ohmma_row, expected.ohmma.row));
        ASSERT_EQ(out.ohmma_row_valid, expected.ohmma.row_valid);
        ASSERT_TRUE(same(out.ohmma_column, expected.ohmma.column));
        ASSERT_EQ(out.ohmma_column_valid, expected.ohmma.column_valid);
        ASSERT_EQ(out.ohmma_a_offset, expected.ohmma.a_offset);
        ASSERT_EQ(out.ohmma_b_offset, expected.ohmma.b_offset);
        ASSERT_EQ(out.ohmma_first, expected.ohmma.first);
        ASSERT_EQ(out.ohmma_last, expected.ohmma.last);
    }
    EXPECT_GT(ohmmas, kCycles / 4);
    ASSERT_EQ(tessera_golden_bitmap_unit_reset(block.get()), TESSERA_GOLDEN_OK);
    tessera_golden_bitmap_unit_inputs in{};
    tessera_golden_bitmap_unit_outputs out;
    ASSERT_EQ(tessera_golden_bitmap_unit_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    EXPECT_EQ(out.idle, 1U);
}

TEST(GoldenLibrary, BitmapIm2colIsTheModel) {
    const Block<tessera_golden_bitmap_im2col> block(tessera_golden_bitmap_im2col_create,
                                                    tessera_golden_bitmap_im2col_destroy);
    std::mt19937 random(kSeed);
    BitmapIm2col model;
    int columns = 0, errors = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        tessera_golden_bitmap_im2col_inputs in{};
        BitmapIm2col::Inputs pins;
        in.row_valid = pins.row_valid = random() % 2;
        in.row_bitmap_low = random();
        in.row_bitmap_high = random();
        pins.row.bitmap = in.row_bitmap_low | std::uint64_t{in.row_bitmap_high} << 32U;
        in.row_length = pins.row.length = random() % 70;
        in.row_filter = pins.row.filter_width = random() % 8;
        in.row_stride2 = pins.row.stride2 = random() % 2;
        in.row_base = pins.row.base = random();
        in.column_ready = pins.column_ready = random() % 4 != 0 ? 1 : 0;
        const BitmapIm2col::Outputs& expected = model.step(pins);
        tessera_golden_bitmap_im2col_outputs out;
        ASSERT_EQ(tessera_golden_bitmap_im2col_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
        ASSERT_EQ(out.row_ready, expected.row_ready);
        ASSERT_EQ(out.column_valid, expected.column_valid);
        if (out.column_valid == 0) continue;
        ++columns;
        ASSERT_EQ(out.column_bitmap_low | std::uint64_t{out.column_bitmap_high} << 32U,
                  expected.column.bitmap);
        ASSERT_EQ(out.column_window_low | std::uint64_t{out.column_window_high} << 32U,
                  expected.column.window);
        ASSERT_EQ(out.column_address, expected.column.address);
        ASSERT_EQ(out.column_length, expected.column.length);
        ASSERT_EQ(out.column_count, expected.column.count);
        ASSERT_EQ(out.column_first, expected.column.first);
        ASSERT_EQ(out.column_last, expected.column.last);
        ASSERT_EQ(out.column_error, expected.column.error);
        errors += static_cast<int>(out.column_error);
    }
    EXPECT_GT(columns, kCycles / 4);
    EXPECT_GT(errors, kCycles / 100);
    ASSERT_EQ(tessera_golden_bitmap_im2col_reset(block.get()), TESSERA_GOLDEN_OK);
    tessera_golden_bitmap_im2col_inputs in{};
    tessera_golden_bitmap_im2col_outputs out;
    ASSERT_EQ(tessera_golden_bitmap_im2col_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    EXPECT_EQ(out.column_valid, 0U);
    EXPECT_EQ(out.row_ready, 1U);
    in.row_length = 128;  // means nothing without a row
    ASSERT_EQ(tessera_golden_bitmap_im2col_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    in.row_valid = 1;
    ASSERT_EQ(tessera_golden_bitmap_im2col_step(block.get(), &in, &out),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_NE(std::string(tessera_golden_message()).find("row_length is 128"), std::string::npos);
}

}  // namespace
}  // namespace tessera
