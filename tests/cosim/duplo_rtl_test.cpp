// Called as the running machine calls them, do the RTL blocks of the detection unit answer as their
// cores do, and refuse in one line what they cannot do?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sc_models/common/error.h"
#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/duplo/id_generator.h"
#include "tests/support/duplo_layers.h"

namespace tessera::test {
namespace {

constexpr std::uint64_t kSeed = 25;

template <class Function>
std::string refusal_of(Function function) {
    try {
        function();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

/// Fragments all over the workspace of `g`, and one over each end of it.
void expect_equal_ids(IdGeneratorRtl& rtl, const LoweredGeometry& g, std::mt19937_64& rng) {
    IdGenerator core;
    core.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
    rtl.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
    std::array<DataId, kFragmentRows> expected, got;
    for (int i = 0; i < 12; ++i) {
        const std::uint32_t pitch = g.row_pitch_chunks * 32;
        const Address address = i == 0   ? g.base - 96
                                : i == 1 ? g.base + Address{g.n_chunks - 1} * 32
                                         : g.base + rng() % g.n_chunks * 32;
        core.generate(address, i % 3 == 2 ? 32 : pitch, 1, expected.data());
        rtl.generate(address, i % 3 == 2 ? 32 : pitch, 1, got.data());
        for (std::size_t row = 0; row < kFragmentRows; ++row) {
            ASSERT_EQ(got[row].bypass, expected[row].bypass) << "seed " << kSeed;
            if (!expected[row].valid()) continue;
            ASSERT_EQ(std::tie(got[row].element, got[row].batch, got[row].extra, got[row].zero),
                      std::tie(expected[row].element, expected[row].batch, expected[row].extra,
                               expected[row].zero))
                << "seed " << kSeed;
        }
    }
}

TEST(IdGeneratorRtl, AnswersAsTheCore) {
    std::mt19937_64 rng(kSeed);
    IdGeneratorRtl rtl;
    for (const Table1Layer& layer : table1_layers()) {
        LoweredGeometry g = lower(layer, Channels::kPad16, layer.batch);
        g.zero_rule = true;
        expect_equal_ids(rtl, g, rng);
    }
    for (int i = 0; i < 200; ++i) {
        LoweredGeometry g = random_layer(rng, static_cast<Channels>(i % 3));
        g.zero_rule = i % 2 == 0;
        expect_equal_ids(rtl, g, rng);
    }
}

/// A fragment's 16 addresses go one behind the other: 16 cycles and the latency.
TEST(IdGeneratorRtl, CountsClockCycles) {
    IdGeneratorRtl rtl;
    const LoweredGeometry g = lower(8, 56, 56, 64, 3, 3, 1, 1, false, Channels::kPad16);
    std::uint64_t before = rtl.clock_cycles();
    rtl.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
    EXPECT_EQ(rtl.clock_cycles() - before, IdGeneratorRtl::kProgramCycles + 2);
    std::array<DataId, kFragmentRows> ids;
    before = rtl.clock_cycles();
    rtl.generate(g.base, g.row_pitch_chunks * 32, 1, ids.data());
    EXPECT_EQ(rtl.clock_cycles() - before, kFragmentRows + IdGeneratorRtl::kLatency);
}

TEST(IdGeneratorRtl, RefusesWhatItCannotDo) {
    IdGeneratorRtl rtl;
    const LoweredGeometry g = lower(8, 56, 56, 64, 3, 3, 1, 1, false, Channels::kPad16);
    ConvolutionPacket packet = ConvolutionPacket::make(g);
    const std::string unsupported = "impl.id_generator: parameters the RTL does not support: ";
    EXPECT_THAT(refusal_of([&] { rtl.program(packet, IdFormula::kPaper); }),
                ::testing::StartsWith(unsupported + "duplo.id_formula"));
    std::array<DataId, kFragmentRows> ids;
    EXPECT_THAT(refusal_of([&] { rtl.generate(g.base, 32, 16, ids.data()); }),
                ::testing::StartsWith(unsupported + "duplo.granularity"));
    packet.output_width = 55;
    EXPECT_THAT(refusal_of([&] { rtl.program(packet, IdFormula::kCorrected); }),
                ::testing::StartsWith("convolution packet: output_width: "));
    rtl.generate(g.base, 32, 1, ids.data());
    EXPECT_EQ(ids[0].bypass, BypassReason::kOff);
}

TEST(LoadHistoryBufferRtl, AnswersAsTheCore) {
    constexpr std::uint32_t kRegisters = 300;
    constexpr int kOperations = 30000;
    struct Shape {
        std::uint32_t entries, ways, shift;
        bool fold;
    };
    for (const Shape shape : {Shape{64, 1, 4, false}, Shape{64, 8, 2, true}, Shape{1, 1, 4, true},
                              Shape{32, 4, 0, false}, Shape{2048, 2, 0, true}}) {
        std::mt19937_64 rng(kSeed);
        LoadHistoryBuffer core(shape.entries, shape.ways, shape.fold);
        LoadHistoryBufferRtl rtl(shape.entries, shape.ways, shape.fold);
        core.program(shape.shift, kRegisters);
        rtl.program(shape.shift, kRegisters);
        for (int step = 0; step < kOperations; ++step) {
            DataId id;
            id.element = rng() % 80 << shape.shift | (rng() % 4) << 13;
            id.batch = static_cast<std::uint32_t>(rng() % 2);
            const LhbKey key = LhbKey::make(id, static_cast<std::uint32_t>(rng() % 2), 5);
            const PhysRegId phys{static_cast<std::uint32_t>(rng() % kRegisters)};
            const std::uint64_t dice = rng() % 3000;
            if (dice == 0) {
                core.clear();
                rtl.clear();
            } else if (dice % 3 == 0) {
                ASSERT_EQ(rtl.find(key), core.find(key)) << "seed " << kSeed << ", step " << step;
            } else if (dice % 3 == 1 && !core.names(phys)) {
                const auto expected = core.insert(key, phys);
                const auto got = rtl.insert(key, phys);
                ASSERT_EQ(got.phys, expected.phys) << "seed " << kSeed << ", step " << step;
                ASSERT_EQ(got.same_key, expected.same_key);
            } else if (dice % 3 == 2) {
                ASSERT_EQ(rtl.release(phys), core.release(phys)) << "step " << step;
            }
            ASSERT_EQ(rtl.names(phys), core.names(phys));
            ASSERT_EQ(rtl.size(), core.size());
        }
    }
}

TEST(LoadHistoryBufferRtl, RefusesWhatItCannotDo) {
    const auto refusal = [](std::uint32_t entries, std::uint32_t ways) {
        return refusal_of([&] { LoadHistoryBufferRtl(entries, ways, false); });
    };
    EXPECT_EQ(refusal(4096, 1),
              "impl.load_history_buffer: the RTL has at most 2048 entries, got duplo.lhb.entries "
              "4096");
    EXPECT_THAT(refusal(0, 1), ::testing::HasSubstr("duplo.lhb.entries infinite"));
    EXPECT_THAT(refusal(64, 16), ::testing::HasSubstr("got duplo.lhb.ways 16"));
    EXPECT_THAT(refusal(60, 3), ::testing::HasSubstr("got duplo.lhb.ways 3"));
    EXPECT_THAT(refusal(96, 1), ::testing::HasSubstr("power of two"));
    EXPECT_THAT(refusal(10, 4), ::testing::StartsWith("duplo.lhb.entries: got 10"));
    LoadHistoryBufferRtl rtl(64, 1, false);
    EXPECT_THAT(refusal_of([&] { rtl.program(4, 16385); }),
                ::testing::HasSubstr("16384 registers"));
    EXPECT_THAT(refusal_of([&] { rtl.program(32, 100); }), ::testing::HasSubstr("shift_bits 32"));
}

}  // namespace
}  // namespace tessera::test
