// Does the two-level bitmap format hold what was put in, byte for byte, and refuse what contradicts
// itself?
#include "sc_models/sparse/bitmap_matrix.h"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr HalfBits kOne = 0x3c00;
constexpr HalfBits kTwo = 0x4000;
constexpr HalfBits kMinusZero = 0x8000;
constexpr HalfBits kInfinity = 0x7c00;

/// Mostly zeros, of both signs; some subnormals.
std::vector<HalfBits> random_matrix(std::uint64_t elements, double density, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<HalfBits> dense(elements);
    for (HalfBits& value : dense) {
        const bool kept = std::uniform_real_distribution<>(0, 1)(random) < density;
        value = kept ? static_cast<HalfBits>((random() & 0x83ffU) | (random() % 31U) << 10U) : 0;
    }
    return dense;
}

/// 40 lines x 20: two line tiles of two k tiles, of which tile 1 is empty.
std::vector<HalfBits> small_matrix() {
    std::vector<HalfBits> dense(std::size_t{40} * 20);
    dense[0 * 20 + 0] = kOne;
    dense[31 * 20 + 0] = kTwo;
    dense[3 * 20 + 15] = kOne;
    dense[33 * 20 + 2] = kTwo;
    dense[39 * 20 + 19] = kOne;
    return dense;
}

TEST(BitmapMatrix, LaysOutEveryByte) {
    const BitmapMatrix matrix = BitmapMatrix::encode(40, 20, small_matrix().data());
    EXPECT_EQ(matrix.line_tiles(), 2U);
    EXPECT_EQ(matrix.k_tiles(), 2U);
    EXPECT_EQ(matrix.nnz(), 5U);
    EXPECT_EQ(matrix.nonempty_tiles(), 3U);
    const BitmapArrays& arrays = matrix.arrays();
    EXPECT_THAT(arrays.warp_bitmap, ElementsAre(0b1101U));
    EXPECT_THAT(arrays.tile_desc, ElementsAre(0U, 1U, 1U, 2U));
    std::vector<std::uint32_t> masks(48);
    masks[0] = 1U | 1U << 31U;  // tile 0, k 0: lines 0 and 31
    masks[15] = 1U << 3U;       // tile 0, k 15: line 3
    masks[16 + 2] = 1U << 1U;   // tile 2, k 2: line 33
    masks[32 + 3] = 1U << 7U;   // tile 3, k 19: line 39
    EXPECT_THAT(arrays.elem_bitmap, ElementsAreArray(masks));
    EXPECT_THAT(arrays.values, ElementsAre(kOne, kTwo, kOne, 0, 0, 0, 0, 0,  //
                                           kTwo, 0, 0, 0, 0, 0, 0, 0,        //
                                           kOne, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_EQ(matrix.bitmap_offset_bytes(3), 128U);
    EXPECT_EQ(matrix.value_offset_bytes(3), 32U);
    EXPECT_EQ(matrix.warp_bitmap_bytes(), 4U);
    EXPECT_EQ(matrix.tile_desc_bytes(), 16U);
    EXPECT_EQ(matrix.elem_bitmap_bytes(), 192U);
    EXPECT_EQ(matrix.values_bytes(), 48U);
}

TEST(BitmapMatrix, CountsAndMasksByTile) {
    const BitmapMatrix matrix = BitmapMatrix::encode(40, 20, small_matrix().data());
    const std::uint64_t first = matrix.tile(0, 0);
    EXPECT_EQ(matrix.counts(first)[0], 2U);
    EXPECT_EQ(matrix.counts(first)[15], 1U);
    EXPECT_EQ(matrix.tile_nnz(first), 3U);
    const std::uint64_t empty = matrix.tile(0, 1);
    EXPECT_TRUE(matrix.tile_empty(empty));
    for (std::uint32_t k = 0; k < kSparseTileK; ++k) EXPECT_EQ(matrix.masks(empty)[k], 0U);
    EXPECT_EQ(matrix.masks(matrix.tile(1, 0))[2], 2U);
    EXPECT_EQ(matrix.at(39, 19), kOne);
    EXPECT_EQ(matrix.at(39, 18), 0U);
}

TEST(BitmapMatrix, MinusZeroIsAZeroAndSubnormalsAreNot) {
    const HalfBits dense[4] = {kMinusZero, 0x8001, 0x0001, 0};
    const BitmapMatrix matrix = BitmapMatrix::encode(1, 4, dense);
    EXPECT_EQ(matrix.nnz(), 2U);
    EXPECT_THAT(matrix.decode(), ElementsAre(0, 0x8001, 0x0001, 0));
}

TEST(BitmapMatrix, FlagsFullAndNonfiniteTiles) {
    std::vector<HalfBits> dense(std::size_t{32} * 48, kOne);
    dense[5 * 48 + 20] = kInfinity;
    dense[6 * 48 + 40] = 0;
    const BitmapMatrix matrix = BitmapMatrix::encode(32, 48, dense.data());
    EXPECT_THAT(matrix.arrays().tile_desc,
                ElementsAre(kTileFull, kTileFull | kTileNonfinite | 64U, 128U));
    EXPECT_FALSE(matrix.tile_nonfinite(0));
    EXPECT_TRUE(matrix.tile_nonfinite(1));
    EXPECT_EQ(matrix.nonfinite_tiles(), 1U);
}

TEST(BitmapMatrix, DecodesWhatItEncoded) {
    std::uint32_t seed = 1;
    for (const std::uint64_t lines : {1, 31, 32, 33, 100}) {
        for (const std::uint64_t k : {1, 15, 16, 17, 70}) {
            for (const double density : {0.0, 0.02, 0.5, 1.0}) {
                const auto dense = random_matrix(lines * k, density, seed++);
                const BitmapMatrix matrix = BitmapMatrix::encode(lines, k, dense.data());
                std::vector<HalfBits> expected = dense;
                for (HalfBits& value : expected) value = value == kMinusZero ? 0 : value;
                ASSERT_EQ(matrix.decode(), expected) << lines << "x" << k << " seed " << seed - 1;
                for (std::uint64_t i = 0; i < lines * k; ++i) {
                    ASSERT_EQ(matrix.at(i / k, i % k), expected[i]);
                    ASSERT_EQ(matrix.stored(i / k, i % k), expected[i] != 0);
                }
            }
        }
    }
}

TEST(BitmapMatrix, PitchSkipsWhatLiesBetweenLines) {
    const HalfBits dense[6] = {kOne, 0, kTwo, 0, kOne, kTwo};
    const BitmapMatrix matrix = BitmapMatrix::encode(2, 2, dense, 3);
    EXPECT_THAT(matrix.decode(), ElementsAre(kOne, 0, 0, kOne));
}

TEST(BitmapMatrix, PatternIsTheSameWithoutValues) {
    const auto dense = random_matrix(std::uint64_t{70} * 50, 0.2, 7);
    const BitmapMatrix with = BitmapMatrix::encode(70, 50, dense.data());
    const auto source = [&with](std::uint32_t line_tile, std::uint32_t k_tile,
                                std::uint32_t* masks) {
        const std::uint64_t id = with.tile(line_tile, k_tile);
        for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
            masks[k] = with.masks(id)[k] | (line_tile == 2 ? 0xffffffc0U : 0U);  // beyond line 70
            if (k_tile == 3 && k >= 2) masks[k] = ~0U;                           // beyond k 50
        }
    };
    const BitmapMatrix without = BitmapMatrix::pattern(70, 50, source);
    EXPECT_FALSE(without.has_values());
    EXPECT_EQ(without.nnz(), with.nnz());
    EXPECT_EQ(without.values_bytes(), with.values_bytes());
    EXPECT_EQ(without.arrays().warp_bitmap, with.arrays().warp_bitmap);
    EXPECT_EQ(without.arrays().tile_desc, with.arrays().tile_desc);
    EXPECT_EQ(without.arrays().elem_bitmap, with.arrays().elem_bitmap);
    EXPECT_TRUE(without.arrays().values.empty());
}

TEST(BitmapMatrix, RefusesShapesOfTooManyTiles) {
    EXPECT_THROW(BitmapMatrix::encode(std::uint64_t{1} << 37U, 16, nullptr), ConfigError);
}

// --- arrays that contradict each other ---

class Arrays : public ::testing::Test {
protected:
    /// The one line that refuses `arrays_`.
    std::string refusal() const {
        try {
            (void)BitmapMatrix::from_arrays(40, 20, arrays_, "a.bin");
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "accepted";
    }

    BitmapArrays arrays_ = BitmapMatrix::encode(40, 20, small_matrix().data()).arrays();
};

TEST_F(Arrays, ThatAgreeMakeTheSameMatrix) {
    const BitmapMatrix matrix = BitmapMatrix::from_arrays(40, 20, arrays_);
    EXPECT_EQ(matrix.decode(), small_matrix());
    EXPECT_EQ(matrix.nnz(), 5U);
    EXPECT_EQ(matrix.values_bytes(), 48U);
    EXPECT_EQ(matrix.counts(3)[3], 1U);
}

TEST_F(Arrays, OfWrongSizes) {
    const BitmapArrays good = arrays_;
    arrays_.warp_bitmap.push_back(0);
    EXPECT_EQ(refusal(), "a.bin: warp_bitmap: got 2 words, expected 1");
    arrays_ = good;
    arrays_.tile_desc.pop_back();
    EXPECT_EQ(refusal(), "a.bin: tile_desc: got 3 words, expected 4");
    arrays_ = good;
    arrays_.elem_bitmap.pop_back();
    EXPECT_EQ(refusal(), "a.bin: elem_bitmap: got 47 words, expected 48");
    arrays_ = good;
    arrays_.values.resize(20);
    EXPECT_EQ(refusal(), "a.bin: values: got 40 bytes, expected 48");
    arrays_ = good;
    arrays_.values.resize(32);
    EXPECT_EQ(refusal(), "a.bin: values: got 64 bytes, expected 48");
}

TEST_F(Arrays, WithBitsOutside) {
    const BitmapArrays good = arrays_;
    arrays_.warp_bitmap[0] |= 1U << 4U;
    EXPECT_THAT(refusal(), HasSubstr("warp_bitmap: bits beyond the last tile, 3"));
    arrays_ = good;
    arrays_.elem_bitmap[16 + 5] = 1U << 8U;  // line 40
    EXPECT_THAT(refusal(), HasSubstr("elem_bitmap: tile 2, k 5: bits outside the matrix"));
    arrays_ = good;
    arrays_.elem_bitmap[32 + 4] = 1U;  // k 20
    EXPECT_THAT(refusal(), HasSubstr("elem_bitmap: tile 3, k 4: bits outside the matrix"));
}

TEST_F(Arrays, WithOffsetsThatDoNotFit) {
    const BitmapArrays good = arrays_;
    arrays_.tile_desc[3] = 1000;
    EXPECT_THAT(refusal(), HasSubstr("tile_desc: tile 3, offset: values at 16000 end outside the "
                                     "value array of 48 bytes"));
    arrays_ = good;
    arrays_.tile_desc[2] = 0;
    EXPECT_THAT(refusal(), HasSubstr("tile_desc: tile 2, offset: got 0, but the bits set before it "
                                     "put it at 16"));
}

TEST_F(Arrays, WithCountsThatDoNotFit) {
    const BitmapArrays good = arrays_;
    for (std::uint32_t k = 1; k < 7; ++k) arrays_.elem_bitmap[k] = 1;  // nine bits in tile 0
    EXPECT_THAT(refusal(), HasSubstr("values: tile 0: got 3 values, but its bitmap has 9 bits"));
    arrays_ = good;
    arrays_.elem_bitmap[15] = 0;  // two bits, three values
    EXPECT_THAT(refusal(), HasSubstr("values: tile 0: got more values, but its bitmap has 2 bits"));
    arrays_ = good;
    arrays_.elem_bitmap[7] = 1;  // four bits, three values
    EXPECT_THAT(refusal(), HasSubstr("values: tile 0: got 3 values, but its bitmap has 4 bits"));
    arrays_ = good;
    arrays_.elem_bitmap[16 + 2] = 0;
    EXPECT_THAT(refusal(), HasSubstr("elem_bitmap: tile 2: no bits, but warp_bitmap says"));
}

TEST_F(Arrays, WithWrongFlags) {
    const BitmapArrays good = arrays_;
    arrays_.tile_desc[2] |= kTileNonfinite;
    EXPECT_THAT(refusal(), HasSubstr("tile_desc: tile 2, nonfinite: got 1, but every value"));
    arrays_ = good;
    arrays_.values[8] = kInfinity;
    EXPECT_THAT(refusal(), HasSubstr("tile_desc: tile 2, nonfinite: got 0, but a value"));
    arrays_ = good;
    arrays_.tile_desc[0] |= kTileFull;
    EXPECT_THAT(refusal(), HasSubstr("tile_desc: tile 0, flags: got 4, expected 0"));
}

TEST_F(Arrays, FlippedInAnyBitOfTheirStructure) {
    const BitmapArrays good = arrays_;
    const auto flip_all = [&](std::vector<std::uint32_t> BitmapArrays::*array) {
        for (std::size_t bit = 0; bit < (good.*array).size() * 32; ++bit) {
            arrays_ = good;
            (arrays_.*array)[bit / 32] ^= 1U << (bit % 32);
            EXPECT_THAT(refusal(), HasSubstr("a.bin: ")) << bit;
        }
    };
    flip_all(&BitmapArrays::warp_bitmap);
    flip_all(&BitmapArrays::tile_desc);
    flip_all(&BitmapArrays::elem_bitmap);
}

}  // namespace
}  // namespace tessera
