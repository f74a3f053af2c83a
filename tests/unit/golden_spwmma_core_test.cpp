// Does the C interface of the sparse tensor core give what the model gives?
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "sc_models/tensor_core/half.h"
#include "sc_models/tensor_core/spwmma_core.h"
#include "tests/unit/golden_block.h"

namespace tessera {
namespace {

constexpr std::uint32_t kOne = 0x3f800000U;

TEST(GoldenLibrary, SpwmmaCoreIsTheModel) {
    const Block<tessera_golden_spwmma_core> block(tessera_golden_spwmma_core_create,
                                                  tessera_golden_spwmma_core_destroy);
    std::mt19937 random(kSeed);
    SpwmmaCore model;
    tessera_golden_spwmma_core_inputs in{};
    int ohmmas = 0, rows = 0, preloads = 0, stops = 0;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
        in.tile_valid = random() % 2;
        in.tile_tag = random() % 16;
        const std::uint32_t density = random() % 4;
        const auto bits = [&] {
            return density == 0 ? 0 : random() & (density == 1 ? random() & random() : ~0U);
        };
        fill(in.a_bitmap, bits);
        fill(in.b_bitmap, bits);
        in.run = random() % 4 != 0 ? 1 : 0;
        in.preload_valid = random() % 16 == 0 ? 1 : 0;
        in.preload_word = random() % 8;
        for (std::uint32_t& data : in.preload_data) data = random() % 2 == 0 ? kOne : 0;
        in.drain_valid = random() % 64 == 0 ? 1 : 0;
        in.drain_clear = random() % 2;
        in.row_ready = random() % 4 != 0 ? 1 : 0;
        SpwmmaCorePins::Inputs pins;
        static_assert(sizeof pins == sizeof in);
        std::memcpy(static_cast<void*>(&pins), &in, sizeof in);
        const SpwmmaCorePins::Outputs expected = model.step(pins);
        tessera_golden_spwmma_core_outputs out;
        ASSERT_EQ(tessera_golden_spwmma_core_step(block.get(), &in, &out), TESSERA_GOLDEN_OK)
            << tessera_golden_message();
        ASSERT_TRUE(same(out, expected)) << "cycle " << cycle;
        ohmmas += out.ohmma_ready != 0 ? 1 : 0;
        rows += out.row_valid != 0 ? 1 : 0;
        preloads += in.preload_valid != 0 && out.preload_ready != 0 ? 1 : 0;
        stops += out.ohmma_valid == 0 && in.run == 0 ? 1 : 0;
        if (out.read != 0) {
            const auto half = [&random] { return 0x3c00U | random() % 0x400U; };
            fill(in.a_even, half);
            fill(in.a_odd, half);
            fill(in.b_even, half);
            fill(in.b_odd, half);
        }
        if (cycle == kCycles / 2) {
            model.reset();
            ASSERT_EQ(tessera_golden_spwmma_core_reset(block.get()), TESSERA_GOLDEN_OK);
        }
    }
    EXPECT_GT(ohmmas, kCycles / 4);
    EXPECT_GT(rows, 100);
    EXPECT_GT(preloads, 10);
    EXPECT_GT(stops, 20);
}

/// Members under their names: the product 2 x 3 of row 9 and column 20, in the sums of a tile.
TEST(GoldenLibrary, SpwmmaCoreAddsAProduct) {
    const Block<tessera_golden_spwmma_core> block(tessera_golden_spwmma_core_create,
                                                  tessera_golden_spwmma_core_destroy);
    tessera_golden_spwmma_core_inputs in{};
    tessera_golden_spwmma_core_outputs out{};
    in.tile_valid = 1;
    in.tile_tag = 5;
    in.a_bitmap[15] = 1U << 9U;
    in.b_bitmap[15] = 1U << 20U;
    in.row_ready = 1;
    std::uint32_t read_tag = 0, row = 0, column = 0;
    std::uint32_t sum = 0;
    for (int cycle = 0; cycle < 40; ++cycle) {
        ASSERT_EQ(tessera_golden_spwmma_core_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
        if (in.tile_valid != 0) {
            EXPECT_EQ(1U, out.tile_ready);
        }
        in.tile_valid = 0;
        if (out.read != 0) {
            read_tag = out.read_tag;
            in.a_even[0] = 0x4000;
            in.b_even[0] = 0x4200;
        }
        if (out.ohmma_ready != 0) {
            row = out.ohmma_row_valid;
            column = out.ohmma_column_valid;
            EXPECT_EQ(15U, out.ohmma_k);
            in.run = in.drain_valid = 1;
        } else if (out.drain_ready != 0) {
            in.drain_valid = 0;
        }
        if (out.row_valid == 0) continue;
        // Element (r, c) is word r / 4 of bank 32 (r % 4) + (c ^ 4 (r / 4)).
        if (out.row_word == 2) sum = out.row_data[32 + (20 ^ 8)];
    }
    EXPECT_EQ(5U, read_tag);
    EXPECT_EQ(1U, row);
    EXPECT_EQ(1U, column);
    EXPECT_EQ(0x40c00000U, sum);
    EXPECT_EQ(1U, out.front_idle);
    EXPECT_EQ(1U, out.idle);
}

TEST(GoldenLibrary, SpwmmaCoreRefusesNumbersOutsideTheirRange) {
    const Block<tessera_golden_spwmma_core> block(tessera_golden_spwmma_core_create,
                                                  tessera_golden_spwmma_core_destroy);
    tessera_golden_spwmma_core_inputs in{};
    tessera_golden_spwmma_core_outputs out{};
    const auto expect_refused = [&](const std::string& message) {
        EXPECT_EQ(tessera_golden_spwmma_core_step(block.get(), &in, &out),
                  TESSERA_GOLDEN_BAD_ARGUMENT);
        EXPECT_EQ(tessera_golden_message(), "tessera_golden_spwmma_core_step: " + message);
    };
    in.tile_tag = 16;
    in.preload_word = 8;
    EXPECT_EQ(tessera_golden_spwmma_core_step(block.get(), &in, &out), TESSERA_GOLDEN_OK);
    in.tile_valid = 1;
    expect_refused("tile_tag is 16, expected at most 15");
    in.tile_valid = 0;
    in.preload_valid = 1;
    expect_refused("preload_word is 8, expected at most 7");
}

}  // namespace
}  // namespace tessera
