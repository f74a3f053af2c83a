// Do kernels for depthwise convolutions compute what the layer says, whatever their tile?
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/workload/onednn_check.h"
#include "tests/support/depthwise_convolutions.h"
#include "tests/support/product_epilogues.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

/// Bit for bit, and within oneDNN's bound; half of them with an epilogue, two of five in BF16.
/// Machines of few and of many SMs make the tile.
TEST(DepthwiseConvolution, IsBitExact) {
    std::mt19937_64 random(41);
    std::set<std::pair<std::uint32_t, std::uint32_t>> tiles;
    for (std::uint32_t i = 0; i < 120; ++i) {
        WorkloadConfig config = test::random_depthwise_convolution(random, i);
        const std::uint64_t outputs = test::elements_of_output(config.layer);
        if (i % 5 < 2) {
            config.kernel = ProductKernel::kMultistage;
            config.layer.operands = OperandType::kBf16;
        }
        if (i % 2 == 0) {
            config.epilogue =
                test::random_epilogue(random, outputs / config.layer.filters, config.layer.filters,
                                      format_of(config.operand_type()));
        }
        TargetMachine machine;
        machine.sms = 1 + static_cast<std::uint32_t>(random() % (i % 3 == 0 ? 80 : 3));
        const DepthwiseConvolution convolution(config, random(), true, machine);
        SCOPED_TRACE(testing::Message() << i << ": " << convolution.kernels()[0]->info().name);
        tiles.emplace(convolution.tile().vector, convolution.tile().strip);
        test::FlatMemory memory = test::make_memory(convolution);
        test::interpret(*convolution.kernels()[0], memory);
        const VerificationReport report = convolution.verify(memory.reader());
        ASSERT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, outputs);
        const OnednnReport onednn = compare_with_onednn(convolution, memory.reader());
        if (!onednn.checked()) continue;
        EXPECT_TRUE(onednn.passed()) << onednn.violations << " violations";
        EXPECT_EQ(onednn.outputs, outputs);
    }
    EXPECT_GE(tiles.size(), 5U);
}

WorkloadConfig some_layer() {
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    config.kernel = ProductKernel::kDepthwise;
    config.layer.batch = 1;
    config.layer.height = config.layer.width = 6;
    config.layer.channels = config.layer.filters = config.layer.groups = 16;
    return config;
}

/// An element of a tensor that is wrong is found, by both comparisons.
TEST(DepthwiseConvolution, WrongValuesAreFound) {
    const DepthwiseConvolution convolution(some_layer(), 7, true, {});
    for (const char* const region : {"input", "filters", "result"}) {
        test::FlatMemory memory = test::make_memory(convolution);
        const HalfBits wrong = 0x4a00;  // 12
        const Address at = convolution.region(region).base + 2 * 33;
        const bool result = std::string(region) == "result";
        if (!result) memory.write(at, &wrong, sizeof wrong);
        test::interpret(*convolution.kernels()[0], memory);
        if (result) memory.write(at, &wrong, sizeof wrong);
        EXPECT_FALSE(convolution.verify(memory.reader()).passed()) << region;
        const OnednnReport onednn = compare_with_onednn(convolution, memory.reader());
        if (onednn.checked()) {
            EXPECT_GT(onednn.violations, 0U) << region;
        }
    }
}

/// A lane of 4 pixels and 8 channels: 24 registers of overhead, 32 sums, 9 taps of 4 registers.
/// Then either 2 rows of 6 columns of 4 registers, and a row of the filter and a column as floats;
/// or operands of the epilogue, by channel once and by element for 2 pixels, and 2 results.
TEST(DepthwiseConvolution, RegistersOfAnEpilogue) {
    const WorkloadConfig config = some_layer();
    const ConvolutionPass pass(config.layer, config.pass);
    const auto registers_of = [&pass](std::uint32_t columns, std::uint32_t elements) {
        DepthwiseOperands operands;
        operands.columns = columns;
        operands.elements = elements;
        return DepthwiseRegisters(pass, {8, 4, 4}, operands);
    };
    constexpr std::uint32_t kBefore = 24 + 32 + 9 * 4, kInput = 2 * 6 * 4, kFloats = 3 * 8 + 8;
    EXPECT_EQ(registers_of(0, 0).per_thread, kBefore + kInput + kFloats);
    EXPECT_EQ(registers_of(0, 0).named, 32U + 36 + kInput + 2 * 4);
    EXPECT_EQ(registers_of(3, 1).per_thread, kBefore + kInput + kFloats) << "in the input's place";
    EXPECT_EQ(registers_of(3, 1).named, 32U + 36 + kInput + (3 + 2 * 1) * 4 + 2 * 4);
    EXPECT_EQ(registers_of(3, 10).per_thread, kBefore + (3 + 2 * 10) * 4 + 2 * 4);
    EXPECT_EQ(registers_of(20, 0).per_thread, kBefore + 20 * 4 + 2 * 4);
}

/// Only operands that lie in memory take registers.
TEST(DepthwiseConvolution, OperandsOfAnEpilogueInMemory) {
    EXPECT_EQ(DepthwiseOperands(nullptr).columns, 0U);
    std::mt19937_64 random(5);
    std::uint32_t columns = 0, elements = 0;
    for (int i = 0; i < 50; ++i) {
        const auto epilogue = test::random_epilogue(random, 36, 16);
        const DepthwiseOperands operands(epilogue.get());
        std::uint32_t of_columns = 0, of_elements = 0;
        for (const ProductEpilogue::Operand& operand : epilogue->operands()) {
            of_columns += operand.place == ProductEpilogue::OperandExtent::kColumns ? 1 : 0;
            of_elements += operand.place == ProductEpilogue::OperandExtent::kElements ? 1 : 0;
        }
        EXPECT_EQ(operands.columns, of_columns);
        EXPECT_EQ(operands.elements, of_elements);
        columns += of_columns;
        elements += of_elements;
    }
    EXPECT_GT(columns, 0U);
    EXPECT_GT(elements, 0U);
}

/// Each channel of a pixel is loaded once for a lane that needs it, and written once.
TEST(DepthwiseConvolution, LoadsAreThoseOfAStrip) {
    WorkloadConfig config = some_layer();
    config.layer.channels = config.layer.filters = config.layer.groups = 256;
    config.layer.height = config.layer.width = 8;
    TargetMachine machine;
    machine.sms = 1;
    const DepthwiseConvolution convolution(config, 7, true, machine);
    EXPECT_EQ(convolution.tile().vector, 4U);
    EXPECT_EQ(convolution.tile().strip, 4U);
    test::FlatMemory memory = test::make_memory(convolution);
    test::InstructionCounts counts = test::interpret(*convolution.kernels()[0], memory);
    // Each of 32 warps has the filter's nine taps, and six columns of the rows that are there, of
    // which one is outside.
    EXPECT_EQ(counts[Opcode::kLoadGlobal], 32 * 9U + (3 * 8 - 2) * 4 * 5U);
    EXPECT_EQ(counts[Opcode::kStoreGlobal], 32 * 4U);
}

std::string refused(const WorkloadConfig& config) {
    try {
        check_depthwise(config);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(DepthwiseConvolution, LayersThatDoNotFitAreRefused) {
    EXPECT_EQ(refused(some_layer()), "");
    WorkloadConfig config = some_layer();
    config.layer.groups = 8;
    EXPECT_EQ(refused(config),
              "workload.layer.groups: got 8, expected workload.layer.channels (16), at least 2, "
              "with workload.kernel depthwise");
    config = some_layer();
    config.layer.filters = 48;
    EXPECT_EQ(refused(config),
              "workload.layer.filters: got 48, expected workload.layer.channels (16) times a power "
              "of two with workload.kernel depthwise");
    config = some_layer();
    config.pass = LayerPass::kBackwardData;
    EXPECT_EQ(refused(config),
              "workload.pass: got a gradient, or forward of a transposed layer, expected forward "
              "of one that is not transposed with workload.kernel depthwise");
    config = some_layer();
    config.split_k = 2;
    EXPECT_EQ(refused(config),
              "workload.split_k: got 2, expected auto or 1 with workload.kernel depthwise, which "
              "does not divide sums");
    config = some_layer();
    config.layer.filter_height = config.layer.filter_width = 15;
    config.layer.pad = 7;
    EXPECT_EQ(refused(config).substr(0, 77),
              "workload.kernel: got depthwise, expected another one: a filter of 15x15 takes");
}

/// auto and cudnn take it where it fits, and a kernel of tensor cores where it does not.
TEST(DepthwiseConvolution, IsChosenWhereItFits) {
    const auto is_chosen = [](const WorkloadConfig& config) {
        const auto workload = make_workload(config, 1, false);
        return dynamic_cast<const DepthwiseConvolution*>(workload.get()) != nullptr;
    };
    for (const ProductKernel kernel : {ProductKernel::kAuto, ProductKernel::kCudnn}) {
        WorkloadConfig config = some_layer();
        config.kernel = kernel;
        EXPECT_TRUE(is_chosen(config));
        config.pass = LayerPass::kBackwardWeight;
        EXPECT_FALSE(is_chosen(config));
        config.pass = LayerPass::kForward;
        config.layer.groups = 4;
        EXPECT_FALSE(is_chosen(config));
        config.layer.groups = 16;
        config.layer.filters = 48;
        EXPECT_FALSE(is_chosen(config));
    }
    WorkloadConfig config = some_layer();
    config.kernel = ProductKernel::k64x64;
    EXPECT_FALSE(is_chosen(config));
    config.kernel = ProductKernel::kFragments;
    EXPECT_FALSE(is_chosen(config));
}

}  // namespace
}  // namespace tessera
