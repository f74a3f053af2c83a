// Do bitmap unit, array and accumulation buffer, clocked together, do what the SpWMMA sequencer
// says?
#include <gtest/gtest.h>

#include <random>
#include <tuple>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/spwmma.h"
#include "sc_models/tensor_core/spwmma_pipeline.h"
#include "tests/unit/spwmma_tile.h"

namespace tessera {
namespace {

using test::random_tile;
using Tile = test::SpwmmaTileData;

constexpr std::uint64_t kSeed = 23;

SpwmmaConfig collector() {
    SpwmmaConfig config;
    config.accumulation = AccumulationDetail::kCollector;
    return config;
}

SpwmmaPipeline make_pipeline(
    std::unique_ptr<BitmapDevice> bitmap = std::make_unique<BitmapModel>(),
    std::unique_ptr<FeopArrayDevice> array = std::make_unique<FeopArrayModel>()) {
    return {collector(), std::make_shared<JoinedSpwmmaCore>(std::move(bitmap), std::move(array),
                                                            std::make_unique<AccumulationModel>())};
}

std::vector<std::uint64_t> numbers(const SpwmmaWork& work) {
    return {work.k_sets,         work.ohmmas,        work.skipped,
            work.additions,      work.tensor_cycles, work.accumulate_cycles,
            work.nonfinite_tiles};
}

std::vector<std::tuple<Cycle, int, int, int, std::uint32_t>> numbers(
    const std::vector<SpwmmaSet>& sets) {
    std::vector<std::tuple<Cycle, int, int, int, std::uint32_t>> result;
    for (const SpwmmaSet& set : sets) {
        result.emplace_back(set.begin, set.a, set.b, set.predicates, set.conflicts);
    }
    return result;
}

std::vector<std::uint32_t> bits_of(SpwmmaUnit& unit) {
    std::vector<float> tile(kTileElements);
    unit.store(tile.data());
    std::vector<std::uint32_t> bits;
    for (const float value : tile) bits.push_back(float_bits(value));
    return bits;
}

class Pipeline : public testing::TestWithParam<std::tuple<double, double>> {};

TEST_P(Pipeline, HasTheCyclesWorkAndSumsOfTheSequencer) {
    const auto [density_a, density_b] = GetParam();
    std::mt19937 random(kSeed);
    SpwmmaSequencer sequencer(collector(), true);
    SpwmmaPipeline pipeline = make_pipeline();
    std::vector<SpwmmaSet> sets_expected;
    std::vector<SpwmmaSet> sets;
    sequencer.watch(&sets_expected);
    pipeline.watch(&sets);
    SpwmmaWork work_expected;
    SpwmmaWork work;
    for (int tile = 0; tile < 3; ++tile) {
        std::vector<float> sums(kTileElements);
        for (float& sum : sums) sum = static_cast<float>(random() % 1000) * 0.37F;
        sums[7] = -0.0F;
        sequencer.load(sums.data());
        pipeline.load(sums.data());
        for (int step = 0; step < 5; ++step) {
            const Tile a = random_tile(random, density_a, true);
            const Tile b = random_tile(random, density_b, true);
            SpwmmaTile view = a.view();
            view.nonfinite = step == 2;  // is counted, whatever is there
            const Cycle expected = sequencer.run(view, b.view(), work_expected);
            EXPECT_EQ(pipeline.run(view, b.view(), work), expected);
            EXPECT_EQ(numbers(sets), numbers(sets_expected)) << "seed " << kSeed;
        }
        EXPECT_EQ(pipeline.drain(), sequencer.drain());
        EXPECT_EQ(bits_of(pipeline), bits_of(sequencer));
    }
    EXPECT_EQ(numbers(work), numbers(work_expected));
    EXPECT_EQ(pipeline.rtl_cycles(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Densities, Pipeline,
                         testing::Values(std::tuple{1.0, 1.0}, std::tuple{0.5, 0.5},
                                         std::tuple{0.3, 0.4}, std::tuple{1.0, 0.1},
                                         std::tuple{0.1, 1.0}, std::tuple{0.02, 0.02},
                                         std::tuple{0.0, 0.5}));

/// The model, but the values of a group begin one later.
class LateOffsets : public BitmapDevice {
public:
    Outputs step(const Inputs& inputs) override {
        Outputs out = model_.step(inputs);
        out.ohmma.b_offset += out.ohmma.i == 1 ? 1 : 0;
        return out;
    }

private:
    BitmapUnit model_;
};

/// The model, but it forgets an OHMMA.
class Forgetful : public FeopArrayDevice {
public:
    Outputs step(const Inputs& inputs) override {
        Outputs out = model_.step(inputs);
        if (out.meta[0] == 3) out.valid = 0;
        return out;
    }

private:
    FeopArray model_;
};

TEST(PipelineOfBrokenBlocks, ShowsInTheSums) {
    std::mt19937 random(kSeed);
    const Tile a = random_tile(random, 0.5, true);
    const Tile b = random_tile(random, 0.5, true);
    const std::vector<float> zeros(kTileElements);
    SpwmmaPipeline good = make_pipeline();
    SpwmmaPipeline bad = make_pipeline(std::make_unique<LateOffsets>());
    SpwmmaWork work;
    for (SpwmmaPipeline* pipeline : {&good, &bad}) {
        pipeline->load(zeros.data());
        static_cast<void>(pipeline->run(a.view(), b.view(), work));
        static_cast<void>(pipeline->drain());
    }
    EXPECT_NE(bits_of(bad), bits_of(good));
}

TEST(PipelineOfBrokenBlocks, LosesNoOhmmaUnseen) {
    std::mt19937 random(kSeed);
    const Tile a = random_tile(random, 0.9, true);
    const Tile b = random_tile(random, 0.9, true);
    SpwmmaPipeline pipeline =
        make_pipeline(std::make_unique<BitmapModel>(), std::make_unique<Forgetful>());
    SpwmmaWork work;
    EXPECT_THROW(static_cast<void>(pipeline.run(a.view(), b.view(), work)), CheckError);
}

/// Says when it is asked to step.
template <class Model, class Device>
class Dated : public Device {
public:
    explicit Dated(std::vector<Cycle>& when) : when_(when) {}
    void at(Cycle now) override { when_.push_back(now); }
    typename Device::Outputs step(const typename Device::Inputs& inputs) override {
        return model_.step(inputs);
    }

private:
    std::vector<Cycle>& when_;
    Model model_;
};

TEST(PipelineClock, GivesEveryBlockTheTime) {
    std::vector<Cycle> bitmap, array, buffer;
    SpwmmaPipeline pipeline(
        collector(), std::make_shared<JoinedSpwmmaCore>(
                         std::make_unique<Dated<BitmapModel, BitmapDevice>>(bitmap),
                         std::make_unique<Dated<FeopArrayModel, FeopArrayDevice>>(array),
                         std::make_unique<Dated<AccumulationModel, AccumulationDevice>>(buffer)));
    pipeline.at(7);
    pipeline.at(100);
    const std::vector<Cycle> expected = {7, 100};
    EXPECT_EQ(bitmap, expected);
    EXPECT_EQ(array, expected);
    EXPECT_EQ(buffer, expected);
}

/// Gives the same OHMMA in every cycle; takes the tile, or does not.
class Eager : public BitmapDevice {
public:
    Eager(bool takes, std::uint32_t& steps) : takes_(takes), steps_(steps) {}
    Outputs step(const Inputs& /*inputs*/) override {
        ++steps_;
        Outputs out;
        out.tile_ready = takes_ ? 1 : 0;
        out.ohmma_valid = 1;
        out.ohmma.row_valid = out.ohmma.column_valid = 1;
        return out;
    }

private:
    const bool takes_;
    std::uint32_t& steps_;
};

TEST(PipelineOfBrokenBlocks, TakesNoOhmmasOfNoTileAndNoMoreThanATileHas) {
    std::mt19937 random(kSeed);
    const Tile a = random_tile(random, 0.5, true);
    const auto steps_until_noticed = [&a](bool takes) {
        std::uint32_t steps = 0;
        SpwmmaPipeline pipeline = make_pipeline(std::make_unique<Eager>(takes, steps));
        SpwmmaWork work;
        try {
            static_cast<void>(pipeline.run(a.view(), a.view(), work));
        } catch (const CheckError& error) {
            EXPECT_STREQ(error.what(), "SpWMMA: the bitmap unit makes OHMMAs of no tile");
        }
        return steps;
    };
    EXPECT_EQ(steps_until_noticed(false), 1U);
    const std::uint32_t most = kSpwmmaDepth * kOhmmasPerSet;
    // All OHMMAs go to one word, which is added to every other cycle.
    EXPECT_GT(steps_until_noticed(true), most);
    EXPECT_LT(steps_until_noticed(true), 4 * most);
}

/// Reads the values of an OHMMA in every cycle, but makes none.
class Reader : public SpwmmaCoreDevice {
public:
    explicit Reader(std::uint32_t& steps) : steps_(steps) {}
    Outputs step(const Inputs& /*inputs*/) override {
        ++steps_;
        Outputs out;
        out.tile_ready = out.read = 1;
        return out;
    }

private:
    std::uint32_t& steps_;
};

TEST(PipelineOfBrokenBlocks, ReadsValuesOfNoMoreOhmmasThanATileHas) {
    std::mt19937 random(kSeed);
    const Tile a = random_tile(random, 0.5, true);
    std::uint32_t steps = 0;
    SpwmmaPipeline pipeline(collector(), std::make_shared<Reader>(steps));
    SpwmmaWork work;
    EXPECT_THROW(static_cast<void>(pipeline.run(a.view(), a.view(), work)), CheckError);
    EXPECT_EQ(steps, kSpwmmaDepth * kOhmmasPerSet + 1) << "one too many";
}

TEST(PipelineConfig, IsWhatTheBlocksAre) {
    EXPECT_TRUE(SpwmmaPipeline::supports(collector()));
    EXPECT_FALSE(SpwmmaPipeline::supports(SpwmmaConfig{}));
    SpwmmaConfig config = collector();
    config.ohmma_cycles = 2;
    EXPECT_FALSE(SpwmmaPipeline::supports(config));
    config = collector();
    config.buffer.depth_entries = 6;
    EXPECT_FALSE(SpwmmaPipeline::supports(config));
    config = collector();
    config.issue = SpwmmaIssue::kPredicated;
    EXPECT_FALSE(SpwmmaPipeline::supports(config));
}

}  // namespace
}  // namespace tessera
