// Does the C interface of the golden models give what their arithmetic gives, and does it refuse
// wrong calls with a status?
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sc_models/isa/convolution_packet.h"
#include "sc_models/tensor_core/fedp.h"
#include "sc_models/tensor_core/feop.h"
#include "tests/unit/golden_block.h"

namespace tessera {
namespace {

TEST(GoldenLibrary, VersionIsThatOfTheHeader) {
    EXPECT_EQ(tessera_golden_abi(), static_cast<std::uint32_t>(TESSERA_GOLDEN_ABI));
}

TEST(GoldenLibrary, ArithmeticIsThatOfTheModels) {
    std::mt19937 random(kSeed);
    for (int i = 0; i < kCycles; ++i) {
        std::uint16_t a[4];
        std::uint16_t b[4];
        std::uint32_t c[4];
        fill(a, random);
        fill(b, random);
        fill(c, random);
        std::uint32_t got[4] = {};
        ASSERT_EQ(tessera_golden_fp16_product(a[0], b[0], got), TESSERA_GOLDEN_OK);
        ASSERT_EQ(got[0], fp16_product(a[0], b[0]));
        ASSERT_EQ(tessera_golden_fp32_add(c[0], c[1], got), TESSERA_GOLDEN_OK);
        ASSERT_EQ(got[0], fp32_add(c[0], c[1]));
        ASSERT_EQ(tessera_golden_feop(a[0], b, c, got), TESSERA_GOLDEN_OK);
        for (int lane = 0; lane < 4; ++lane) {
            ASSERT_EQ(got[lane], fp32_add(c[lane], fp16_product(a[0], b[lane])));
        }
        ASSERT_EQ(tessera_golden_fedp(a, b, c[0], got), TESSERA_GOLDEN_OK);
        ASSERT_EQ(got[0], float_bits(fedp4(a, b, float_from_bits(c[0]))));
    }
}

TEST(GoldenLibrary, NullPointersAreRefused) {
    const std::uint16_t halves[4] = {};
    std::uint32_t word = 0;
    EXPECT_EQ(tessera_golden_fp16_product(0, 0, nullptr), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(tessera_golden_message(), "tessera_golden_fp16_product: product is null");
    EXPECT_EQ(tessera_golden_fp32_add(0, 0, nullptr), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_feop(0, halves, nullptr, &word), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_fedp(nullptr, halves, 0, &word), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_feop_array_create(nullptr), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_bitmap_unit_reset(nullptr), TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(tessera_golden_id_generator_step(nullptr, nullptr, nullptr),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    tessera_golden_load_history_buffer_destroy(nullptr);
}

TEST(GoldenLibrary, WrongOperandsAreRefusedAndTheBlockDoesNotMove) {
    const Block<tessera_golden_accumulation_buffer> block(
        tessera_golden_accumulation_buffer_create, tessera_golden_accumulation_buffer_destroy);
    tessera_golden_accumulation_buffer_inputs in{};
    tessera_golden_accumulation_buffer_outputs out{};
    in.op_valid = 1;
    in.op_row_valid = 1;
    in.op_column_valid = 3;
    in.op_column[0] = in.op_column[1] = 9;
    EXPECT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(
        tessera_golden_message(),
        "tessera_golden_accumulation_buffer_step: op_column has 9 twice among the valid ones");
    in.op_column[1] = 32;
    EXPECT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_STREQ(tessera_golden_message(),
                 "tessera_golden_accumulation_buffer_step: op_column is 32, expected at most 31");
    in.op_dense = 1;
    in.op_word = 8;
    EXPECT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out),
              TESSERA_GOLDEN_BAD_ARGUMENT);
    EXPECT_EQ(out.op_ready, 0U);  // as it was before the call
    in = {};
    EXPECT_EQ(tessera_golden_accumulation_buffer_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    EXPECT_EQ(out.idle, 1U);
}

TEST(GoldenLibrary, ARegisterIsInsertedOnce) {
    const Block<tessera_golden_load_history_buffer> block(
        tessera_golden_load_history_buffer_create, tessera_golden_load_history_buffer_destroy);
    tessera_golden_load_history_buffer_inputs in{};
    tessera_golden_load_history_buffer_outputs out{};
    const auto step = [&] {
        return tessera_golden_load_history_buffer_step(block.get(), &in, &out);
    };
    in.setup_valid = 1;
    in.out_ready = 1;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);
    in.setup_valid = 0;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);  // empties the only row
    in.in_valid = 1;
    in.op = 1;
    in.phys = 5;
    ASSERT_EQ(step(), TESSERA_GOLDEN_OK);
    ASSERT_EQ(out.in_ready, 1U);
    EXPECT_EQ(step(), TESSERA_GOLDEN_BAD_OPERATION);
    in.op = 2;
    EXPECT_EQ(step(), TESSERA_GOLDEN_OK);
    in.op = 3;
    EXPECT_EQ(step(), TESSERA_GOLDEN_BAD_ARGUMENT);
}

}  // namespace
}  // namespace tessera
