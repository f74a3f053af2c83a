// Does the packet hold what went in, at the bytes it should, and refuse what disagrees?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "sc_models/common/error.h"
#include "tests/support/duplo_layers.h"

namespace tessera::test {
namespace {

LoweredGeometry sample() {
    return lower(8, 56, 56, 64, 3, 3, 1, 1, false, Channels::kPad16);
}

LoweredGeometry transposed_sample() {
    return lower(8, 8, 8, 256, 5, 5, 2, 2, true, Channels::kPad16);
}

TEST(ConvolutionPacket, BytesFollowTheLayout) {
    LoweredGeometry g = transposed_sample();
    g.base = 0x123456789a0;
    g.zero_rule = true;
    g.kernel_tag = 0xa5;
    const ConvolutionPacket::Bytes expected{
        0xa0, 0x89, 0x67, 0x45, 0x23, 0x01,  // base
        0x07, 0x9c,                          // batch 8, valid, transposed, zero rule, shift 4
        20,   0,                             // padded width: 8 * 2 + 2 * 2
        16,   0,    16,   0,                 // output
        0,    1,                             // channels
        0x25, 2,    1,    0xa5,  // filter height 5, up-factor 2; pad 5 - 1 - 2; stride; tag
        80,   0,                 // chunks of a filter row
        20,   0,                 // padded height
        0x90, 0x01, 0,    0,     // pitch 400
        0,    128,  12,   0};    // 2048 rows of 400 chunks
    EXPECT_EQ(ConvolutionPacket::make(g).encode(), expected);
}

TEST(ConvolutionPacket, DenseFilterRowsAreInHalves) {
    const LoweredGeometry g = lower(8, 64, 64, 3, 5, 5, 2, 2, false, Channels::kDense);
    const ConvolutionPacket p = ConvolutionPacket::make(g);
    EXPECT_TRUE(p.dense);
    EXPECT_EQ(p.filter_row, 15u);
    EXPECT_EQ(p.encode()[20], 15);
    EXPECT_EQ(p.encode()[21], 0x80);
    // 16 halves a filter row: dense or not is the same.
    EXPECT_FALSE(
        ConvolutionPacket::make(lower(1, 8, 8, 4, 3, 4, 1, 1, false, Channels::kDense)).dense);
}

TEST(ConvolutionPacket, RoundTrip) {
    constexpr std::uint64_t kSeed = 32;
    std::mt19937_64 rng(kSeed);
    for (int i = 0; i < 3000; ++i) {
        const auto rule = static_cast<Channels>(i % 3);
        LoweredGeometry g = random_layer(rng, rule);
        g.base = (rng() >> 20) & ~Address{31};
        g.zero_rule = rng() % 2 != 0;
        g.kernel_tag = static_cast<std::uint8_t>(rng());
        const ConvolutionPacket p = ConvolutionPacket::make(g);
        const ConvolutionPacket q = ConvolutionPacket::decode(p.encode());
        q.check();
        ASSERT_EQ(p.encode(), q.encode()) << "seed " << kSeed << ", packet " << i;
        ASSERT_EQ(std::tie(p.base, p.batch, p.padded_width, p.padded_height, p.output_height,
                           p.output_width, p.channels, p.filter_height, p.up_factor, p.pad,
                           p.stride, p.kernel_tag, p.dense, p.filter_row, p.row_pitch_chunks,
                           p.n_chunks, p.index_shift, p.transposed, p.zero_rule),
                  std::tie(q.base, q.batch, q.padded_width, q.padded_height, q.output_height,
                           q.output_width, q.channels, q.filter_height, q.up_factor, q.pad,
                           q.stride, q.kernel_tag, q.dense, q.filter_row, q.row_pitch_chunks,
                           q.n_chunks, q.index_shift, q.transposed, q.zero_rule));
    }
}

TEST(ConvolutionPacket, TheWorkspaceMayEndWithTheLastAddress) {
    LoweredGeometry g = sample();
    g.base = (Address{1} << 48) - Address{g.n_chunks} * 32;
    EXPECT_EQ(ConvolutionPacket::make(g).end(), Address{1} << 48);
}

TEST(ConvolutionPacket, OfATensorByPlace) {
    const ConvolutionPacket p = ConvolutionPacket::by_place(0x12340, 77);
    EXPECT_TRUE(p.is_by_place());
    EXPECT_EQ(p.end(), Address{0x12340 + 77 * 32});
    const ConvolutionPacket q = ConvolutionPacket::decode(p.encode());
    EXPECT_NO_THROW(q.check());
    EXPECT_TRUE(q == p);
    EXPECT_FALSE(ConvolutionPacket::make(sample()).is_by_place());
    const auto refusal = [](auto block) {
        try {
            block();
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto make = [](Address base, std::uint64_t chunks) {
        static_cast<void>(ConvolutionPacket::by_place(base, chunks));
    };
    EXPECT_THAT(refusal([&] { make(16, 1); }), ::testing::StartsWith("convolution packet: base: "));
    EXPECT_THAT(refusal([&] { make(0, 0); }),
                ::testing::StartsWith("convolution packet: n_chunks: "));
    EXPECT_THAT(refusal([&] { make((Address{1} << 48) - 32, 2); }),
                ::testing::StartsWith("convolution packet: n_chunks: "));
    EXPECT_EQ(refusal([&] { make((Address{1} << 48) - 32, 1); }), "");
    ConvolutionPacket more = p;
    more.channels = 16;
    more.filter_row = 1;
    EXPECT_EQ(refusal([&] { more.check(); }),
              "convolution packet: filter_height: got 0, expected 1 to 15");
}

TEST(ConvolutionPacket, AllTable1LayersFit) {
    for (const Table1Layer& layer : table1_layers()) {
        for (const Channels rule : {Channels::kPad16, Channels::kFilterRow, Channels::kDense}) {
            EXPECT_NO_THROW(
                static_cast<void>(ConvolutionPacket::make(lower(layer, rule, layer.batch))))
                << layer.name;
        }
    }
}

TEST(ConvolutionPacket, AutoShift) {
    EXPECT_EQ(auto_index_shift(1, 64), 4u);
    EXPECT_EQ(auto_index_shift(2, 4), 3u);
    EXPECT_EQ(auto_index_shift(2, 8), 4u);
    EXPECT_EQ(auto_index_shift(1, 3), 0u);
    EXPECT_EQ(auto_index_shift(3, 24), 3u);
}

struct BadGeometry {
    const char* field;
    std::function<void(LoweredGeometry&)> spoil;
};

class RefusedGeometry : public ::testing::TestWithParam<BadGeometry> {};

TEST_P(RefusedGeometry, NamesTheField) {
    LoweredGeometry g = sample();
    ASSERT_NO_THROW(static_cast<void>(ConvolutionPacket::make(g)));
    GetParam().spoil(g);
    try {
        static_cast<void>(ConvolutionPacket::make(g));
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), ::testing::StartsWith(std::string("convolution packet: ") +
                                                        GetParam().field + ": "));
    }
}

using G = LoweredGeometry;
INSTANTIATE_TEST_SUITE_P(
    Fields, RefusedGeometry,
    ::testing::Values(BadGeometry{"base", [](G& g) { g.base += 16; }},
                      BadGeometry{"base", [](G& g) { g.base = Address{1} << 48; }},
                      BadGeometry{"batch", [](G& g) { g.batch = 0; }},
                      BadGeometry{"batch", [](G& g) { g.batch = 1025; }},
                      BadGeometry{"input_height", [](G& g) { g.input_height = 0; }},
                      BadGeometry{"input_width", [](G& g) { g.input_width = 0; }},
                      BadGeometry{"output_height", [](G& g) { g.output_height = 57; }},
                      BadGeometry{"output_width", [](G& g) { g.output_width = 55; }},
                      BadGeometry{"output_height", [](G& g) { g.output_height = 0; }},
                      BadGeometry{"channels", [](G& g) { g.channels = 0; }},
                      BadGeometry{"filter_height", [](G& g) { g.filter_height = 0; }},
                      BadGeometry{"filter_height", [](G& g) { g.filter_height = 16; }},
                      BadGeometry{"filter_width", [](G& g) { g.filter_width = 0; }},
                      BadGeometry{"filter_width",
                                  [](G& g) {
                                      g.filter_width = 59;
                                      g.filter_row_chunks = 59 * 4;
                                  }},
                      BadGeometry{"filter_height",
                                  [](G& g) {
                                      g.input_height = 1;
                                      g.pad = 0;
                                      g.input_width = 58;
                                  }},
                      BadGeometry{"pad", [](G& g) { g.pad = 256; }},
                      BadGeometry{"output_width", [](G& g) { g.pad = 2; }},
                      BadGeometry{"stride", [](G& g) { g.stride = 0; }},
                      BadGeometry{"output_width", [](G& g) { g.stride = 2; }},
                      BadGeometry{"up_factor", [](G& g) { g.up_factor = 2; }},
                      BadGeometry{"up_factor", [](G& g) { g.up_factor = 0; }},
                      BadGeometry{"up_factor",
                                  [](G& g) {
                                      g.transposed = true;
                                      g.up_factor = 3;
                                  }},
                      BadGeometry{"filter_row_chunks", [](G& g) { g.filter_row_chunks = 11; }},
                      BadGeometry{"row_pitch_chunks", [](G& g) { g.row_pitch_chunks = 35; }},
                      BadGeometry{"row_pitch_chunks", [](G& g) { g.row_pitch_chunks = 0; }},
                      BadGeometry{"n_chunks", [](G& g) { g.n_chunks -= 36; }},
                      BadGeometry{"n_chunks", [](G& g) { g.n_chunks += 1; }},
                      BadGeometry{"n_chunks", [](G& g) { g.base = (Address{1} << 48) - 32; }},
                      BadGeometry{"index_shift", [](G& g) { g.index_shift = 5; }}));

/// One more than a field's bits hold.
INSTANTIATE_TEST_SUITE_P(
    Bounds, RefusedGeometry,
    ::testing::Values(BadGeometry{"channels", [](G& g) { g.channels = 65536; }},
                      BadGeometry{"filter_width", [](G& g) { g.filter_width = 256; }},
                      BadGeometry{"stride", [](G& g) { g.stride = 256; }},
                      BadGeometry{"input_height", [](G& g) { g.input_height = 65536; }},
                      BadGeometry{"input_width", [](G& g) { g.input_width = 65536; }}));

struct BadPacket {
    const char* field;
    std::function<void(ConvolutionPacket&)> spoil;
};

class RefusedPacket : public ::testing::TestWithParam<BadPacket> {};

TEST_P(RefusedPacket, NamesTheField) {
    ConvolutionPacket p = ConvolutionPacket::make(sample());
    GetParam().spoil(p);
    try {
        ConvolutionPacket::decode(p.encode()).check();
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        EXPECT_THAT(error.what(), ::testing::StartsWith(std::string("convolution packet: ") +
                                                        GetParam().field + ": "));
    }
}

TEST(ConvolutionPacket, AFieldBeyondItsRangeIsReportedWithTheRange) {
    const auto said = [](void (*spoil)(ConvolutionPacket&)) -> std::string {
        ConvolutionPacket p = ConvolutionPacket::make(sample());
        spoil(p);
        try {
            p.check();
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(said([](ConvolutionPacket& p) { p.output_height = 0; }),
              "convolution packet: output_height: got 0, expected 1 to 65535");
    EXPECT_EQ(said([](ConvolutionPacket& p) { p.output_width = 65536; }),
              "convolution packet: output_width: got 65536, expected 1 to 65535");
    EXPECT_EQ(said([](ConvolutionPacket& p) { p.padded_height = 65536; }),
              "convolution packet: padded_height: got 65536, expected 3 to 65535");
    EXPECT_EQ(said([](ConvolutionPacket& p) { p.filter_height = 16; }),
              "convolution packet: filter_height: got 16, expected 1 to 15");
}

using P = ConvolutionPacket;
INSTANTIATE_TEST_SUITE_P(
    Fields, RefusedPacket,
    ::testing::Values(BadPacket{"valid", [](P& p) { p.valid = false; }},
                      BadPacket{"base", [](P& p) { p.base |= 1; }},
                      BadPacket{"stride", [](P& p) { p.stride = 0; }},
                      BadPacket{"stride",
                                [](P& p) {
                                    p.transposed = true;
                                    p.stride = 2;
                                }},
                      BadPacket{"up_factor", [](P& p) { p.up_factor = 3; }},
                      BadPacket{"channels", [](P& p) { p.channels = 0; }},
                      BadPacket{"filter_row", [](P& p) { p.filter_row = 0; }},
                      BadPacket{"filter_row", [](P& p) { p.filter_row = 13; }},
                      BadPacket{"filter_row", [](P& p) { p.filter_row = 240; }},
                      BadPacket{"filter_row",
                                [](P& p) {
                                    p.dense = true;
                                    p.filter_row = 193;
                                }},
                      BadPacket{"filter_height", [](P& p) { p.filter_height = 0; }},
                      BadPacket{"padded_width", [](P& p) { p.padded_width = 2; }},
                      BadPacket{"padded_height", [](P& p) { p.padded_height = 0; }},
                      BadPacket{"output_height", [](P& p) { p.output_height = 55; }},
                      BadPacket{"output_width", [](P& p) { p.output_width = 57; }},
                      BadPacket{"channels",
                                [](P& p) {
                                    p.padded_width = p.padded_height = 65535;
                                    p.output_width = p.output_height = 65533;
                                }},
                      BadPacket{"row_pitch_chunks", [](P& p) { p.row_pitch_chunks = 0; }},
                      BadPacket{"index_shift", [](P& p) { p.index_shift = 7; }},
                      BadPacket{"n_chunks", [](P& p) { p.n_chunks = 0; }}));

}  // namespace
}  // namespace tessera::test
