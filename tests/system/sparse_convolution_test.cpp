// Do sparse convolutions run whole, finish, conserve, and give the layer's output?
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <tuple>

#include "sc_models/common/error.h"
#include "sc_models/run/simulation.h"
#include "sc_models/workload/onednn_check.h"
#include "sc_models/workload/sparse/sparse_convolution.h"

namespace tessera {
namespace {

struct Layer {
    const char* name;
    std::uint32_t height, width, channels, filters, filter, pad, stride;
};
constexpr Layer kLayers[] = {{"padded", 9, 9, 32, 40, 3, 1, 1},
                             {"strided", 11, 9, 16, 32, 3, 0, 2},
                             {"padded_strided", 12, 13, 16, 64, 3, 1, 2},
                             {"three_channels", 12, 12, 3, 16, 7, 3, 2},
                             {"one_by_one", 7, 7, 48, 70, 1, 0, 1}};

Config config_of(const Layer& layer, ProductMethod method, Lowering lowering) {
    Config config;
    config.gpu.sms = 2;
    config.seed = 3;
    const bool fragments = method == ProductMethod::kDense || method == ProductMethod::kVectorWise;
    config.tensor_core.kind = fragments ? TensorCoreKind::kFedp : TensorCoreKind::kOuterProduct;
    config.tensor_core.spwmma.accumulation = AccumulationDetail::kCount;
    WorkloadConfig& w = config.workload;
    w.kind = WorkloadKind::kSparseConvolution;
    w.layer.name = "layer";
    w.layer.batch = 2;
    w.layer.height = layer.height;
    w.layer.width = layer.width;
    w.layer.channels = layer.channels;
    w.layer.filters = layer.filters;
    w.layer.filter_height = w.layer.filter_width = layer.filter;
    w.layer.pad = layer.pad;
    w.layer.stride = layer.stride;
    w.sparse.method = method;
    w.sparse.lowering = lowering;
    w.sparse.a.sparsity = 0.5;
    w.sparse.b.sparsity = 0.7;
    w.tiling.cta_m = 64;
    w.tiling.cta_n = 64;
    w.tiling.warp_m = 32;
    w.tiling.warp_n = 64;
    return config;
}

/// Output pixel `line` of filter `filter`, from feature map and filters as the layer defines them.
double convolve(const SparseConvolution& layer, std::uint64_t line, std::uint32_t filter) {
    const LoweringShape& s = layer.shape();
    const std::uint64_t outputs = std::uint64_t{s.output_height()} * s.output_width();
    const std::uint64_t image = line / outputs;
    const std::uint64_t y = line % outputs / s.output_width() * s.stride;
    const std::uint64_t x = line % s.output_width() * s.stride;
    double sum = 0;
    std::uint64_t k = 0;
    for (std::uint32_t fy = 0; fy < s.filter_height; ++fy) {
        for (std::uint32_t fx = 0; fx < s.filter_width; ++fx) {
            const std::uint64_t row = y + fy - s.pad;  // wraps around where negative
            const std::uint64_t column = x + fx - s.pad;
            for (std::uint32_t c = 0; c < s.channels; ++c, ++k) {
                if (row >= s.height || column >= s.width) continue;
                const std::uint64_t pixel = (image * s.height + row) * s.width + column;
                sum += double{half_to_float(layer.map().at(pixel, c))} *
                       double{half_to_float(layer.filters().at(filter, k))};
            }
        }
    }
    return sum;
}

/// Runs the layer with values; compares its output with the golden product bit for bit, and with
/// the layer's definition.
void expect_the_layers_output(Config config, std::size_t kernels) {
    config.values = true;
    Simulation simulation(config, {});
    const RunReport report = simulation.run();
    EXPECT_TRUE(report.complete);
    EXPECT_EQ(report.kernels.size(), kernels);
    for (const std::string& violation : report.violations) ADD_FAILURE() << violation;
    EXPECT_TRUE(report.verification.checked);
    EXPECT_TRUE(report.verification.passed()) << report.verification.first_mismatch;
    const OnednnReport onednn = compare_with_onednn(
        simulation.workload(), [&simulation](Address address, void* data, std::size_t bytes) {
            simulation.read_memory(address, data, bytes);
        });
    EXPECT_TRUE(onednn.passed()) << onednn.violations << " outputs are not oneDNN's";
    const auto& layer = dynamic_cast<const SparseConvolution&>(simulation.workload());
    EXPECT_EQ(report.verification.outputs, layer.shape().lines() * layer.geometry().n);
    for (std::uint64_t line = 0; line < layer.shape().lines(); line += 7) {
        for (std::uint32_t filter = 0; filter < layer.geometry().n; filter += 5) {
            float found = 0;
            simulation.read_memory(
                layer.product().d + (line * layer.geometry().n + filter) * sizeof(float), &found,
                sizeof(found));
            EXPECT_NEAR(found, convolve(layer, line, filter), 1e-3) << line << ", " << filter;
        }
    }
}

class SparseConvolutions
    : public testing::TestWithParam<std::tuple<std::size_t, ProductMethod, Im2colMode, Timing>> {};

TEST_P(SparseConvolutions, GiveTheLayersOutput) {
    const auto [index, method, im2col, timing] = GetParam();
    Config config = config_of(kLayers[index], method, Lowering::kExplicit);
    config.workload.im2col = im2col;
    config.timing = timing;
    config.protocol_check = true;
    expect_the_layers_output(config, im2col == Im2colMode::kTimed ? 2 : 1);
}

class ImplicitConvolutions
    : public testing::TestWithParam<std::tuple<std::size_t, ProductMethod, Timing>> {};

TEST_P(ImplicitConvolutions, GiveTheLayersOutput) {
    const auto [index, method, timing] = GetParam();
    Config config = config_of(kLayers[index], method, Lowering::kImplicit);
    config.timing = timing;
    config.protocol_check = true;
    expect_the_layers_output(config, 1);
}

class UnstagedConvolutions
    : public testing::TestWithParam<std::tuple<std::size_t, ProductMethod, int, Timing>> {};

/// A as fragments from the lowered map, Duplo's detection unit off, with rows, and with tiles of a
/// sub-core; every hit is compared with memory.
TEST_P(UnstagedConvolutions, GiveTheLayersOutput) {
    const auto [index, method, duplo, timing] = GetParam();
    Config config = config_of(kLayers[index], method, Lowering::kExplicit);
    config.workload.sparse.a_fragments = true;
    config.timing = timing;
    config.duplo.enabled = duplo > 0;
    if (duplo == 2) {
        config.duplo.granularity = Granularity::kTile16;
        config.duplo.octet_copies = 1;
        config.duplo.scope = Scope::kSubCore;
    }
    config.workload.im2col = duplo == 1 ? Im2colMode::kTimed : Im2colMode::kFunctional;
    expect_the_layers_output(config, duplo == 1 ? 2 : 1);
}

/// Steps, tiles and zeros at random, lowered both ways, with and without tiles that nothing meets.
class AnyConvolution : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AnyConvolution, GivesTheLayersOutput) {
    constexpr ProductMethod kMethods[] = {ProductMethod::kDense, ProductMethod::kSingle,
                                          ProductMethod::kDual};
    std::mt19937 random(GetParam());
    const auto pick = [&random](std::uint32_t from, std::uint32_t to) {
        return from + static_cast<std::uint32_t>(random() % (to - from + 1));
    };
    const std::uint32_t filter = pick(1, 4);
    const Layer layer{"any",
                      pick(filter, 15),
                      pick(filter, 40),
                      pick(1, 2) == 1 ? pick(1, 40) : 16 * pick(1, 4),
                      pick(1, 70),
                      filter,
                      pick(0, filter - 1),
                      pick(1, 3)};
    const Lowering lowering = GetParam() / 3 % 2 == 0 ? Lowering::kImplicit : Lowering::kExplicit;
    Config config = config_of(layer, kMethods[GetParam() % 3], lowering);
    WorkloadConfig& w = config.workload;
    w.layer.batch = pick(1, 3);
    w.sparse.k_step = kSparseTileK * pick(0, 4);
    w.sparse.a.sparsity = pick(0, 10) / 10.0;
    w.sparse.b.sparsity = pick(1, 2) == 1 ? 0.99 : pick(0, 10) / 10.0;
    w.tiling.cta_n = w.tiling.warp_n = 32 * pick(1, 2);
    w.tiling.fragment_buffers = pick(1, 2);
    w.sparse.skip_unmet_tiles = GetParam() % 2 == 1;
    if (GetParam() % 4 == 1) w.sparse.b.pattern = SparsityPattern::kBlocks;
    SCOPED_TRACE(testing::Message()
                 << "seed " << GetParam() << ": " << w.layer.batch << " x " << layer.height << "x"
                 << layer.width << "x" << layer.channels << ", " << layer.filters << " filters "
                 << filter << "x" << filter << ", pad " << layer.pad << ", stride " << layer.stride
                 << ", k_step " << w.sparse.k_step);
    expect_the_layers_output(config, lowering == Lowering::kExplicit ? 2 : 1);
}

INSTANTIATE_TEST_SUITE_P(Random, AnyConvolution, testing::Range(0U, 60U));

/// Test name for suites whose parameters begin with layer and method.
template <class Param>
std::string name_of(const testing::TestParamInfo<Param>& param) {
    constexpr const char* kMethods[] = {"dense", "vector_wise", "single", "dual"};
    return std::string(kLayers[std::get<0>(param.param)].name) + "_" +
           kMethods[static_cast<std::size_t>(std::get<1>(param.param))];
}

INSTANTIATE_TEST_SUITE_P(Functional, SparseConvolutions,
                         testing::Combine(testing::Range<std::size_t>(0, std::size(kLayers)),
                                          testing::Values(ProductMethod::kDense,
                                                          ProductMethod::kSingle,
                                                          ProductMethod::kDual),
                                          testing::Values(Im2colMode::kFunctional),
                                          testing::Values(Timing::kLooselyTimed)),
                         name_of<SparseConvolutions::ParamType>);
INSTANTIATE_TEST_SUITE_P(
    Timed, SparseConvolutions,
    testing::Combine(testing::Range<std::size_t>(0, std::size(kLayers)),
                     testing::Values(ProductMethod::kDense, ProductMethod::kSingle,
                                     ProductMethod::kDual),
                     testing::Values(Im2colMode::kTimed),
                     testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed)),
    [](const auto& param) {
        return name_of(param) + (std::get<3>(param.param) == Timing::kLooselyTimed ? "_lt" : "_at");
    });

INSTANTIATE_TEST_SUITE_P(
    All, ImplicitConvolutions,
    testing::Combine(testing::Range<std::size_t>(0, std::size(kLayers)),
                     testing::Values(ProductMethod::kDense, ProductMethod::kSingle,
                                     ProductMethod::kDual),
                     testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed)),
    [](const auto& param) {
        return name_of(param) + (std::get<2>(param.param) == Timing::kLooselyTimed ? "_lt" : "_at");
    });

std::string unstaged_name(const testing::TestParamInfo<UnstagedConvolutions::ParamType>& param) {
    constexpr const char* kDuplo[] = {"_off", "_rows", "_tiles"};
    return name_of(param) + kDuplo[std::get<2>(param.param)] +
           (std::get<3>(param.param) == Timing::kApproximatelyTimed ? "_at" : "_lt");
}

INSTANTIATE_TEST_SUITE_P(
    All, UnstagedConvolutions,
    testing::Combine(testing::Range<std::size_t>(0, std::size(kLayers)),
                     testing::Values(ProductMethod::kDense, ProductMethod::kSingle),
                     testing::Values(0, 1, 2),
                     testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed)),
    unstaged_name);

class SparseLowering : public testing::TestWithParam<std::tuple<std::size_t, ProductMethod>> {
protected:
    [[nodiscard]] static Config config(Lowering lowering) {
        return config_of(kLayers[std::get<0>(GetParam())], std::get<1>(GetParam()), lowering);
    }
    /// Bytes that loads and stores ask for, of all kernels.
    static std::uint64_t traffic(const RunReport& report) {
        std::uint64_t all = 0;
        for (const KernelReport& kernel : report.kernels) {
            all += kernel.statistics.at("sm").at("ldst").at("request_bytes").get<std::uint64_t>();
        }
        return all;
    }
    /// MMAs or OHMMAs of the product.
    static std::uint64_t multiplies(const RunReport& report) {
        const auto& sub_core = report.kernels.back().statistics.at("sm").at("sub_core");
        const bool fragments = std::get<1>(GetParam()) == ProductMethod::kDense ||
                               std::get<1>(GetParam()) == ProductMethod::kVectorWise;
        return (fragments ? sub_core.at("mmas") : sub_core.at("tensor").at("ohmmas"))
            .get<std::uint64_t>();
    }
};

/// The same multiplies, and less traffic: the lowered operand is neither written nor read.
TEST_P(SparseLowering, ImplicitDoesTheSameWorkWithLessTraffic) {
    // The same steps: fragments beyond k are multiplied too.
    Config first = config(Lowering::kExplicit);
    Config second = config(Lowering::kImplicit);
    first.workload.sparse.k_step = second.workload.sparse.k_step = 32;
    Simulation explicit_run(first, {});
    Simulation implicit_run(second, {});
    const RunReport lowered = explicit_run.run();
    const RunReport gathered = implicit_run.run();
    for (const RunReport* report : {&lowered, &gathered}) {
        EXPECT_TRUE(report->complete);
        for (const std::string& violation : report->violations) ADD_FAILURE() << violation;
    }
    EXPECT_EQ(lowered.kernels.size(), 2U);
    EXPECT_EQ(gathered.kernels.size(), 1U);
    EXPECT_GT(multiplies(gathered), 0U);
    EXPECT_EQ(multiplies(gathered), multiplies(lowered));
    EXPECT_LT(traffic(gathered), traffic(lowered));
    EXPECT_LT(gathered.metrics.at("cycles").get<std::uint64_t>(),
              lowered.metrics.at("cycles_of_all_kernels").get<std::uint64_t>());
}

INSTANTIATE_TEST_SUITE_P(
    All, SparseLowering,
    testing::Combine(testing::Values(std::size_t{0}, std::size_t{2}),
                     testing::Values(ProductMethod::kDense, ProductMethod::kVectorWise,
                                     ProductMethod::kSingle, ProductMethod::kDual)),
    name_of<SparseLowering::ParamType>);

std::string message_of(const Config& config) {
    try {
        Simulation simulation(config, {});
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(SparseConvolutionConfig, VectorWiseSkipsWholeTiles) {
    Config config = config_of(kLayers[0], ProductMethod::kVectorWise, Lowering::kImplicit);
    config.workload.sparse.k_step = 48;
    EXPECT_EQ(message_of(config),
              "workload.sparse.k_step: got 48, expected auto or a multiple of 32 with "
              "workload.sparse.method vector_wise, which skips every second tile");
}

TEST(SparseConvolutionConfig, AnImpossibleConfigurationIsRefusedInOneLine) {
    Config config = config_of(kLayers[0], ProductMethod::kDual, Lowering::kImplicit);
    config.values = true;
    config.workload.sparse.lowering = Lowering::kExplicit;
    config.workload.sparse.a_fragments = true;
    EXPECT_EQ(message_of(config),
              "workload.sparse.a_fragments: got on, expected off unless workload.sparse.method is "
              "dense or single: only a dense A has elements at addresses that say which they are");
    config.workload.sparse.lowering = Lowering::kImplicit;
    EXPECT_EQ(message_of(config),
              "workload.sparse.a_fragments: got on, expected off with workload.sparse.lowering "
              "implicit, where there is no lowered feature map to load from");
    config.workload.kind = WorkloadKind::kSparseGemm;
    EXPECT_EQ(message_of(config),
              "workload.sparse.a_fragments: got on, expected off with workload.kind sparse_gemm: "
              "there is no lowered feature map");
    config.workload.kind = WorkloadKind::kSparseConvolution;
    config.workload.sparse.a_fragments = false;
    config.values = false;
    config.workload.layer.groups = 2;
    EXPECT_EQ(message_of(config),
              "workload.layer.groups: got 2, expected 1 with workload.kind sparse_convolution (of "
              "which a composition has one)");
    config.workload.layer.groups = 1;
    config.workload.layer.transposed = true;
    EXPECT_EQ(message_of(config),
              "workload.layer.transposed: got on, expected off with workload.kind "
              "sparse_convolution");
}

}  // namespace
}  // namespace tessera
