// Do the layers of Duplo Table I become the matrix products they should, and impossible layers
// errors?
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/workload/fragment/convolution_geometry.h"
#include "sc_models/workload/fragment/lowered_convolution.h"

namespace tessera {
namespace {

/// Rows of a CSV under tests/golden by their first column; comments and the heading left out.
std::map<std::string, std::vector<std::string>> read_csv(const std::string& name) {
    std::ifstream file(std::string(TESSERA_SOURCE_DIR) + "/tests/golden/" + name);
    std::map<std::string, std::vector<std::string>> rows;
    std::string line;
    while (std::getline(file, line)) {
        if (line.empty() || line[0] == '#' || line.rfind("layer,", 0) == 0) continue;
        std::stringstream fields(line);
        std::string key;
        std::getline(fields, key, ',');
        for (std::string field; std::getline(fields, field, ',');) rows[key].push_back(field);
    }
    return rows;
}

std::map<std::string, LayerConfig> table1() {
    std::map<std::string, LayerConfig> layers;
    for (const auto& [name, fields] : read_csv("duplo_table1.csv")) {
        const auto number = [&f = fields](std::size_t i) {
            return static_cast<std::uint32_t>(std::stoul(f.at(i)));
        };
        layers[name] = {name,      number(0), number(1), number(2), number(3),           number(4),
                        number(5), number(6), number(7), number(8), fields.at(9) == "on"};
    }
    return layers;
}

TEST(ConvolutionGeometry, Table1Shapes) {
    const auto layers = table1();
    const auto shapes = read_csv("duplo_gemm_shapes.csv");
    ASSERT_EQ(layers.size(), 22U);
    ASSERT_EQ(shapes.size(), 22U);
    for (const auto& [name, fields] : shapes) {
        SCOPED_TRACE(name);
        const LayerConfig& layer = layers.at(name);
        const auto number = [&f = fields](std::size_t i) { return std::stoull(f.at(i)); };
        const auto padded = ConvolutionGeometry::make(layer, ChannelRule::kPad16);
        EXPECT_EQ(padded.m, number(0));
        EXPECT_EQ(padded.n, number(1));
        EXPECT_EQ(padded.k_unpadded, number(2));
        EXPECT_EQ(padded.k_pitch, number(3));
        EXPECT_EQ(padded.k, number(3));
        EXPECT_EQ(padded.workspace_elements(), number(6));
        EXPECT_EQ(padded.workspace_bytes(), number(0) * number(3) * 2);
        const auto rows = ConvolutionGeometry::make(layer, ChannelRule::kPad8FilterRow);
        EXPECT_EQ(rows.k_pitch, number(4));
        const auto dense = ConvolutionGeometry::make(layer, ChannelRule::kDense);
        EXPECT_EQ(dense.k, number(2));
        EXPECT_EQ(dense.k_pitch, number(5));
    }
}

TEST(ConvolutionGeometry, TransposedLayersDoubleTheImage) {
    const auto g = ConvolutionGeometry::make(table1().at("gan.TC1"), ChannelRule::kPad16);
    EXPECT_EQ(g.up_factor, 2U);
    EXPECT_EQ(g.stride, 1U);
    EXPECT_EQ(g.pad, 2U);  // 5 - 1 - 2
    EXPECT_EQ(g.inserted_height, 8U);
    EXPECT_EQ(g.padded_width, 12U);
    EXPECT_EQ(g.output_height, 8U);
    EXPECT_EQ(g.output_width, 8U);
}

// Duplo Figure 6: 4x4 input, 3x3 filter, one channel: 36 workspace elements of 16 distinct inputs.
TEST(ConvolutionGeometry, Figure6) {
    const auto g = ConvolutionGeometry::make(
        LayerConfig{"figure6", 1, 4, 4, 1, 1, 3, 3, 0, 1, false}, ChannelRule::kDense);
    EXPECT_EQ(g.workspace_elements(), 36U);
    std::set<std::uint64_t> distinct;
    for (std::uint64_t row = 0; row < g.m; ++row) {
        for (std::uint64_t column = 0; column < g.k; ++column) {
            distinct.insert(g.source(row, column).value());
        }
        EXPECT_FALSE(g.source(row, 9));  // K padding
        EXPECT_FALSE(g.tap(9));
    }
    EXPECT_EQ(distinct.size(), 16U);
    EXPECT_EQ(g.source(1, 5), 7U);  // output (0,1), tap (1,2): input (1,3)
}

TEST(ConvolutionGeometry, EveryWeightIsMetExactlyOnce) {
    for (const ChannelRule rule :
         {ChannelRule::kPad16, ChannelRule::kPad8FilterRow, ChannelRule::kDense}) {
        const auto g =
            ConvolutionGeometry::make(LayerConfig{"taps", 1, 9, 9, 19, 1, 3, 5, 1, 1, false}, rule);
        std::multiset<std::uint64_t> met;
        for (std::uint64_t column = 0; column < g.k_pitch; ++column) {
            if (const auto tap = g.tap(column)) met.insert(*tap);
        }
        std::multiset<std::uint64_t> all;
        for (std::uint64_t tap = 0; tap < g.k_unpadded; ++tap) all.insert(tap);
        EXPECT_EQ(met, all);
    }
}

/// Each group is a product of its own, and its channels are images of their own.
TEST(ConvolutionGeometry, GroupsAreImages) {
    const LayerConfig layer{"groups", 2, 9, 7, 40, 60, 3, 5, 1, 2, false, 4};
    const auto g = ConvolutionGeometry::make(layer, ChannelRule::kPad16);
    LayerConfig of_images = layer;
    of_images.batch = 8;
    of_images.channels = 10;
    of_images.filters = 15;
    of_images.groups = 1;
    const auto images = ConvolutionGeometry::make(of_images, ChannelRule::kPad16);
    EXPECT_EQ(g.m, images.m);
    EXPECT_EQ(g.group_rows(), images.m / 4);
    EXPECT_EQ(g.n, 15U);
    EXPECT_EQ(g.k, 15U * 16);
    EXPECT_EQ(g.k_unpadded, 15U * 10);
    EXPECT_EQ(g.input_halves(), images.input_halves());
    EXPECT_EQ(lowered_geometry(g, 0x20000000, PacketOptions{}).batch, 8U);
}

TEST(ConvolutionGeometry, ImpossibleLayersAreRefused) {
    const auto refused = [](const char* key, auto&& change) {
        LayerConfig layer;
        change(layer);
        try {
            (void)ConvolutionGeometry::make(layer, ChannelRule::kPad16);
            ADD_FAILURE() << key << " was accepted";
        } catch (const ConfigError& error) {
            EXPECT_EQ(std::string(error.what()).rfind(std::string("workload.layer.") + key, 0), 0U)
                << error.what();
        }
    };
    refused("filter_height", [](LayerConfig& l) { l.filter_height = 59; });
    refused("filter_width", [](LayerConfig& l) { l.filter_width = 59; });
    refused("filter_width", [](LayerConfig& l) { l.transposed = true, l.filter_width = 5; });
    refused("pad", [](LayerConfig& l) { l.transposed = true, l.pad = 3; });
    refused("stride", [](LayerConfig& l) { l.stride = 0; });
    refused("channels", [](LayerConfig& l) { l.channels = 0; });
    refused("groups", [](LayerConfig& l) { l.groups = 0; });
    refused("groups", [](LayerConfig& l) { l.groups = 3; });
    refused("groups", [](LayerConfig& l) { l.groups = 32, l.filters = 48; });
    refused("batch", [](LayerConfig& l) { l.groups = 64, l.batch = 1 << 26; });
    refused("batch", [](LayerConfig& l) { l.batch = 1 << 30; });
}

TEST(LoweredGeometry, EveryTable1LayerMakesAValidPacket) {
    for (const auto& [name, layer] : table1()) {
        for (const ChannelRule rule :
             {ChannelRule::kPad16, ChannelRule::kPad8FilterRow, ChannelRule::kDense}) {
            SCOPED_TRACE(name);
            const auto g = ConvolutionGeometry::make(layer, rule);
            const auto packet =
                ConvolutionPacket::make(lowered_geometry(g, 0x20000000, PacketOptions{}));
            EXPECT_EQ(packet.rows(), g.m);
            EXPECT_EQ(packet.end() - packet.base, g.workspace_bytes());
            EXPECT_EQ(packet.filter_row_halves(), g.filter_row_pitch);
            EXPECT_EQ(packet.up_factor, g.up_factor);
        }
    }
}

}  // namespace
}  // namespace tessera
