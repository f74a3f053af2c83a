// Is a network's layer handed to the kernels in the form that they take?
#include "sc_models/run/make_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/run/simulation.h"
#include "sc_models/workload/given_layer.h"
#include "tests/support/temp_folder.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GivenLayer::Elements elements(std::vector<HalfBits> halves) {
    return std::make_shared<const std::vector<HalfBits>>(std::move(halves));
}

class MadeWorkload : public test::TempFolder {
protected:
    /// One image of 2 channels and 3 pixels, two filters of one tap.
    static GivenLayer small_layer() {
        GivenLayer layer;
        layer.activations = elements({0, 10, 1, 11, 2, 12});
        layer.weights = elements({1, 2, 3, 4});
        return layer;
    }

    [[nodiscard]] WorkloadConfig config_of(WorkloadKind kind, const GivenLayer& layer) const {
        WorkloadConfig config;
        config.kind = kind;
        config.layer.batch = config.layer.height = 1;
        config.layer.width = 3;
        config.layer.channels = config.layer.filters = 2;
        config.layer.filter_height = config.layer.filter_width = 1;
        config.layer.pad = 0;
        config.given.file = (folder / "layer.tensors").string();
        config.given.digest = write_given_layer(config.given.file, layer);
        return config;
    }

    /// The configuration of the workload that `config` makes, with the layer of the file.
    static WorkloadConfig made(const WorkloadConfig& config) {
        return make_workload(config, 1, true, {}, target_machine(Config{}))->config();
    }
    static std::string refusal_of(const WorkloadConfig& config) {
        try {
            (void)made(config);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "none";
    }
};

TEST(TargetMachineOfAConfig, HasItsSectorsLinesAndBanks) {
    Config config;
    config.l1.line_bytes = 256;
    config.l1.sector_bytes = 64;
    config.sm.shared_memory_banks = 16;
    const AccessGranularity granularity = target_machine(config).granularity;
    EXPECT_EQ(granularity.line_bytes, 256U);
    EXPECT_EQ(granularity.sector_bytes, 64U);
    EXPECT_EQ(granularity.shared_memory_banks, 16U);
}

/// Direct convolutions read channels first, as their paper does; all other kernels channels last.
TEST_F(MadeWorkload, OfALayerHasTheOrderOfItsKernels) {
    const WorkloadConfig direct = made(config_of(WorkloadKind::kDirectConvolution, small_layer()));
    EXPECT_THAT(*direct.given_layer->activations, ElementsAre(0, 1, 2, 10, 11, 12));
    for (const WorkloadKind kind : {WorkloadKind::kConvolution, WorkloadKind::kSparseConvolution}) {
        const WorkloadConfig config = made(config_of(kind, small_layer()));
        EXPECT_THAT(*config.given_layer->activations, ElementsAre(0, 10, 1, 11, 2, 12));
        EXPECT_THAT(*config.given_layer->weights, ElementsAre(1, 2, 3, 4));
    }
}

/// Results of networks are in FP16, also those of sparse kernels.
TEST_F(MadeWorkload, OfASparseLayerRoundsItsResult) {
    const WorkloadConfig sparse = made(config_of(WorkloadKind::kSparseConvolution, small_layer()));
    ASSERT_NE(sparse.epilogue, nullptr);
    EXPECT_TRUE(sparse.epilogue->empty());
    EXPECT_TRUE(sparse.epilogue->halves_result());
    EXPECT_EQ(made(config_of(WorkloadKind::kConvolution, small_layer())).epilogue, nullptr);
}

TEST_F(MadeWorkload, RefusesALayerThatItsKernelsCannotRun) {
    GivenLayer rectified = small_layer();
    ProductEpilogue::Step relu;
    relu.op = TensorOperator::kRelu;
    rectified.epilogue = std::make_shared<const ProductEpilogue>(
        std::vector<ProductEpilogue::Operand>{}, std::vector<ProductEpilogue::Step>{relu});
    WorkloadConfig config = config_of(WorkloadKind::kConvolution, rectified);
    config.kernel = ProductKernel::kFragments;
    EXPECT_THAT(refusal_of(config), HasSubstr("got a layer with an epilogue"));
    config.kind = WorkloadKind::kDirectConvolution;
    EXPECT_THAT(refusal_of(config), HasSubstr("got a layer with an epilogue"));
    config.kind = WorkloadKind::kConvolution;
    config.kernel = ProductKernel::kCudnn;
    EXPECT_EQ(refusal_of(config), "none");
    EXPECT_NE(made(config).epilogue, nullptr);
    config.kernel = ProductKernel::kSimt;
    EXPECT_THAT(refusal_of(config), HasSubstr("got simt, winograd or fft"));

    config = config_of(WorkloadKind::kConvolution, small_layer());
    config.kernel = ProductKernel::kFragments;
    config.pass = LayerPass::kBackwardData;
    EXPECT_THAT(refusal_of(config), HasSubstr("got a transposed convolution"));
    config.kernel = ProductKernel::kCudnn;
    EXPECT_EQ(refusal_of(config), "none");
}

}  // namespace
}  // namespace tessera
