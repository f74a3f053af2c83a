// Is every byte in one place, and is work spread over the slices?
#include "sc_models/memory/core/address_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"

using namespace tessera;

namespace {

struct Shape {
    std::uint32_t slices, channels;
    IndexHash hash;
};

AddressMap make_map(const Shape& shape, std::uint32_t interleave = 256) {
    L2Config l2;
    l2.slices = shape.slices;
    l2.slice_hash = shape.hash;
    l2.slice_interleave_bytes = interleave;
    DramConfig dram;
    dram.channels = shape.channels;
    return {l2, dram};
}

class AddressMapShapes : public testing::TestWithParam<Shape> {};

TEST_P(AddressMapShapes, LocalAddressesAreDenseAndOneToOne) {
    const Shape shape = GetParam();
    const AddressMap map = make_map(shape);
    constexpr std::uint32_t kRounds = 300;
    const Address bytes = Address{kRounds} * shape.slices * 256;
    std::set<std::pair<std::uint32_t, Address>> in_slice, in_channel;
    for (Address a = 0; a < bytes; a += 128) {
        const std::uint32_t slice = map.slice(a);
        ASSERT_LT(slice, shape.slices);
        ASSERT_EQ(map.channel(a), slice % shape.channels);
        ASSERT_LT(map.slice_local(a), bytes / shape.slices) << "not dense";
        ASSERT_LT(map.channel_local(a), bytes / shape.channels) << "not dense";
        ASSERT_TRUE(in_slice.insert({slice, map.slice_local(a)}).second) << a;
        ASSERT_TRUE(in_channel.insert({map.channel(a), map.channel_local(a)}).second) << a;
        ASSERT_EQ(map.global(slice, map.slice_local(a)), a);
    }
}

TEST_P(AddressMapShapes, InverseHoldsEverywhere) {
    const AddressMap map = make_map(GetParam());
    constexpr std::uint32_t kSeed = 5;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < 100'000; ++i) {
        const Address a = random() >> (random() % 48);
        ASSERT_EQ(map.global(map.slice(a), map.slice_local(a)), a);
        ASSERT_EQ(map.slice_local(a) % 256, a % 256);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AddressMapShapes,
                         testing::Values(Shape{48, 24, IndexHash::kXor},
                                         Shape{48, 24, IndexHash::kNone},
                                         Shape{64, 32, IndexHash::kXor},
                                         Shape{7, 7, IndexHash::kXor},
                                         Shape{1, 1, IndexHash::kXor}));

TEST(AddressMap, HashSpreadsPowerOfTwoStrides) {
    for (const std::uint32_t slices : {48U, 64U, 32U}) {
        const AddressMap map = make_map({slices, slices, IndexHash::kXor});
        for (std::uint32_t log2_stride = 8; log2_stride <= 20; ++log2_stride) {
            constexpr std::uint32_t kAccessesASlice = 64;
            std::vector<std::uint32_t> load(slices);
            for (Address i = 0; i < Address{kAccessesASlice} * slices; ++i) {
                ++load[map.slice(i << log2_stride)];
            }
            EXPECT_LE(*std::max_element(load.begin(), load.end()), 3 * kAccessesASlice)
                << slices << " slices, stride 2^" << log2_stride;
        }
    }
}

TEST(AddressMap, WithoutHashAStrideOfAllSlicesStaysInOne) {
    const AddressMap map = make_map({64, 32, IndexHash::kNone});
    for (Address i = 0; i < 100; ++i) EXPECT_EQ(map.slice(i * 64 * 256), 0U);
}

TEST(AddressMap, ImpossibleShapesNameTheKey) {
    EXPECT_THROW(make_map({48, 32, IndexHash::kXor}), ConfigError);
    EXPECT_THROW(make_map({48, 24, IndexHash::kXor}, 64), ConfigError);
    EXPECT_THROW(make_map({48, 24, IndexHash::kXor}, 384), ConfigError);
}

}  // namespace
