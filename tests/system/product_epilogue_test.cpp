// Do products with epilogues run whole on the machine, at both levels of timing, and what does an
// epilogue cost?
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "sc_models/workload/fragment/convolution_geometry.h"
#include "tests/support/in_child.h"
#include "tests/support/library_convolutions.h"
#include "tests/support/library_products.h"
#include "tests/support/product_epilogues.h"
#include "tests/support/run_problems.h"

namespace tessera {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t kProducts = 2;  // of a test: slow
#else
constexpr std::uint32_t kProducts = 25;
#endif

using OperandExtent = ProductEpilogue::OperandExtent;
using Random = std::mt19937_64;

Config library_product(Random& random, std::uint32_t i, Timing timing) {
    Config config = test::small_machine(timing);
    config.workload = test::random_library_product(random, i);
    test::give_product_an_epilogue(random, config.workload);
    return config;
}

Config library_convolution(Random& random, std::uint32_t i, Timing timing) {
    Config config = test::small_machine(timing);
    config.workload = test::random_library_convolution(random, 3 * i);
    const std::uint64_t filters = config.workload.layer.filters;
    config.workload.epilogue =
        test::random_epilogue(random, test::elements_of_result(config.workload) / filters, filters);
    return config;
}

/// Zeros, steps and tiles at random; every third has fragments.
Config sparse(Random& random, std::uint32_t i, Timing timing) {
    constexpr ProductMethod kMethods[] = {ProductMethod::kDense, ProductMethod::kSingle,
                                          ProductMethod::kDual};
    constexpr std::uint32_t kTiles[][4] = {
        {64, 64, 32, 64}, {64, 64, 32, 32}, {64, 96, 32, 96}, {64, 64, 64, 32}};
    Config config = test::small_machine(timing);
    WorkloadConfig& w = config.workload;
    w.sparse.method = kMethods[i % 3];
    const bool fragments = w.sparse.method == ProductMethod::kDense;
    config.tensor_core.kind = fragments ? TensorCoreKind::kFedp : TensorCoreKind::kOuterProduct;
    config.tensor_core.spwmma.accumulation = AccumulationDetail::kCount;
    w.sparse.a.sparsity = static_cast<double>(random() % 11) / 10;
    w.sparse.b.sparsity = random() % 2 == 0 ? 0.99 : static_cast<double>(random() % 11) / 10;
    w.sparse.k_step = kSparseTileK * static_cast<std::uint32_t>(random() % 4);
    w.sparse.read_c = random() % 2 == 0;
    w.sparse.skip_unmet_tiles = random() % 2 == 0;
    const auto& tile = kTiles[random() % std::size(kTiles)];
    w.tiling.cta_m = tile[0];
    w.tiling.cta_n = tile[1];
    w.tiling.warp_m = tile[2];
    w.tiling.warp_n = tile[3];
    w.tiling.fragment_buffers = 1;
    return config;
}

Config sparse_product(Random& random, std::uint32_t i, Timing timing) {
    Config config = sparse(random, i, timing);
    WorkloadConfig& w = config.workload;
    w.kind = WorkloadKind::kSparseGemm;
    const auto up_to = [&random](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random() % most);
    };
    w.gemm = {up_to(150), up_to(150), up_to(100)};
    w.epilogue = test::random_epilogue(random, w.gemm.m, w.gemm.n);
    return config;
}

Config sparse_convolution(Random& random, std::uint32_t i, Timing timing) {
    Config config = sparse(random, i, timing);
    WorkloadConfig& w = config.workload;
    w.kind = WorkloadKind::kSparseConvolution;
    const auto up_to = [&random](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random() % most);
    };
    w.layer.batch = up_to(2);
    w.layer.filter_height = w.layer.filter_width = up_to(3);
    w.layer.height = 2 + up_to(8);
    w.layer.width = 2 + up_to(8);
    w.layer.channels = random() % 2 == 0 ? up_to(20) : 16 * up_to(2);
    w.layer.filters = up_to(70);
    w.layer.pad = static_cast<std::uint32_t>(random() % w.layer.filter_height);
    w.layer.stride = up_to(2);
    w.sparse.lowering = random() % 2 == 0 ? Lowering::kImplicit : Lowering::kExplicit;
    const auto geometry = ConvolutionGeometry::make(w.layer, ChannelRule::kDense);
    w.epilogue = test::random_epilogue(random, geometry.m, geometry.n);
    return config;
}

using Make = Config (*)(Random&, std::uint32_t, Timing);
constexpr Make kMakers[] = {library_product, library_convolution, sparse_product,
                            sparse_convolution};
constexpr const char* kMakerNames[] = {"library_product", "library_convolution", "sparse_product",
                                       "sparse_convolution"};

class ProductEpilogueRuns : public testing::TestWithParam<std::tuple<Timing, std::size_t>> {};

TEST_P(ProductEpilogueRuns, AreBitExact) {
    const auto [timing, maker] = GetParam();
    Random random(500 + maker);
    for (std::uint32_t i = 0; i < kProducts; ++i) {
        Config config = kMakers[maker](random, i, timing);
        config.values = true;
        config.seed = random() % 1000;
        test::spread_over_threads(config, i);
        SCOPED_TRACE(testing::Message() << "product " << i);
        // The golden model sees the channels that kernels round up, too.
        std::optional<std::uint64_t> elements;
        if (config.workload.kind == WorkloadKind::kConvolution) {
            elements = test::elements_of_result(config.workload);
        }
        EXPECT_EQ(test::in_child([&] { return test::problems_of(config, elements); }), "");
    }
}

INSTANTIATE_TEST_SUITE_P(All, ProductEpilogueRuns,
                         testing::Combine(testing::Values(Timing::kLooselyTimed,
                                                          Timing::kApproximatelyTimed),
                                          testing::Range<std::size_t>(0, std::size(kMakers))),
                         [](const auto& param) {
                             return std::string(kMakerNames[std::get<1>(param.param)]) +
                                    (std::get<0>(param.param) == Timing::kLooselyTimed ? "_lt"
                                                                                       : "_at");
                         });

struct Cost {
    std::uint64_t cycles = 0, bytes = 0;
};

/// Cycles of all kernels, and bytes that their loads and stores ask for.
Cost cost_of(const Config& config) {
    const std::string text = test::in_child([&] {
        Simulation simulation(config, {});
        const RunReport report = simulation.run();
        Cost cost;
        for (const KernelReport& kernel : report.kernels) {
            cost.cycles += kernel.result.cycles;
            cost.bytes +=
                kernel.statistics.at("sm").at("ldst").at("request_bytes").get<std::uint64_t>();
        }
        return std::to_string(cost.cycles) + " " + std::to_string(cost.bytes);
    });
    return {std::stoull(text), std::stoull(text.substr(text.find(' ')))};
}

constexpr const char* kKindNames[] = {"product", "split", "sparse"};

class EpilogueCosts : public testing::TestWithParam<std::tuple<Timing, std::size_t>> {};

/// A residual costs what its bytes and additions do, and less than a kernel of its own.
TEST_P(EpilogueCosts, AreThoseOfTheOperandsAlone) {
    const auto [timing, kind] = GetParam();
    constexpr std::uint32_t kM = 250, kN = 190;  // not whole tiles
    Config config = test::small_machine(timing);
    WorkloadConfig& w = config.workload;
    w.gemm = {kM, kN, 128};
    w.gemm.output = OutputType::kFp16;
    if (kind < 2) {
        w.kind = WorkloadKind::kGemm;
        w.kernel = ProductKernel::k64x64;
        w.split_k = kind == 0 ? 1 : 2;
    } else {
        w.kind = WorkloadKind::kSparseGemm;
        w.sparse.b.sparsity = 0.5;
        w.tiling.cta_m = w.tiling.cta_n = w.tiling.warp_n = 64;
        config.tensor_core.kind = TensorCoreKind::kOuterProduct;
        w.epilogue = std::make_shared<const ProductEpilogue>(
            std::vector<ProductEpilogue::Operand>{}, std::vector<ProductEpilogue::Step>{}, true);
    }
    const Cost without = cost_of(config);
    w.epilogue = test::one_step(TensorOperator::kAdd, OperandExtent::kElements, {});
    const Cost with = cost_of(config);
    EXPECT_EQ(with.bytes, without.bytes + std::uint64_t{kM} * kN * sizeof(HalfBits));

    Config apart = test::small_machine(timing);
    apart.workload.kind = WorkloadKind::kTensor;
    apart.workload.tensor.operation = TensorOperator::kAdd;
    apart.workload.tensor.shape = "190x250";
    const Cost alone = cost_of(apart);
    EXPECT_GT(with.cycles, without.cycles);
    EXPECT_LT(with.cycles, without.cycles + alone.cycles);
    // The sum itself is neither written nor read.
    EXPECT_LT(with.bytes, without.bytes + alone.bytes);
}

class ActivationCosts : public testing::TestWithParam<Timing> {};

/// An activation takes instructions, and no bytes.
TEST_P(ActivationCosts, AreInstructions) {
    Config config = test::small_machine(GetParam());
    WorkloadConfig& w = config.workload;
    w.kind = WorkloadKind::kGemm;
    w.kernel = ProductKernel::k64x64;
    w.split_k = 1;
    w.gemm = {256, 192, 64};
    w.gemm.output = OutputType::kFp16;
    const Cost without = cost_of(config);
    const auto with = [&](TensorOperator op) {
        ProductEpilogue::Step step;
        step.op = op;
        w.epilogue = std::make_shared<const ProductEpilogue>(
            std::vector<ProductEpilogue::Operand>{}, std::vector<ProductEpilogue::Step>{step});
        return cost_of(config);
    };
    const Cost relu = with(TensorOperator::kRelu), gelu = with(TensorOperator::kGelu);
    EXPECT_EQ(relu.bytes, without.bytes);
    EXPECT_EQ(gelu.bytes, without.bytes);
    EXPECT_GT(relu.cycles, without.cycles);
    EXPECT_GT(gelu.cycles, relu.cycles);
}

INSTANTIATE_TEST_SUITE_P(All, EpilogueCosts,
                         testing::Combine(testing::Values(Timing::kLooselyTimed,
                                                          Timing::kApproximatelyTimed),
                                          testing::Range<std::size_t>(0, 3)),
                         [](const auto& param) {
                             return std::string(kKindNames[std::get<1>(param.param)]) +
                                    (std::get<0>(param.param) == Timing::kLooselyTimed ? "_lt"
                                                                                       : "_at");
                         });

INSTANTIATE_TEST_SUITE_P(All, ActivationCosts,
                         testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                         [](const auto& param) {
                             return param.param == Timing::kLooselyTimed ? "lt" : "at";
                         });

}  // namespace
}  // namespace tessera
