// Do sparse products run whole, finish, conserve, and give the right output?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/run/simulation.h"
#include "sc_models/workload/onednn_check.h"

namespace tessera {
namespace {

struct Shape {
    const char* name;
    std::uint32_t m, n, k;
};
constexpr Shape kShapes[] = {
    {"whole", 128, 128, 96}, {"ragged", 131, 77, 75}, {"thin", 5, 200, 33}};
constexpr std::pair<const char*, ProductMethod> kMethods[] = {{"dense", ProductMethod::kDense},
                                                              {"single", ProductMethod::kSingle},
                                                              {"dual", ProductMethod::kDual}};
struct Sparsities {
    const char* name;
    double a, b;
};
// "full_few" and "few_full": values of one side are not read where the other has none.
constexpr Sparsities kSparsities[] = {{"full", 0, 0},
                                      {"half", 0.5, 0.7},
                                      {"few", 0.97, 0.999},
                                      {"full_few", 0, 0.98},
                                      {"few_full", 0.98, 0}};

Config config_of(const Shape& shape, ProductMethod method, const Sparsities& zeros) {
    Config config;
    config.gpu.sms = 2;
    config.values = true;
    config.seed = 5;
    const bool fragments = method == ProductMethod::kDense;
    config.tensor_core.kind = fragments ? TensorCoreKind::kFedp : TensorCoreKind::kOuterProduct;
    config.tensor_core.spwmma.accumulation = AccumulationDetail::kCount;
    WorkloadConfig& w = config.workload;
    w.kind = WorkloadKind::kSparseGemm;
    w.gemm = {shape.m, shape.n, shape.k};
    w.sparse.method = method;
    w.sparse.a.sparsity = zeros.a;
    w.sparse.b.sparsity = zeros.b;
    w.tiling.cta_m = 64;
    w.tiling.cta_n = 64;
    w.tiling.warp_m = 32;
    w.tiling.warp_n = 64;
    return config;
}

void expect_right(const RunReport& report, const Config& config) {
    EXPECT_TRUE(report.complete);
    for (const std::string& violation : report.violations) ADD_FAILURE() << violation;
    EXPECT_TRUE(report.verification.checked);
    EXPECT_TRUE(report.verification.passed()) << report.verification.first_mismatch;
    EXPECT_EQ(report.verification.outputs,
              std::uint64_t{config.workload.gemm.m} * config.workload.gemm.n);
}

/// Every OHMMA of an SpWMMA, 8 for each of its 16 k, is issued or skipped.
void expect_ohmmas_conserved(const RunReport& report, bool sparse) {
    const auto number = [&report](const char* name) {
        return report.kernels.back()
            .statistics
            .at(nlohmann::ordered_json::json_pointer(std::string("/sm/sub_core/tensor/") + name))
            .get<std::uint64_t>();
    };
    if (!sparse) {
        EXPECT_EQ(number("spwmmas"), 0U);
    }
    EXPECT_EQ(number("ohmmas") + number("ohmmas_skipped"), 128 * number("spwmmas"));
}

class SparseProducts
    : public testing::TestWithParam<std::tuple<std::size_t, std::size_t, std::size_t, Timing>> {};

TEST_P(SparseProducts, AreBitExact) {
    const auto [shape, method, zeros, timing] = GetParam();
    Config config = config_of(kShapes[shape], kMethods[method].second, kSparsities[zeros]);
    config.timing = timing;
    config.protocol_check = true;
    Simulation simulation(config, {});
    const RunReport report = simulation.run();
    expect_right(report, config);
    if (config.tensor_core.kind == TensorCoreKind::kOuterProduct) {
        expect_ohmmas_conserved(report, kMethods[method].second != ProductMethod::kDense);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, SparseProducts,
    testing::Combine(testing::Range<std::size_t>(0, 3), testing::Range<std::size_t>(0, 3),
                     testing::Range<std::size_t>(0, std::size(kSparsities)),
                     testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed)),
    [](const auto& param) {
        return std::string(kShapes[std::get<0>(param.param)].name) + "_" +
               kMethods[std::get<1>(param.param)].first + "_" +
               kSparsities[std::get<2>(param.param)].name + "_" +
               (std::get<3>(param.param) == Timing::kApproximatelyTimed ? "at" : "lt");
    });

/// Rows that begin anywhere in a sector: the accesses that load a tile of C overtake one another.
TEST(SparseProduct, WaitsForAllOfC) {
    Config config = config_of({"", 62, 175, 16}, ProductMethod::kDual, {"", 0, 0});
    config.seed = 1;
    config.timing = Timing::kApproximatelyTimed;
    config.dram.channels = 1;
    config.tensor_core.spwmma.accumulation = AccumulationDetail::kMemo;
    config.workload.sparse.read_c = true;
    config.workload.tiling = {};
    Simulation simulation(config, {});
    expect_right(simulation.run(), config);
}

class SparseCtas : public testing::TestWithParam<std::size_t> {};

/// Registers hold the sums of the CTA before; a CTA that does not read C clears them.
TEST_P(SparseCtas, OneAfterAnotherInOneSlot) {
    Config config = config_of(kShapes[0], kMethods[GetParam()].second, kSparsities[1]);
    config.gpu.sms = 1;
    config.sm.max_ctas = 1;
    Simulation simulation(config, {});
    expect_right(simulation.run(), config);
}

INSTANTIATE_TEST_SUITE_P(All, SparseCtas, testing::Range<std::size_t>(0, 3),
                         [](const auto& param) { return kMethods[param.param].first; });

class UnmetTiles : public testing::TestWithParam<std::tuple<std::size_t, std::uint32_t, Timing>> {};

/// Random shapes, steps and zeros, those of B in clusters and blocks so that whole tiles are empty.
TEST_P(UnmetTiles, LeftOutChangeNoBit) {
    const auto [method, seed, timing] = GetParam();
    std::mt19937 random(seed);
    const auto draw = [&random](std::uint32_t low, std::uint32_t high) {
        return low + static_cast<std::uint32_t>(random() % (high - low + 1));
    };
    const Shape shape{"", draw(1, 150), draw(1, 150), draw(1, 1200)};
    const double zeros[] = {0, 0.5, 0.97, 0.999};
    Config config =
        config_of(shape, kMethods[method].second, {"", zeros[draw(0, 3)], zeros[draw(1, 3)]});
    config.timing = timing;
    config.protocol_check = true;
    SparseConfig& sparse = config.workload.sparse;
    sparse.skip_unmet_tiles = true;
    sparse.b.pattern = seed % 3 == 0 ? SparsityPattern::kBlocks : SparsityPattern::kClustered;
    sparse.b.concentration = 0.3;
    sparse.k_step = seed % 2 == 0 ? SparseConfig::kAutoStep : kSparseTileK * draw(1, 8);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << shape.m << " x " << shape.n
                                    << " x " << shape.k << ", k_step " << sparse.k_step);
    Simulation simulation(config, {});
    expect_right(simulation.run(), config);
}

INSTANTIATE_TEST_SUITE_P(
    Random, UnmetTiles,
    testing::Combine(testing::Range<std::size_t>(1, 3), testing::Range(0U, 8U),
                     testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed)),
    [](const auto& param) {
        return std::string(kMethods[std::get<0>(param.param)].first) +
               std::to_string(std::get<1>(param.param)) +
               (std::get<2>(param.param) == Timing::kApproximatelyTimed ? "_at" : "_lt");
    });

class SparseStorage : public testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t>> {};

/// Whatever the step and the sets of operands in registers.
TEST_P(SparseStorage, StepsAndBuffersChangeNoBit) {
    Config config = config_of(kShapes[1], ProductMethod::kDual, kSparsities[1]);
    config.workload.sparse.k_step = std::get<0>(GetParam());
    config.workload.tiling.fragment_buffers = std::get<1>(GetParam());
    config.workload.tiling.warp_n = 32;
    config.workload.sparse.read_c = true;
    config.tensor_core.spwmma.accumulation = AccumulationDetail::kCollector;
    Simulation simulation(config, {});
    expect_right(simulation.run(), config);
}

INSTANTIATE_TEST_SUITE_P(All, SparseStorage,
                         testing::Combine(testing::Values(0U, 16U, 32U, 64U),
                                          testing::Values(1U, 2U)));

/// Shapes, steps and tiles at random: k that a step does not divide, CTAs beyond D, one line.
class AnySparseProduct : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AnySparseProduct, IsBitExact) {
    std::mt19937 random(GetParam());
    const auto pick = [&random](std::uint32_t from, std::uint32_t to) {
        return from + static_cast<std::uint32_t>(random() % (to - from + 1));
    };
    const Shape shape{"any", pick(1, 140), pick(1, 140), pick(1, 210)};
    const Sparsities zeros{"any", pick(0, 10) / 10.0, pick(0, 10) / 10.0};
    const std::size_t method = GetParam() % std::size(kMethods);
    Config config = config_of(shape, kMethods[method].second, zeros);
    config.seed = GetParam();
    WorkloadConfig& w = config.workload;
    w.sparse.k_step = pick(0, 4) * kSparseTileK;  // 0: as long as fits
    w.sparse.read_c = pick(0, 1) == 1;
    w.tiling.cta_m = 32 * pick(1, 2);
    w.tiling.cta_n = 32 * pick(1, 2);
    w.tiling.warp_m = w.tiling.warp_n = 32;
    w.tiling.fragment_buffers = pick(1, 2);
    w.tiling.raster = pick(0, 1) == 1 ? RasterOrder::kNFastest : RasterOrder::kMFastest;
    SCOPED_TRACE(testing::Message()
                 << kMethods[method].first << " " << shape.m << "x" << shape.n << "x" << shape.k
                 << ", k_step " << w.sparse.k_step << ", seed " << GetParam());
    Simulation simulation(config, {});
    expect_right(simulation.run(), config);
    const OnednnReport onednn = compare_with_onednn(
        simulation.workload(), [&simulation](Address address, void* data, std::size_t bytes) {
            simulation.read_memory(address, data, bytes);
        });
    EXPECT_TRUE(onednn.passed()) << onednn.violations << " outputs are not oneDNN's";
}

INSTANTIATE_TEST_SUITE_P(Random, AnySparseProduct, testing::Range(0U, 60U));

/// A of 5 x 7 has infinities at k 1 and 2 and a NaN at k 4; half of B are zeros.
class NonfiniteProducts : public testing::TestWithParam<std::tuple<std::size_t, NonfiniteNumbers>> {
protected:
    Config config() const {
        const auto [method, numbers] = GetParam();
        Config config = config_of({"file", 5, 40, 7}, kMethods[method].second, {"half", 0, 0.5});
        config.workload.sparse.nonfinite = numbers;
        config.workload.sparse.a.file = TESSERA_SOURCE_DIR "/tests/golden/matrices/nonfinite.mtx";
        return config;
    }
};

TEST_P(NonfiniteProducts, FollowThePolicy) {
    const auto [method, numbers] = GetParam();
    Simulation simulation(config(), {});
    expect_right(simulation.run(), config());
    const ProductShape shape = simulation.workload().product();
    std::vector<float> d(shape.m * shape.n);
    simulation.read_memory(shape.d, d.data(), d.size() * sizeof(float));
    const auto nans = [&](std::uint64_t row) {
        return std::count_if(d.begin() + static_cast<std::ptrdiff_t>(row * shape.n),
                             d.begin() + static_cast<std::ptrdiff_t>((row + 1) * shape.n),
                             [](float value) { return std::isnan(value); });
    };
    // Rows 1 and 2 hold an infinity: NaN where it meets a zero, unless that is skipped.
    const bool hides =
        numbers == NonfiniteNumbers::kSkipHides && kMethods[method].second != ProductMethod::kDense;
    for (const std::uint64_t row : {1U, 2U}) {
        EXPECT_TRUE(hides ? nans(row) == 0 : nans(row) > 5 && nans(row) < 35) << nans(row);
    }
    EXPECT_TRUE(hides ? nans(4) < 35 : nans(4) == 40) << nans(4);
    EXPECT_EQ(nans(0) + nans(3), 0);
}

INSTANTIATE_TEST_SUITE_P(All, NonfiniteProducts,
                         testing::Combine(testing::Range<std::size_t>(0, 3),
                                          testing::Values(NonfiniteNumbers::kSkipHides,
                                                          NonfiniteNumbers::kExplicit)));

TEST(NonfiniteProduct, StrictRefusesTheFile) {
    Config config = config_of({"file", 5, 40, 7}, ProductMethod::kDual, {"half", 0, 0.5});
    config.workload.sparse.nonfinite = NonfiniteNumbers::kStrict;
    config.workload.sparse.a.file = TESSERA_SOURCE_DIR "/tests/golden/matrices/nonfinite.mtx";
    try {
        Simulation simulation(config, {});
        FAIL() << "accepted";
    } catch (const ConfigError& error) {
        EXPECT_EQ(
            std::string(error.what()), TESSERA_SOURCE_DIR
            "/tests/golden/matrices/nonfinite.mtx:6: value: got 'inf', expected a finite number");
    }
}

}  // namespace
}  // namespace tessera
