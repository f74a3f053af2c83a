// Do the FP32 kernels of the CUDA cores compute what product and layer say?
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/workload/onednn_check.h"
#include "sc_models/workload/simt/fourier.h"
#include "tests/support/simt_workloads.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

using test::InstructionCounts;

InstructionCounts run(const Workload& workload, test::FlatMemory& memory) {
    InstructionCounts counts;
    for (const auto& kernel : workload.kernels()) {
        for (const auto& [opcode, count] : test::interpret(*kernel, memory)) {
            counts[opcode] += count;
        }
    }
    return counts;
}

void expect_right(const Workload& workload, std::uint64_t outputs, bool onednn) {
    test::FlatMemory memory = test::make_memory(workload);
    run(workload, memory);
    const VerificationReport report = workload.verify(memory.reader());
    ASSERT_TRUE(report.passed()) << report.first_mismatch;
    EXPECT_EQ(report.outputs, outputs);
    const OnednnReport library = compare_with_onednn(workload, memory.reader());
    if (!library.checked() || !onednn) return;
    EXPECT_TRUE(library.passed()) << library.violations << " violations";
    EXPECT_EQ(library.outputs, outputs);
}

TEST(SimtProduct, IsBitExact) {
    std::mt19937_64 random(3);
    for (std::uint32_t i = 0; i < 25; ++i) {
        const WorkloadConfig config = test::random_simt_product(random);
        const auto workload = make_workload(config, random(), true);
        SCOPED_TRACE(workload->name());
        expect_right(*workload, std::uint64_t{config.gemm.m} * config.gemm.n, true);
    }
}

TEST(SimtConvolution, IsBitExact) {
    std::mt19937_64 random(5);
    for (std::uint32_t i = 0; i < 40; ++i) {
        const WorkloadConfig config = test::random_simt_convolution(random, i % 4 == 0);
        const auto workload = make_workload(config, random(), true);
        SCOPED_TRACE(testing::Message() << "layer " << i);
        const SimtGeometry geometry = SimtGeometry::make(config.layer);
        expect_right(*workload, geometry.pixels() * geometry.filters, i % 4 != 0);
    }
}

/// Bit for bit, and within the bound of rounding errors around the definition of the layer.
template <class Convolution, class Draw>
void expect_right_and_near(std::uint64_t seed, const Draw& draw) {
    std::mt19937_64 random(seed);
    for (std::uint32_t i = 0; i < 25; ++i) {
        const WorkloadConfig config = draw(random);
        const Convolution workload(config, random(), true, {});
        SCOPED_TRACE(testing::Message() << "layer " << i);
        test::FlatMemory memory = test::make_memory(workload);
        run(workload, memory);
        const VerificationReport report = workload.verify(memory.reader());
        ASSERT_TRUE(report.passed()) << report.first_mismatch;
        const SimtGeometry& layer = workload.geometry().layer;
        EXPECT_EQ(report.outputs, layer.pixels() * layer.filters);
        EXPECT_EQ(report.scalar_samples, report.outputs);
    }
}

TEST(WinogradConvolution, IsBitExactAndNearTheDefinition) {
    expect_right_and_near<WinogradConvolution>(7, test::random_winograd_convolution);
}

TEST(FftConvolution, IsBitExactAndNearTheDefinition) {
    expect_right_and_near<FftConvolution>(17, test::random_fft_convolution);
}

/// The transforms of 16 numbers are those of the definition, and each other's inverse.
TEST(FftConvolution, TransformsAreTheDefinition) {
    std::mt19937_64 random(19);
    constexpr double kTurn = 6.28318530717958647692;
    std::array<float, fourier::kLength> x{}, back{};
    for (float& number : x) number = static_cast<float>(random() % 2001) / 1000 - 1;
    std::array<float, 2 * fourier::kBins> bins{};
    fourier::of_reals(x, bins);
    std::array<fourier::Complex<float>, fourier::kLength> whole{};
    for (std::size_t i = 0; i < x.size(); ++i) whole[i] = {x[i], 0.0F};
    fourier::transform(whole, fourier::Direction::kForward);
    for (std::size_t k = 0; k < fourier::kBins; ++k) {
        double re = 0, im = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double angle = kTurn * static_cast<double>(i * k) / fourier::kLength;
            re += x[i] * std::cos(angle);
            im -= x[i] * std::sin(angle);
        }
        EXPECT_NEAR(bins[2 * k], 2 * re, 1e-5) << k;
        EXPECT_NEAR(bins[2 * k + 1], 2 * im, 1e-5) << k;
        EXPECT_NEAR(whole[k].re, re, 1e-5) << k;
        EXPECT_NEAR(whole[k].im, im, 1e-5) << k;
    }
    fourier::to_reals(bins, back);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], 32 * x[i], 1e-4) << i;
}

/// A complex transform of 16 by halves adds 4 x 16 numbers of two parts, and turns 10 by angles
/// that are no quarters of a turn, four instructions each. With two numbers that are not zero one
/// turn of them is left in each half, and the sums of the last of four steps.
TEST(FftConvolution, InstructionsAreCountedByTheCode) {
    const auto count = [](std::size_t numbers) {
        std::uint32_t instructions = 0;
        std::array<fourier::Complex<fourier::Counted>, fourier::kLength> x;
        for (std::size_t i = 0; i < numbers; ++i) {
            x[i] = {fourier::Counted(instructions), fourier::Counted(instructions)};
        }
        fourier::transform(x, fourier::Direction::kForward);
        return instructions;
    };
    EXPECT_EQ(count(fourier::kLength), 4U * 16 * 2 + 10 * 4);
    EXPECT_EQ(count(2), 16U * 2 + 6 * 4);
    EXPECT_EQ(count(1), 0U);
}

/// With integers as values a Winograd convolution has no rounding errors: a quarter of a product of
/// integers below 2^24 is exact.
TEST(WinogradConvolution, IsTheDefinitionOnDyadicValues) {
    std::mt19937_64 random(11);
    WorkloadConfig config = test::random_winograd_convolution(random);
    config.activations = config.weights = ValuePattern::kDyadic;
    const WinogradConvolution workload(config, 3, true, {});
    test::FlatMemory memory = test::make_memory(workload);
    run(workload, memory);
    const auto values = [&](ValueGenerator::Tensor tensor) {
        return ValueGenerator::of(config, 3, tensor, true);
    };
    const ValueGenerator input = values(ValueGenerator::Tensor::kActivations);
    const ValueGenerator filters = values(ValueGenerator::Tensor::kWeights);
    const SimtGeometry& layer = workload.geometry().layer;
    for (std::uint64_t pixel = 0; pixel < layer.pixels(); ++pixel) {
        for (std::uint64_t filter = 0; filter < layer.filters; ++filter) {
            float got = 0;
            memory.read(
                workload.region("output").base + (pixel * layer.out_pitch() + filter) * sizeof got,
                &got, sizeof got);
            ASSERT_EQ(double{got}, defined_sum(layer, input, filters, pixel, filter).sum)
                << pixel << ", " << filter;
        }
    }
}

WorkloadConfig some_layer(ProductKernel kernel) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kConvolution;
    config.kernel = kernel;
    config.layer.batch = 1;
    config.layer.height = config.layer.width = 6;
    config.layer.channels = 8;
    config.layer.filters = 16;
    return config;
}

/// A wrong element of an operand or of the output is found.
TEST(SimtConvolution, WrongValuesAreFound) {
    for (const ProductKernel kernel :
         {ProductKernel::kSimt, ProductKernel::kWinograd, ProductKernel::kFft}) {
        const auto workload = make_workload(some_layer(kernel), 7, true);
        for (const char* const region : {"input", "filters", "output"}) {
            test::FlatMemory memory = test::make_memory(*workload);
            const float wrong = 12;
            const Address at = workload->region(region).base + 33 * sizeof wrong;
            const bool output = std::string(region) == "output";
            if (!output) memory.write(at, &wrong, sizeof wrong);
            run(*workload, memory);
            if (output) memory.write(at, &wrong, sizeof wrong);
            EXPECT_FALSE(workload->verify(memory.reader()).passed()) << region;
        }
    }
}

/// A layer of 2 x 5 x 4 outputs has 2 x 3 x 2 tiles; channels are rounded up to 8, filters to 4.
TEST(WinogradConvolution, BuffersAreThoseOfTheTiles) {
    WorkloadConfig config = some_layer(ProductKernel::kWinograd);
    config.layer.batch = 2;
    config.layer.height = 5;
    config.layer.width = 4;
    config.layer.channels = 9;
    config.layer.filters = 10;
    const WinogradConvolution workload(config, 1, false, {});
    const auto floats = [&](const char* region) { return workload.region(region).bytes / 4; };
    EXPECT_EQ(floats("input"), 2U * 5 * 4 * 9);
    EXPECT_EQ(floats("filters"), 10U * 9 * 9);
    EXPECT_EQ(floats("transformed_input"), 16U * 12 * 16);
    EXPECT_EQ(floats("transformed_filters"), 16U * 10 * 16);
    EXPECT_EQ(floats("products"), 16U * 12 * 12);
    EXPECT_EQ(floats("output"), 2U * 5 * 4 * 12);
}

/// An output may be off by a rounding error of the definition, but not of the golden model.
TEST(SimtConvolution, TheLastBitOfATransformCounts) {
    for (const ProductKernel kernel : {ProductKernel::kWinograd, ProductKernel::kFft}) {
        const auto workload = make_workload(some_layer(kernel), 7, true);
        test::FlatMemory memory = test::make_memory(*workload);
        run(*workload, memory);
        const Address at = workload->region("output").base;
        std::uint32_t bits = 0;
        memory.read(at, &bits, sizeof bits);
        bits ^= 1U;
        memory.write(at, &bits, sizeof bits);
        const VerificationReport report = workload->verify(memory.reader());
        EXPECT_EQ(report.mismatches, 1U);
        EXPECT_EQ(report.scalar_mismatches, 0U);
    }
}

/// A layer of 2 x 20 x 14 outputs has 2 x 2 x 1 tiles of 14 x 14; channels are rounded up to 8. A
/// point has real and imaginary parts of channels and filters, and of a filter two lines.
TEST(FftConvolution, BuffersAreThoseOfTheTiles) {
    WorkloadConfig config = some_layer(ProductKernel::kFft);
    config.layer.batch = 2;
    config.layer.height = 20;
    config.layer.width = 14;
    config.layer.channels = 9;
    config.layer.filters = 10;
    const FftConvolution workload(config, 1, false, {});
    const auto floats = [&](const char* region) { return workload.region(region).bytes / 4; };
    EXPECT_EQ(floats("input_rows"), 2U * 9 * (4 * 16) * 9);
    EXPECT_EQ(floats("filter_rows"), 2U * 9 * (10 * 3) * 9);
    EXPECT_EQ(floats("transformed_input"), 144U * 4 * 2 * 16);
    EXPECT_EQ(floats("transformed_filters"), 144U * 2 * 10 * 2 * 16);
    EXPECT_EQ(floats("products"), 144U * 4 * 2 * 10);
    EXPECT_EQ(floats("output_rows"), 2U * 9 * (4 * 14) * 10);
    EXPECT_EQ(floats("output"), 2U * 20 * 14 * 12);
}

/// A tile of 128 x 128 by 8 k: each of 8 warps loads 4 rows of A and of B at a time, 16 in all,
/// and multiplies 64 times a k; a k takes four LDS.128.
TEST(SimtProduct, InstructionsAreThoseOfTheTile) {
    WorkloadConfig config = test::simt_product(128, 128, 16);
    const auto large = make_workload(config, 1, true);
    EXPECT_EQ(large->kernels()[0]->info().warps_per_cta, 8U);
    EXPECT_EQ(large->kernels()[0]->info().shared_memory_bytes, 2U * 8 * (132 + 132) * 4);
    test::FlatMemory memory = test::make_memory(*large);
    InstructionCounts counts = run(*large, memory);
    EXPECT_EQ(counts[Opcode::kLoadGlobal], 2U * (128 + 128) / 4);
    EXPECT_EQ(counts[Opcode::kStoreShared], 2U * (128 + 128) / 4);
    EXPECT_EQ(counts[Opcode::kLoadShared], 8U * 16 * 4);
    EXPECT_EQ(counts[Opcode::kOperation], 8U * (16 * 64 + 1));
    EXPECT_EQ(counts[Opcode::kStoreGlobal], 128U * 128 / (4 * 32));
    config.gemm.n = 64;
    const auto small = make_workload(config, 1, true);
    EXPECT_EQ(small->kernels()[0]->info().warps_per_cta, 4U);
    config.gemm.n = 65;
    config.gemm.m = 129;
    EXPECT_EQ(make_workload(config, 1, true)->kernels()[0]->info().ctas, 2U);
}

/// Loads of A and B coalesce to sectors; fragments take four wavefronts each, stores one.
TEST(SimtProduct, AccessesHaveNoConflicts) {
    const auto workload = make_workload(test::simt_product(128, 128, 8), 1, false);
    const auto program = workload->kernels()[0]->program(CtaId(0), 0);
    WarpInstruction batch[kFillCapacity];
    bool ended = false;
    while (!ended) {
        const std::size_t count = program->fill(batch, kFillCapacity);
        for (std::size_t i = 0; i < count; ++i) {
            const WarpInstruction& w = batch[i];
            ended = ended || w.opcode() == Opcode::kExit;
            if (w.opcode() == Opcode::kLoadShared) {
                EXPECT_EQ(w.lanes().wavefronts, 4U);
            }
            if (w.opcode() == Opcode::kLoadGlobal) {
                EXPECT_EQ(w.lanes().bytes, 4U * 32);
            }
            if (w.opcode() != Opcode::kStoreShared) continue;
            std::vector<int> banks(32);
            for (std::uint32_t row = 0; row < w.memory().rows; ++row) {
                for (std::uint32_t word = 0; word < w.memory().row_bytes / 4U; ++word) {
                    EXPECT_EQ(
                        ++banks[(w.address() + row * w.memory().row_pitch_bytes) / 4 % 32 + word],
                        1);
                }
            }
        }
    }
}

std::string refused(const LayerConfig& layer, bool winograd) {
    try {
        if (winograd) {
            (void)WinogradGeometry::make(layer);
        } else {
            (void)SimtGeometry::make(layer);
        }
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "";
}

TEST(SimtConvolution, LayersThatDoNotFitAreRefused) {
    LayerConfig layer = some_layer(ProductKernel::kSimt).layer;
    EXPECT_EQ(refused(layer, true), "");
    layer.stride = 2;
    EXPECT_EQ(refused(layer, false), "");
    EXPECT_EQ(refused(layer, true),
              "workload.layer.stride: got a stride other than 1 or a transposed layer, expected "
              "neither with workload.kernel winograd");
    layer.stride = 1;
    layer.groups = 2;
    EXPECT_EQ(refused(layer, false),
              "workload.layer.groups: got '2', expected 1 with workload.kernel simt, winograd "
              "and fft");
    layer.groups = 1;
    layer.filter_width = 5;
    EXPECT_EQ(refused(layer, true),
              "workload.layer.filter_height: got a filter of 3x5 and dilation 1, expected 3x3 and "
              "1 with workload.kernel winograd");
    layer.filter_height = 9;
    EXPECT_EQ(refused(layer, false),
              "workload.layer.filter_height: got '9', expected a filter that fits the padded input "
              "(8) and is larger than a transposed layer's pad");
}

}  // namespace
}  // namespace tessera
