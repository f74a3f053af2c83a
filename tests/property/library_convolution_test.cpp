// Do the kernels of DNN libraries compute all three passes of a convolution, whatever the layer?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/workload/library/library_convolution.h"
#include "sc_models/workload/onednn_check.h"
#include "tests/support/library_convolutions.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

/// 200 layers a pass.
TEST(LibraryConvolution, IsBitExact) {
    std::mt19937_64 random(23);
    for (std::uint32_t i = 0; i < 600; ++i) {
        const WorkloadConfig config = test::random_library_convolution(random, i);
        const std::uint64_t seed = random();
        const LibraryConvolution convolution(config, seed, true, {}, {});
        SCOPED_TRACE(convolution.kernels().front()->info().name);
        test::FlatMemory memory = test::make_memory(convolution);
        for (const auto& kernel : convolution.kernels()) test::interpret(*kernel, memory);
        const VerificationReport report = convolution.verify(memory.reader());
        ASSERT_TRUE(report.passed()) << report.first_mismatch;
        std::uint64_t outputs = 0;
        for (const auto& member : convolution.pass().members()) {
            outputs += member.m * convolution.pass().columns_of_d();
        }
        EXPECT_EQ(report.outputs, outputs);
    }
}

/// 228 layers on the kernels with asynchronous copies, whose data arrives when a wait needs it, and
/// zeros with it.
TEST(LibraryConvolution, IsBitExactInStages) {
    std::mt19937_64 random(29);
    TargetMachine machine;
    machine.shared_memory_bytes = 164 * 1024;
    std::uint64_t copies = 0;
    for (std::uint32_t i = 0; i < 228; ++i) {
        const WorkloadConfig config = test::random_multistage_convolution(random, i);
        const LibraryConvolution convolution(config, random(), true, {}, machine);
        SCOPED_TRACE(convolution.kernels().front()->info().name);
        test::FlatMemory memory = test::make_memory(convolution);
        test::InstructionCounts counts = test::interpret(*convolution.kernels().front(), memory);
        for (std::size_t k = 1; k < convolution.kernels().size(); ++k) {
            test::interpret(*convolution.kernels()[k], memory);
        }
        EXPECT_EQ(counts[Opcode::kLoadGlobal] + counts[Opcode::kLoadShared], 0U);
        copies += counts[Opcode::kCopyAsync];
        const VerificationReport report = convolution.verify(memory.reader());
        ASSERT_TRUE(report.passed()) << report.first_mismatch;
    }
    EXPECT_GT(copies, 0U);
}

/// 180 layers of BF16, in all passes, and of TF32: the golden model's result, and oneDNN's on the
/// rounded operands but for the order of sums and for the rounding of the result.
TEST(LibraryConvolution, IsBitExactWithBf16AndTf32) {
    std::mt19937_64 random(41);
    TargetMachine machine;
    machine.sms = 80;
    machine.shared_memory_bytes = 164 * 1024;
    std::uint32_t divided = 0;
    for (std::uint32_t i = 0; i < 180; ++i) {
        const WorkloadConfig config = test::random_float_convolution(random, i);
        const LibraryConvolution convolution(config, random(), true, {}, machine);
        SCOPED_TRACE(convolution.kernels().front()->info().name);
        divided += convolution.kernels().size() > 1 ? 1 : 0;
        test::FlatMemory memory = test::make_memory(convolution);
        for (const auto& kernel : convolution.kernels()) test::interpret(*kernel, memory);
        const VerificationReport report = convolution.verify(memory.reader());
        ASSERT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_GT(report.outputs, 0U);
        EXPECT_TRUE(compare_with_onednn(convolution, memory.reader()).passed());
    }
    EXPECT_GT(divided, 20U);
}

/// 114 layers of integers, with any number of channels, requantised or not: an element of each is
/// the sum over its window, computed here.
TEST(LibraryConvolution, IsExactWithIntegers) {
    std::mt19937_64 random(37);
    TargetMachine machine;
    machine.sms = 80;  // more than there are tiles, so that k is divided
    machine.shared_memory_bytes = 164 * 1024;
    std::uint32_t divided = 0, odd = 0, padded = 0;
    for (std::uint32_t i = 0; i < 114; ++i) {
        const WorkloadConfig config = test::random_integer_convolution(random, i);
        const std::uint64_t seed = random();
        const LibraryConvolution convolution(config, seed, true, {}, machine);
        SCOPED_TRACE(convolution.kernels().front()->info().name);
        divided += convolution.kernels().size() > 1 ? 1 : 0;
        test::FlatMemory memory = test::make_memory(convolution);
        for (const auto& kernel : convolution.kernels()) test::interpret(*kernel, memory);
        const VerificationReport report = convolution.verify(memory.reader());
        ASSERT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_GT(report.outputs, 0U);

        const LayerConfig& layer = config.layer;
        const bool is_unsigned = layer.operands == OperandType::kUint8;
        using Tensor = ValueGenerator::Tensor;
        const std::uint64_t pairs = (layer.channels + 1) / 2;
        odd += layer.channels % 2;
        const ValueGenerator pixels = ValueGenerator::of(config, seed, Tensor::kActivations, true)
                                          .as_type(layer.operands, layer.channels);
        const ValueGenerator weights = ValueGenerator::of(config, seed, Tensor::kWeights, true)
                                           .as_type(OperandType::kInt8, layer.channels);
        const auto height = static_cast<std::uint64_t>(convolution.pass().rows().outputs());
        const auto width = static_cast<std::uint64_t>(convolution.pass().columns().outputs());
        const std::uint64_t pixel = random() % (layer.batch * height * width);
        const std::uint64_t filter = random() % layer.filters;
        std::int64_t sum = 0;
        for (std::uint64_t tap = 0; tap < convolution.pass().taps(); ++tap) {
            const auto y =
                static_cast<std::int64_t>(pixel / width % height * layer.stride_of_height() +
                                          tap / layer.filter_width * layer.dilation) -
                layer.pad_of_height();
            const auto x = static_cast<std::int64_t>(pixel % width * layer.stride_of_width() +
                                                     tap % layer.filter_width * layer.dilation) -
                           layer.pad_of_width();
            if (y < 0 || y >= layer.height || x < 0 || x >= layer.width) {
                ++padded;
                continue;
            }
            const std::uint64_t from =
                (pixel / width / height * layer.height + static_cast<std::uint64_t>(y)) *
                    layer.width +
                static_cast<std::uint64_t>(x);
            for (std::uint64_t c = 0; c < pairs; ++c) {
                const HalfBits a = pixels(from * pairs + c);
                const HalfBits b = weights((filter * convolution.pass().taps() + tap) * pairs + c);
                for (const unsigned shift : {0U, 8U}) {
                    const int activation = is_unsigned ? static_cast<std::uint8_t>(a >> shift)
                                                       : static_cast<std::int8_t>(a >> shift);
                    sum += std::int64_t{activation} * static_cast<std::int8_t>(b >> shift);
                }
            }
        }
        const std::uint64_t element = pixel * convolution.pass().output_pitch() + filter;
        const Address at = convolution.region("result").base;
        test::expect_sum_and_spoil(memory, at, element, sum, config.requantization.get(), filter);
        EXPECT_EQ(convolution.verify(memory.reader()).mismatches, 1U);
    }
    EXPECT_GT(divided, 5U);
    EXPECT_GT(odd, 20U);
    EXPECT_GT(padded, 20U);
}

/// Every element of a pass's result is that of one member and row, so none is left out or made
/// twice.
TEST(LibraryConvolution, MembersShareOutTheResult) {
    std::mt19937_64 random(5);
    for (std::uint32_t i = 0; i < 150; ++i) {
        const WorkloadConfig config = test::random_library_convolution(random, i);
        const ConvolutionPass pass(config.layer, config.pass);
        std::vector<std::uint8_t> made(pass.result_elements());
        for (std::uint32_t m = 0; m < pass.members().size(); ++m) {
            for (std::uint64_t row = 0; row < pass.members()[m].m; ++row) {
                for (std::uint64_t c = 0; c < pass.columns_of_d(); ++c) {
                    ++made.at(pass.element(m, row) + c);
                }
            }
        }
        EXPECT_LE(*std::max_element(made.begin(), made.end()), 1);
        // With groups, the padding of pixels to a multiple of 8 elements belongs to no row.
        const std::uint64_t count =
            static_cast<std::uint64_t>(std::count(made.begin(), made.end(), std::uint8_t{1}));
        if (pass.groups() == 1) {
            EXPECT_EQ(count, made.size());
        }
    }
}

/// With a stride all input pixels take the steps of those that most taps meet, but for those that
/// none meets.
TEST(LibraryConvolution, ClassesOfAStrideTakeTheSameSteps) {
    LayerConfig layer;
    layer.height = layer.width = 20;
    layer.filters = 40;  // 64 k a tap
    layer.stride = 2;
    const auto k_of_members = [&layer](std::uint32_t filter) {
        layer.filter_height = layer.filter_width = filter;
        std::vector<std::uint64_t> k;
        const ConvolutionPass pass(layer, LayerPass::kBackwardData);
        for (const auto& member : pass.members()) k.push_back(member.k);
        return k;
    };
    EXPECT_EQ(k_of_members(5), std::vector<std::uint64_t>(4, 9 * 64));
    EXPECT_EQ(k_of_members(4), std::vector<std::uint64_t>(4, 4 * 64));
    layer.pad = 0;
    EXPECT_EQ(k_of_members(1), (std::vector<std::uint64_t>{64, 0, 0, 0}));
}

/// Channels of a tap are rounded up to 32, as k or as columns.
TEST(LibraryConvolution, TapsHaveWholeSteps) {
    LayerConfig layer;
    layer.channels = 1;
    layer.filters = 48;
    for (const LayerPass pass :
         {LayerPass::kForward, LayerPass::kBackwardData, LayerPass::kBackwardWeight}) {
        const ConvolutionPass made(layer, pass);
        const ConvolutionPass::Member& member = made.members().front();
        const bool weight = pass == LayerPass::kBackwardWeight;
        EXPECT_EQ(weight ? made.columns_of_d() : member.k,
                  9U * (pass == LayerPass::kBackwardData ? 64 : 32));
    }
}

/// An element of a tensor that is wrong is found, by both comparisons.
TEST(LibraryConvolution, WrongValuesAreFound) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    config.kernel = ProductKernel::k64x64;
    config.layer.batch = 1;
    config.layer.height = config.layer.width = 6;
    config.layer.channels = config.layer.filters = 16;
    for (const auto& [pass, regions] :
         {std::pair<LayerPass, std::vector<const char*>>{LayerPass::kForward,
                                                         {"input", "filters", "result"}},
          {LayerPass::kBackwardData, {"output_gradient", "filters", "result"}},
          {LayerPass::kBackwardWeight, {"output_gradient", "input", "result"}}}) {
        config.pass = pass;
        const LibraryConvolution convolution(config, 7, true, {}, {});
        for (const char* const region : regions) {
            test::FlatMemory memory = test::make_memory(convolution);
            const HalfBits wrong = 0x4a00;  // 12
            const Address at = convolution.region(region).base + 2 * 33;
            const bool result = std::string(region) == "result";
            if (!result) memory.write(at, &wrong, sizeof wrong);
            for (const auto& kernel : convolution.kernels()) test::interpret(*kernel, memory);
            if (result) memory.write(at, &wrong, sizeof wrong);
            EXPECT_FALSE(convolution.verify(memory.reader()).passed()) << region;
            const OnednnReport onednn = compare_with_onednn(convolution, memory.reader());
            if (onednn.checked()) {
                EXPECT_GT(onednn.violations, 0U) << region;
            }
        }
    }
}

std::string refused(const WorkloadConfig& config) {
    try {
        const LibraryConvolution convolution(config, 1, false, {}, {});
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(LibraryConvolution, ImpossibleLayersAreRefused) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    config.kernel = ProductKernel::kAuto;
    config.layer.height = 5;
    config.layer.dilation = 4;
    EXPECT_EQ(refused(config),
              "workload.layer.filter_height: got 3, expected a filter that covers at most the 7 of "
              "the padded input (with its dilation: 9)");
    config.layer.dilation = 1;
    config.layer.groups = 3;
    EXPECT_EQ(refused(config),
              "workload.layer.groups: got '3', expected a divisor of workload.layer.channels (64) "
              "and workload.layer.filters (64)");
    config.layer.groups = 64;
    config.kernel = ProductKernel::k256x128;
    EXPECT_EQ(refused(config),
              "workload.kernel: got 256x128, expected one that needs at most 255 registers a "
              "thread (this one 264, as its lanes load 2 bytes: channels and filters of a group "
              "begin nowhere else)");
    config.kernel = ProductKernel::kAuto;
    EXPECT_EQ(refused(config), "");
}

}  // namespace
}  // namespace tessera
