// Do the kernels, executed naively, give the golden model's D, bit for bit?
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/workload/fragment/convolution_geometry.h"
#include "sc_models/workload/golden.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

using test::FlatMemory;

constexpr std::uint64_t kSeed = 99;

WorkloadConfig gemm_config(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.gemm = {m, n, k};
    return config;
}

WorkloadConfig layer_config(const LayerConfig& layer) {
    WorkloadConfig config;
    config.layer = layer;
    config.tiling.cta_m = 64;
    config.tiling.cta_n = 32;
    return config;
}

VerificationReport run(const Workload& workload, FlatMemory& memory) {
    for (const auto& kernel : workload.kernels()) test::interpret(*kernel, memory);
    return workload.verify(memory.reader());
}

void expect_golden(const WorkloadConfig& config, std::uint64_t outputs) {
    const auto workload = make_workload(config, kSeed, true);
    FlatMemory memory = test::make_memory(*workload);
    const VerificationReport report = run(*workload, memory);
    EXPECT_TRUE(report.checked);
    EXPECT_TRUE(report.passed()) << "seed " << kSeed << ", " << report.first_mismatch;
    EXPECT_EQ(report.outputs, outputs);
}

TEST(GemmKernel, RaggedShapesTilesBuffersRastersAndMaps) {
    std::mt19937 random(kSeed);
    const auto pick = [&](std::uint32_t lo, std::uint32_t hi) {
        return std::uniform_int_distribution<std::uint32_t>(lo, hi)(random);
    };
    constexpr std::uint32_t kTilings[][4] = {
        {128, 64, 32, 32}, {64, 64, 16, 32}, {128, 128, 32, 64}, {32, 96, 32, 48}, {16, 16, 16, 16},
        {32, 192, 16, 64}, {64, 32, 64, 16}, {48, 160, 48, 32},  {64, 80, 64, 80}};
    for (const auto& t : kTilings) {
        const std::uint32_t most = t[3] == 80 ? 1 : 3;  // the largest tile leaves no more registers
        for (std::uint32_t buffers = 1; buffers <= most; ++buffers) {
            WorkloadConfig config = gemm_config(pick(1, 200), pick(1, 260), pick(1, 150));
            config.tiling.cta_m = t[0];
            config.tiling.cta_n = t[1];
            config.tiling.warp_m = t[2];
            config.tiling.warp_n = t[3];
            config.tiling.fragment_buffers = buffers;
            config.tiling.raster =
                pick(0, 1) == 0 ? RasterOrder::kNFastest : RasterOrder::kMFastest;
            config.tiling.warp_map =
                pick(0, 1) == 0 ? WarpMap::kNNeighboursApart : WarpMap::kNNeighboursTogether;
            const GemmShapeConfig& s = config.gemm;
            SCOPED_TRACE(testing::Message() << s.m << "x" << s.n << "x" << s.k << " CTA " << t[0]
                                            << "x" << t[1] << " buffers " << buffers);
            expect_golden(config, std::uint64_t{s.m} * s.n);
        }
    }
}

TEST(GemmKernel, EveryRasterAndMapCoversTheOutput) {
    for (const RasterOrder raster : {RasterOrder::kNFastest, RasterOrder::kMFastest,
                                     RasterOrder::kNGroups, RasterOrder::kMGroups}) {
        for (const WarpMap map : {WarpMap::kNNeighboursApart, WarpMap::kNNeighboursTogether}) {
            WorkloadConfig config = gemm_config(300, 140, 33);
            config.tiling.raster = raster;
            config.tiling.warp_map = map;
            expect_golden(config, 300 * 140);
        }
    }
}

TEST(GemmKernel, ConvolutionsOfEveryRuleAndIm2colMode) {
    const LayerConfig layers[] = {
        {"padded", 2, 9, 7, 5, 10, 3, 3, 1, 1, false},
        {"strided", 2, 9, 11, 19, 40, 3, 2, 2, 2, false},
        {"transposed", 1, 4, 5, 33, 17, 5, 5, 2, 2, true},
        {"unpadded", 2, 6, 6, 8, 3, 3, 3, 0, 1, false},
    };
    for (const LayerConfig& layer : layers) {
        for (const ChannelRule rule :
             {ChannelRule::kPad16, ChannelRule::kPad8FilterRow, ChannelRule::kDense}) {
            for (const Im2colMode im2col : {Im2colMode::kTimed, Im2colMode::kFunctional}) {
                SCOPED_TRACE(layer.name + " rule " + std::to_string(static_cast<int>(rule)));
                WorkloadConfig config = layer_config(layer);
                config.channel_rule = rule;
                config.im2col = im2col;
                config.activations = ValuePattern::kRelu;
                const auto g = ConvolutionGeometry::make(layer, rule);
                expect_golden(config, g.m * g.n);
            }
        }
    }
}

// Workloads have a zero C; here it is not, and A's rows lie further apart than they are long.
TEST(GemmKernel, AccumulatesIntoC) {
    constexpr std::uint32_t kM = 40;
    constexpr std::uint32_t kN = 24;
    constexpr std::uint32_t kK = 48;
    TilingConfig tiling;
    tiling.cta_m = 32;
    tiling.cta_n = 32;
    GemmOperands operands;
    operands.m = kM;
    operands.n = kN;
    operands.k = kK;
    operands.a = 0x1000;
    operands.b = 0x10000;
    operands.c = 0x20000;
    operands.d = 0x30000;
    operands.a_pitch_bytes = 128;  // wider than a row
    operands.b_pitch_bytes = 96;
    FlatMemory memory;
    memory.add_region(operands.a, 64 * 128);
    memory.add_region(operands.b, 32 * 96);
    memory.add_region(operands.c, kM * kN * 4);
    memory.add_region(operands.d, kM * kN * 4);
    std::mt19937 random(kSeed);
    std::vector<HalfBits> a(kM * kK);
    std::vector<HalfBits> b(kN * kK);
    std::vector<float> c(kM * kN);
    for (HalfBits& h : a) h = static_cast<HalfBits>(random() & 0xbfffU);
    for (HalfBits& h : b) h = static_cast<HalfBits>(random() & 0xbfffU);
    for (float& f : c) f = static_cast<float>(static_cast<int>(random()));
    for (std::uint32_t i = 0; i < kM; ++i) memory.write(operands.a + i * 128, &a[i * kK], kK * 2);
    memory.write(operands.b, b.data(), b.size() * 2);
    memory.write(operands.c, c.data(), c.size() * 4);
    test::interpret(GemmKernel("c", operands, tiling), memory);
    for (std::uint32_t i = 0; i < kM; ++i) {
        for (std::uint32_t j = 0; j < kN; ++j) {
            float d = 0;
            memory.read(operands.d + (i * kN + j) * 4, &d, 4);
            const float expected =
                golden_element(TensorCoreKind::kFedp, &a[i * kK], &b[j * kK], kK, c[i * kN + j]);
            ASSERT_EQ(float_bits(d), float_bits(expected)) << i << "," << j;
        }
    }
}

TEST(GemmKernel, LimitedLaunchMakesTheFirstTilesOnly) {
    for (const RasterOrder raster : {RasterOrder::kNFastest, RasterOrder::kMFastest}) {
        WorkloadConfig config = layer_config({"limited", 2, 12, 12, 16, 80, 3, 3, 1, 1, false});
        config.tiling.cta_limit = 2;
        config.tiling.raster = raster;
        expect_golden(config, 2 * 64 * 32);  // 288 x 80 outputs in 64 x 32 tiles
        const auto workload = make_workload(config, kSeed, false);
        EXPECT_EQ(workload->gemm().rows_read(), raster == RasterOrder::kNFastest ? 64U : 128U);
    }
}

TEST(GemmKernel, InstructionCountsOfOneTile) {
    for (std::uint32_t buffers = 1; buffers <= 3; ++buffers) {
        WorkloadConfig config = gemm_config(128, 64, 576);
        config.tiling.fragment_buffers = buffers;
        const auto workload = make_workload(config, kSeed, true);
        FlatMemory memory = test::make_memory(*workload);
        const auto counts = test::interpret(workload->gemm(), memory);
        constexpr std::uint64_t kWarps = 8;
        constexpr std::uint64_t kSteps = 36;
        constexpr std::uint64_t kStreams = 128 * 64 * 4 / 512;
        const test::InstructionCounts expected = {{Opcode::kAlu, kWarps * kSteps * 2},
                                                  {Opcode::kLoadFragment, kWarps * kSteps * 4},
                                                  {Opcode::kMma, kWarps * kSteps * 4},
                                                  {Opcode::kLoadGlobal, kStreams},
                                                  {Opcode::kStoreGlobal, kStreams},
                                                  {Opcode::kLoadShared, kStreams + kWarps * 4},
                                                  {Opcode::kStoreShared, kStreams + kWarps * 4},
                                                  {Opcode::kBarrier, kWarps * 2},
                                                  {Opcode::kExit, kWarps}};
        EXPECT_EQ(counts, expected);
    }
}

TEST(GemmKernel, WithoutCTrafficOnlyFragmentsMove) {
    WorkloadConfig config = gemm_config(128, 64, 32);
    config.tiling.c_traffic = false;
    const auto workload = make_workload(config, kSeed, false);
    FlatMemory memory = test::make_memory(*workload);
    const auto counts = test::interpret(workload->gemm(), memory);
    const test::InstructionCounts expected = {{Opcode::kAlu, 8 * (32 + 2 * 2)},
                                              {Opcode::kLoadFragment, 8 * 2 * 4},
                                              {Opcode::kMma, 8 * 2 * 4},
                                              {Opcode::kExit, 8}};
    EXPECT_EQ(counts, expected);
    EXPECT_THROW((void)make_workload(config, kSeed, true), ConfigError);
}

/// K-steps whose fragments are loaded before the first product.
std::uint64_t steps_ahead(std::uint32_t buffers, std::uint32_t k) {
    WorkloadConfig config = gemm_config(128, 64, k);
    config.tiling.fragment_buffers = buffers;
    const auto workload = make_workload(config, kSeed, false);
    const auto program = workload->gemm().program(CtaId(0), 3);
    WarpInstruction out[kFillCapacity];
    std::uint64_t loads = 0;
    while (const std::size_t count = program->fill(out, kFillCapacity)) {
        for (std::size_t i = 0; i < count; ++i) {
            if (out[i].opcode() == Opcode::kMma) return loads / 4;
            loads += out[i].opcode() == Opcode::kLoadFragment ? 1 : 0;
        }
    }
    return 0;
}

TEST(GemmKernel, LoadsRunAheadByTheNumberOfBuffers) {
    EXPECT_EQ(steps_ahead(1, 160), 1U);
    EXPECT_EQ(steps_ahead(2, 160), 2U);
    EXPECT_EQ(steps_ahead(3, 160), 3U);
    EXPECT_EQ(steps_ahead(3, 16), 1U);  // only one step there is
}

TEST(GemmKernel, RegistersOfTheDefaultTile) {
    const auto workload = make_workload(gemm_config(128, 64, 32), kSeed, false);
    const KernelInfo& info = workload->gemm().info();
    EXPECT_EQ(info.a_fragments, 4U);             // 2 of a warp's tile, 2 buffers
    EXPECT_EQ(info.registers_per_thread, 112U);  // (4 + 4 + 4) x 8 + 16
    EXPECT_EQ(info.shared_memory_bytes, 32768U);
    EXPECT_EQ(info.warps_per_cta, 8U);
    EXPECT_EQ(info.convolution_packet, 0U);
}

TEST(GemmKernel, ImpossibleTilingsAreRefused) {
    const auto refused = [](auto&& change) {
        WorkloadConfig config = gemm_config(64, 64, 64);
        change(config.tiling);
        EXPECT_THROW((void)make_workload(config, kSeed, false), ConfigError);
    };
    refused([](TilingConfig& t) { t.warp_m = 24; });
    refused([](TilingConfig& t) { t.warp_n = 0; });
    refused([](TilingConfig& t) { t.cta_m = 100; });
    refused([](TilingConfig& t) { t.cta_n = 48; });
    refused([](TilingConfig& t) { t.fragment_buffers = 0; });
    refused([](TilingConfig& t) { t.fragment_buffers = 7; });
    refused([](TilingConfig& t) { t.cta_m = t.cta_n = t.warp_m = t.warp_n = 128; });
}

// The comparison with the golden model must be able to fail.
TEST(GoldenModel, OneWrongBitOfDIsCaught) {
    const auto workload = make_workload(gemm_config(50, 40, 64), kSeed, true);
    FlatMemory memory = test::make_memory(*workload);
    ASSERT_TRUE(run(*workload, memory).passed());
    const Address victim = workload->region("d").base + (7 * 40 + 3) * 4;
    float value = 0;
    memory.read(victim, &value, 4);
    value = float_from_bits(float_bits(value) ^ 1U);
    memory.write(victim, &value, 4);
    const VerificationReport report = workload->verify(memory.reader());
    EXPECT_FALSE(report.passed());
    EXPECT_EQ(report.mismatches, 1U);
    EXPECT_EQ(report.first_mismatch.rfind("D[7][3]: expected ", 0), 0U) << report.first_mismatch;
    EXPECT_GT(report.scalar_samples, 0U);
    EXPECT_EQ(report.scalar_mismatches, 0U);
}

TEST(GoldenModel, OneWrongWorkspaceElementIsCaught) {
    WorkloadConfig config = layer_config({"broken", 1, 8, 8, 16, 32, 3, 3, 1, 1, false});
    config.im2col = Im2colMode::kFunctional;
    const auto workload = make_workload(config, kSeed, true);
    FlatMemory memory = test::make_memory(*workload);
    const HalfBits wrong = 0x5000;
    memory.write(workload->region("workspace").base + (20 * 144 + 75) * 2, &wrong, 2);
    EXPECT_EQ(run(*workload, memory).mismatches, 32U);  // one row of D
}

TEST(Workload, WithoutValuesOnlyThePacketIsWritten) {
    const auto workload =
        make_workload(layer_config({"packet", 8, 56, 56, 64, 64, 3, 3, 1, 1, false}), kSeed, false);
    const MemoryRegion packet = workload->region("packet");
    EXPECT_EQ(workload->gemm().info().convolution_packet, packet.base);
    std::uint64_t bytes = 0;
    workload->initialise([&](Address address, const void*, std::size_t n) {
        EXPECT_EQ(address, packet.base);
        bytes += n;
    });
    EXPECT_EQ(bytes, 32U);
    EXPECT_FALSE(workload->verify([](Address, void*, std::size_t) { FAIL(); }).checked);
}

TEST(Workload, RegionsAreAlignedAndDisjoint) {
    const auto workload =
        make_workload(layer_config({"layout", 3, 5, 5, 7, 9, 3, 3, 1, 2, false}), kSeed, false);
    Address end = 0x10000000;
    for (const MemoryRegion& r : workload->regions()) {
        EXPECT_GE(r.base, end) << r.name;
        EXPECT_EQ(r.base % 256, 0U) << r.name;
        EXPECT_GT(r.bytes, 0U) << r.name;
        end = r.base + r.bytes;
    }
    EXPECT_THROW((void)workload->region("nonsense"), std::logic_error);
}

}  // namespace
}  // namespace tessera
