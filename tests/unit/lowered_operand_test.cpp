// Is a lowered sparse feature map what the layer's geometry says it is?
#include "sc_models/sparse/lowered_operand.h"

#include <gtest/gtest.h>

#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/sparse/sparsity.h"
#include "sc_models/workload/fragment/convolution_geometry.h"

namespace tessera {
namespace {

BitmapMatrix feature_map(const LoweringShape& shape, double sparsity, bool values = true) {
    SparsityConfig config;
    config.sparsity = sparsity;
    return SparsityGenerator(config, 1, SparseOperand::kA)
        .make(shape.pixels(), shape.channels, values);
}

/// Reference: the lowered matrix computed from the geometry that the dense kernels use.
std::vector<HalfBits> by_geometry(const BitmapMatrix& map, const LoweringShape& shape) {
    LayerConfig layer;
    layer.batch = shape.batch;
    layer.height = shape.height;
    layer.width = shape.width;
    layer.channels = shape.channels;
    layer.filters = 1;
    layer.filter_height = shape.filter_height;
    layer.filter_width = shape.filter_width;
    layer.pad = shape.pad;
    layer.stride = shape.stride;
    const auto geometry = ConvolutionGeometry::make(layer, ChannelRule::kDense);
    EXPECT_EQ(geometry.m, shape.lines());
    EXPECT_EQ(geometry.k, shape.k());
    const std::vector<HalfBits> dense = map.decode();
    std::vector<HalfBits> lowered;
    for (std::uint64_t line = 0; line < shape.lines(); ++line) {
        for (std::uint64_t k = 0; k < shape.k(); ++k) {
            const auto source = geometry.source(line, k);
            lowered.push_back(source ? dense.at(*source) : HalfBits{0});
        }
    }
    return lowered;
}

TEST(LoweredOperand, IsThatOfTheDenseKernels) {
    const LoweringShape shapes[] = {{1, 6, 7, 16, 3, 3, 1, 1},  {2, 9, 5, 3, 3, 3, 1, 2},
                                    {1, 8, 8, 70, 1, 1, 0, 1},  {3, 5, 6, 5, 2, 3, 0, 1},
                                    {1, 11, 11, 3, 7, 7, 3, 2}, {1, 4, 4, 130, 3, 3, 2, 3},
                                    {1, 1, 40, 33, 1, 5, 2, 1}};
    for (const LoweringShape& shape : shapes) {
        for (const double sparsity : {0.0, 0.5, 0.95}) {
            const BitmapMatrix map = feature_map(shape, sparsity);
            const BitmapMatrix lowered = lower_feature_map(map, shape, true);
            ASSERT_EQ(lowered.decode(), by_geometry(map, shape))
                << shape.height << "x" << shape.width << "x" << shape.channels << " under "
                << shape.filter_height << "x" << shape.filter_width;
            for (const bool values : {false, true}) {
                const BitmapMatrix pattern =
                    lower_feature_map(feature_map(shape, sparsity, values), shape, false);
                EXPECT_FALSE(pattern.has_values());
                EXPECT_EQ(pattern.arrays().elem_bitmap, lowered.arrays().elem_bitmap);
                EXPECT_EQ(pattern.arrays().tile_desc, lowered.arrays().tile_desc);
                EXPECT_EQ(pattern.nnz(), lowered.nnz());
            }
        }
    }
}

TEST(LoweredOperand, HasTheColumnsOfThePaper) {
    // IV-A, Figure 11: a 3 x 6 feature map under 3 x 3 gives 4 x 9.
    const LoweringShape shape{1, 3, 6, 1, 3, 3, 0, 1};
    EXPECT_EQ(shape.lines(), 4U);
    EXPECT_EQ(shape.k(), 9U);
    // B = (R - K + S) / S.
    EXPECT_EQ((LoweringShape{1, 1, 11, 1, 1, 3, 0, 2}.output_width()), (11U - 3 + 2) / 2);
}

TEST(LoweredOperand, RefusesOtherShapes) {
    const LoweringShape shape{1, 6, 7, 16, 3, 3, 1, 1};
    const BitmapMatrix map = feature_map(shape, 0.5);
    for (const LoweringShape& other :
         {LoweringShape{2, 6, 7, 16, 3, 3, 1, 1}, LoweringShape{1, 6, 7, 17, 3, 3, 1, 1},
          LoweringShape{1, 6, 7, 16, 9, 3, 1, 1}, LoweringShape{1, 6, 7, 16, 3, 10, 1, 1},
          LoweringShape{1, 6, 7, 16, 3, 3, 1, 0}, LoweringShape{1, 6, 7, 16, 0, 3, 1, 1}}) {
        EXPECT_THROW((void)lower_feature_map(map, other, true), ConfigError);
    }
}

}  // namespace
}  // namespace tessera
