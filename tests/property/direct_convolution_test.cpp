// Does a direct convolution compute its layer, and each of its vector operations once?
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "sc_models/common/error.h"
#include "sc_models/memory/core/memory_image.h"
#include "sc_models/opportunistic/block_pairs.h"
#include "sc_models/opportunistic/output_ledger.h"
#include "sc_models/opportunistic/vector_values.h"
#include "sc_models/workload/direct/direct_convolution.h"
#include "tests/support/naive_layer.h"

namespace tessera {
namespace {

WorkloadConfig layer(std::uint32_t batch, std::uint32_t side, std::uint32_t channels,
                     std::uint32_t filters, std::uint32_t filter, std::uint32_t pad,
                     std::uint32_t stride) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kDirectConvolution;
    config.layer.batch = batch;
    config.layer.height = config.layer.width = side;
    config.layer.channels = channels;
    config.layer.filters = filters;
    config.layer.filter_height = config.layer.filter_width = filter;
    config.layer.pad = pad;
    config.layer.stride = stride;
    config.activations = config.weights = ValuePattern::kDyadic;
    return config;
}

/// Executes all warps of a kernel, every vector operation by its own warp.
class Interpreter {
public:
    explicit Interpreter(const DirectConvolution& workload)
        : workload_(workload),
          values_([this](Address a, void* data, std::size_t n) { image_.read(a, data, n); }) {
        workload.initialise(
            [this](Address a, const void* data, std::size_t n) { image_.write(a, data, n); });
        ledger_.start_kernel(workload.kernel().info());
    }

    void run() {
        const KernelInfo& info = workload_.kernel().info();
        for (std::uint32_t cta = 0; cta < info.ctas; ++cta) {
            for (std::uint32_t warp = 0; warp < info.warps_per_cta; ++warp) {
                execute(*workload_.kernel().program(CtaId(cta), warp));
            }
        }
    }
    [[nodiscard]] VerificationReport verify() const {
        return workload_.verify(
            [this](Address a, void* data, std::size_t n) { image_.read(a, data, n); },
            TensorCoreKind::kFedp);
    }
    [[nodiscard]] std::vector<std::string> violations() const {
        std::vector<std::string> found;
        ledger_.check(found);
        return found;
    }
    std::uint64_t operations = 0, loads = 0;

private:
    void execute(WarpProgram& program) {
        std::array<WarpInstruction, kFillCapacity> batch;
        VectorValues::Lanes sums{}, one{};
        std::uint32_t summed = 0;
        VectorOperation operation;
        for (bool ended = false; !ended;) {
            const std::size_t count = program.fill(batch.data(), batch.size());
            ASSERT_GT(count, 0U);
            for (std::size_t i = 0; i < count; ++i) {
                switch (batch[i].opcode()) {
                    case Opcode::kVectorOp:
                        ASSERT_EQ(i + 1, count) << "nothing may stand behind it";
                        operation = program.vector_operation();
                        values_.compute(operation, one);
                        for (std::size_t l = 0; l < sums.size(); ++l) sums[l] += one[l];
                        ++operations;
                        ++summed;
                        break;
                    case Opcode::kAtomicGlobal:
                        ledger_.add(batch[i].address(), *operation.layout, summed);
                        add(batch[i], operation, sums);
                        sums.fill(0);
                        summed = 0;
                        break;
                    case Opcode::kLoadGlobal:
                        ++loads;
                        break;
                    default:
                        ended = batch[i].opcode() == Opcode::kExit;
                }
            }
        }
        EXPECT_EQ(summed, 0U) << "sums that never reach memory";
    }
    void add(const WarpInstruction& atomic, const VectorOperation& operation,
             const VectorValues::Lanes& sums) {
        std::uint32_t bytes = 0;
        for (const LaneAccess::Piece& piece : atomic.lanes().pieces) bytes += piece.bytes;
        ASSERT_EQ(bytes, operation.layout->lanes() * 4);
        for (std::uint32_t lane = 0; lane < operation.layout->lanes(); ++lane) {
            const Address at =
                atomic.address() + static_cast<Address>(std::int64_t{operation.layout->offset(
                                       LaneLayout::Operand::kOutput, lane)});
            float value = 0;
            image_.read(at, &value, sizeof value);
            value += sums[lane];
            image_.write(at, &value, sizeof value);
        }
    }

    const DirectConvolution& workload_;
    MemoryImage image_;
    VectorValues values_;
    OutputLedger ledger_;
};

void expect_computes(const WorkloadConfig& config) {
    const DirectConvolution workload(config, 3, true, {});
    Interpreter interpreter(workload);
    interpreter.run();
    const VerificationReport report = interpreter.verify();
    EXPECT_EQ(report.outputs, workload.geometry().outputs());
    EXPECT_EQ(report.mismatches, 0U) << report.first_mismatch;
    EXPECT_EQ(interpreter.violations(), std::vector<std::string>());
    EXPECT_EQ(interpreter.loads, 2 * interpreter.operations * workload.geometry().kernel_width);
}

/// The definition that outputs are verified against is that of every field of the layer, and so is
/// what the kernel computes.
TEST(DirectConvolution, EveryFieldOfTheLayerIsSeen) {
    WorkloadConfig config = layer(1, 1, 1, 1, 1, 0, 1);
    const auto output = [&] {
        expect_computes(config);
        const DirectConvolution workload(config, 3, true, {});
        const LayerConfig& l = config.layer;
        const test::NaiveOutput naive = test::naive_layer(
            l,
            [&](std::uint64_t n, std::uint64_t y, std::uint64_t x, std::uint64_t c) {
                return workload.activations().single(
                    ((n * l.channels + c) * l.height + y) * l.width + x);
            },
            [&](std::uint64_t o, std::uint64_t y, std::uint64_t x, std::uint64_t c) {
                return workload.filters().single(
                    ((o * (l.channels / l.groups) + c) * l.filter_height + y) * l.filter_width + x);
            });
        EXPECT_EQ(workload.geometry().out_height, naive.height);
        EXPECT_EQ(workload.geometry().out_width, naive.width);
        for (std::uint32_t n = 0; n < l.batch; ++n) {
            for (std::uint32_t o = 0; o < l.filters; ++o) {
                for (std::uint32_t y = 0; y < naive.height; ++y) {
                    for (std::uint32_t x = 0; x < naive.width; ++x) {
                        EXPECT_EQ(workload.expected(n, o, y, x).sum, naive.at(n, y, x, o));
                    }
                }
            }
        }
        return naive.values;
    };
    config.layer = test::layer_to_change();
    const std::vector<double> original = output();
    for (const auto& [key, change] : test::layer_changes()) {
        SCOPED_TRACE(key);
        config.layer = test::layer_to_change();
        change(config.layer);
        if (config.layer.transposed) {
            EXPECT_THROW((void)DirectConvolution(config, 3, true, {}), ConfigError);
        } else {
            EXPECT_NE(output(), original);
        }
    }
    for (std::uint32_t LayerConfig::*pad : {&LayerConfig::pad_height, &LayerConfig::pad_width}) {
        config.layer = test::layer_to_change();
        config.layer.*pad = config.layer.pad + 1;
        EXPECT_NE(output(), original);
    }
}

TEST(DirectConvolution, EveryMappingOrderAndGranularityComputesEveryPass) {
    for (const LayerPass pass :
         {LayerPass::kForward, LayerPass::kBackwardData, LayerPass::kBackwardWeight}) {
        for (const DirectMapping mapping :
             {DirectMapping::kColumn, DirectMapping::kPacked, DirectMapping::kPixel,
              DirectMapping::kPlane, DirectMapping::kImage}) {
            if (mapping == DirectMapping::kImage && pass == LayerPass::kBackwardWeight) continue;
            for (const DirectLoopOrder order :
                 {DirectLoopOrder::kReductionInner, DirectLoopOrder::kReductionOuter}) {
                for (const AtomicGranularity atomics :
                     {AtomicGranularity::kVectorOp, AtomicGranularity::kWindow,
                      AtomicGranularity::kOutput}) {
                    WorkloadConfig config = layer(2, 7, 3, 5, 3, 1, 1);
                    config.pass = pass;
                    config.direct.mapping = mapping;
                    config.direct.loop_order = order;
                    config.direct.atomics = atomics;
                    config.direct.yseg = 2;
                    SCOPED_TRACE(::testing::Message()
                                 << static_cast<int>(pass) << static_cast<int>(mapping)
                                 << static_cast<int>(order) << static_cast<int>(atomics));
                    expect_computes(config);
                }
            }
        }
    }
}

TEST(DirectConvolution, RandomLayersAndKernels) {
    std::mt19937 rng(11);
    for (int round = 0; round < 60; ++round) {
        const std::uint32_t filter = 1 + rng() % 5;
        const std::uint32_t groups = 1 + rng() % 2;
        WorkloadConfig config =
            layer(1 + rng() % 3, filter + rng() % 40, groups * (1 + rng() % 3),
                  groups * (1 + rng() % 20), filter, rng() % filter, 1 + rng() % 3);
        config.layer.groups = groups;
        if (round % 2 == 0) {
            config.layer.pad_height = rng() % filter;
            config.layer.pad_width = rng() % filter;
        }
        config.direct.mapping = static_cast<DirectMapping>(rng() % kDirectMappings);
        config.direct.yseg = 1 + rng() % 9;
        config.direct.cta_warps = 1 + rng() % 4;
        config.direct.unroll = 1 + rng() % 16;
        config.direct.loop_instructions = rng() % 3;
        config.direct.image_alignment_bytes = 4 << rng() % 7;
        if (config.layer.stride == 1 && groups == 1) {
            config.pass = static_cast<LayerPass>(rng() % 3);
            if (config.direct.mapping == DirectMapping::kImage) {
                config.pass = static_cast<LayerPass>(rng() % 2);
            }
        }
        SCOPED_TRACE(round);
        expect_computes(config);
    }
}

TEST(DirectConvolution, PaddingOfEachAxisInEveryPass) {
    for (const LayerPass pass :
         {LayerPass::kForward, LayerPass::kBackwardData, LayerPass::kBackwardWeight}) {
        for (const std::uint32_t pad_height : {0U, 1U, 2U}) {
            for (const std::uint32_t pad_width : {0U, 1U, 2U}) {
                WorkloadConfig config = layer(2, 6, 2, 3, 3, 1, 1);
                config.pass = pass;
                config.layer.pad_height = pad_height;
                config.layer.pad_width = pad_width;
                SCOPED_TRACE(::testing::Message() << static_cast<int>(pass) << ", padding "
                                                  << pad_height << " and " << pad_width);
                expect_computes(config);
            }
        }
    }
}

TEST(DirectConvolution, FullyConnectedLayers) {
    for (const LayerPass pass :
         {LayerPass::kForward, LayerPass::kBackwardData, LayerPass::kBackwardWeight}) {
        WorkloadConfig config = layer(3, 1, 1, 9, 1, 0, 1);
        config.layer.width = config.layer.filter_width = 17;
        config.pass = pass;
        expect_computes(config);
    }
}

TEST(DirectConvolution, VerificationSeesOneWrongOutput) {
    WorkloadConfig config = layer(1, 6, 2, 3, 3, 0, 1);
    const DirectConvolution workload(config, 1, true, {});
    const auto outputs = workload.geometry().outputs();
    const auto& region = workload.region("output");
    const auto wrong = [&](Address address, void* data, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes / 4; ++i) {
            const std::uint64_t element = (address - region.base) / 4 + i;
            const auto e = workload.expected(0, static_cast<std::uint32_t>(element / 16),
                                             static_cast<std::uint32_t>(element % 16 / 4),
                                             static_cast<std::uint32_t>(element % 4));
            static_cast<float*>(data)[i] = static_cast<float>(e.sum) + (element == 20 ? 0.125F : 0);
        }
    };
    const VerificationReport report = workload.verify(wrong, TensorCoreKind::kFedp);
    EXPECT_EQ(report.outputs, outputs);
    EXPECT_EQ(report.mismatches, 1U);
    EXPECT_NE(report.first_mismatch.find("output[0][1][1][0]"), std::string::npos);
}

TEST(DirectConvolution, ImpossibleLayersAreNamed) {
    const auto refused = [](const WorkloadConfig& config, const char* key) {
        try {
            static_cast<void>(DirectGeometry::make(config.layer, config.pass, config.direct));
        } catch (const ConfigError& error) {
            return std::string(error.what()).find(key) == 0;
        }
        return false;
    };
    EXPECT_TRUE(refused(layer(1, 4, 1, 1, 5, 0, 1), "workload.layer.filter_height"));
    WorkloadConfig config = layer(1, 9, 4, 4, 3, 0, 2);
    config.pass = LayerPass::kBackwardData;
    EXPECT_TRUE(refused(config, "workload.layer.stride"));
    config = layer(1, 9, 3, 4, 3, 0, 1);
    config.layer.groups = 2;
    EXPECT_TRUE(refused(config, "workload.layer.groups"));
    config = layer(1, 9, 3, 4, 3, 3, 1);
    config.pass = LayerPass::kBackwardWeight;
    EXPECT_TRUE(refused(config, "workload.layer.pad: got '3'"));
    config.layer.pad = 1;
    config.layer.pad_width = 4;
    EXPECT_TRUE(refused(config, "workload.layer.pad_width: got '4'"));
    config.layer.pad_width = 2;
    config.layer.pad_height = 3;
    EXPECT_TRUE(refused(config, "workload.layer.pad_height: got '3'"));
    config = layer(2, 9, 3, 4, 3, 0, 1);
    config.pass = LayerPass::kBackwardWeight;
    config.direct.mapping = DirectMapping::kImage;
    EXPECT_TRUE(refused(config, "workload.direct.mapping"));
}

/// With columns of the next plane in the lanes that one leaves over, hardly any lane idles.
TEST(DirectConvolution, PackedLanesAreFull) {
    WorkloadConfig config = layer(1, 28, 1, 6, 5, 0, 1);
    config.direct.mapping = DirectMapping::kPacked;
    const DirectConvolution workload(config, 1, false, {});
    const DirectConvolutionKernel& kernel = workload.kernel();
    // 6 planes of 24 columns, 3 times 8 rows.
    EXPECT_EQ(kernel.tiles(), 3U * 5);
    EXPECT_EQ(kernel.tile(0).layout->lanes(), 32U);
    EXPECT_EQ(kernel.tile(4).layout->lanes(), 16U);
    EXPECT_EQ(kernel.tile(1).plane, 1U);
    EXPECT_EQ(kernel.tile(1).column, 8U);
    EXPECT_EQ(kernel.tile(5).first_row, 8U);
}

TEST(DirectConvolution, LanesAreImages) {
    WorkloadConfig config = layer(40, 6, 2, 3, 3, 0, 1);
    config.direct.mapping = DirectMapping::kImage;
    const DirectConvolution workload(config, 1, false, {});
    EXPECT_EQ(workload.kernel().tiles(), 3U * 2);
    EXPECT_EQ(workload.kernel().tile(1).image, 32U);
    EXPECT_EQ(workload.kernel().tile(1).layout->lanes(), 8U);
    EXPECT_EQ(workload.kernel().tile(2).plane, 1U);
}

/// Opportunistic computing, Figure 1, first layer: 125 pairs, 57 % and 96 % as printed there.
TEST(BlockPairs, LenetC1IsFigure1) {
    const DirectConvolution workload(layer(1, 28, 1, 6, 5, 0, 1), 1, false, {});
    const BlockPairs pairs(workload.kernel(), 128);
    EXPECT_EQ(pairs.pairs(), 125U);
    EXPECT_EQ(pairs.multiplications(), 6U * 24 * 24 * 25);
    EXPECT_EQ(pairs.over(800), 71U);   // 56.8 %
    EXPECT_EQ(pairs.over(100), 120U);  // 96.0 %
}

TEST(BlockPairs, AgreesWithCountingOneByOne) {
    const DirectConvolution workload(layer(2, 19, 3, 4, 4, 1, 3), 1, false, {});
    const DirectConvolutionKernel& kernel = workload.kernel();
    std::map<std::pair<Address, Address>, std::uint64_t> naive;
    for (std::uint32_t i = 0; i < kernel.tiles(); ++i) {
        const auto tile = kernel.tile(i);
        for (std::uint32_t y = tile.first_row; y < tile.end_row; ++y) {
            for (std::uint32_t r = 0; r < 3; ++r) {
                for (std::uint32_t kh = 0; kh < 4; ++kh) {
                    const VectorOperation op = kernel.operation(tile, y, tile.column, r, kh);
                    for (std::uint32_t lane = 0; lane < op.layout->lanes(); ++lane) {
                        const auto in = static_cast<Address>(
                            std::int64_t{op.layout->offset(LaneLayout::Operand::kInput, lane)});
                        for (std::uint32_t kw = 0; kw < op.length; ++kw) {
                            ++naive[{(op.input + in + 4 * kw) / 128, (op.weights + 4 * kw) / 128}];
                        }
                    }
                }
            }
        }
    }
    const BlockPairs pairs(kernel, 128);
    EXPECT_EQ(pairs.pairs(), naive.size());
    for (const std::uint64_t threshold : {0U, 10U, 100U, 300U}) {
        std::uint64_t over = 0;
        for (const auto& [pair, count] : naive) over += count > threshold ? 1 : 0;
        EXPECT_EQ(pairs.over(threshold), over) << threshold;
    }
}

}  // namespace
}  // namespace tessera
