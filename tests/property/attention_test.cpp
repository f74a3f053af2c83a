// Are attention and rotary embedding right, whatever their sizes?
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "sc_models/workload/attention/attention_workload.h"
#include "sc_models/workload/attention/flash3_kernel.h"
#include "sc_models/workload/attention/flash_problem.h"
#include "sc_models/workload/given_layer.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

std::uint32_t pick(std::mt19937_64& random, std::uint32_t from, std::uint32_t to) {
    return std::uniform_int_distribution<std::uint32_t>(from, to)(random);
}

VerificationReport run(const WorkloadConfig& config, std::uint64_t seed, std::uint32_t sms,
                       test::InstructionCounts* counts = nullptr) {
    TargetMachine machine;
    machine.sms = sms;
    const auto workload = make_attention_workload(config, seed, true, machine);
    test::FlatMemory memory = test::make_memory(*workload);
    for (const auto& kernel : workload->kernels()) {
        const test::InstructionCounts of_kernel = test::interpret(*kernel, memory);
        if (counts == nullptr) continue;
        for (const auto& [opcode, count] : of_kernel) (*counts)[opcode] += count;
    }
    return workload->verify(memory.reader(), TensorCoreKind::kFedp);
}

void set_heads(WorkloadConfig& config, std::mt19937_64& random, std::uint32_t most_sharing) {
    const std::uint32_t kv_heads = pick(random, 1, 2);
    config.attention.kv_heads = kv_heads;
    config.attention.heads = kv_heads * pick(random, 1, most_sharing);
    config.attention.batch = pick(random, 1, 2);
}

/// 100 sizes of heads, some of which no 32 pairs divide.
TEST(RotaryEmbedding, IsBitExact) {
    std::mt19937_64 random(5);
    for (std::uint32_t i = 0; i < 100; ++i) {
        WorkloadConfig config;
        config.kind = WorkloadKind::kAttention;
        config.attention.operation = AttentionOperation::kRotary;
        set_heads(config, random, 12);
        config.attention.head_size = i % 2 == 0 ? 128 : 2 * pick(random, 1, 60);
        config.attention.tokens = pick(random, 1, 5);
        config.attention.context = pick(random, 0, 9);
        config.attention.operands = i % 3 == 0 ? OperandType::kBf16 : OperandType::kFp16;
        const AttentionConfig& a = config.attention;
        SCOPED_TRACE(std::to_string(a.heads) + " heads of " + std::to_string(a.head_size));
        const VerificationReport report = run(config, random(), 1);
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs,
                  std::uint64_t{a.batch} * a.tokens * (a.heads + 2 * a.kv_heads) * a.head_size);
    }
}

/// 16 prompts: both sizes of heads, causal or not, with and without context, shared keys.
TEST(FlashAttention, PrefillIsBitExact) {
    std::mt19937_64 random(7);
    for (std::uint32_t i = 0; i < 16; ++i) {
        WorkloadConfig config;
        config.kind = WorkloadKind::kAttention;
        config.attention.operation = AttentionOperation::kPrefill;
        set_heads(config, random, 2);
        config.attention.head_size = i % 2 == 0 ? 64 : 128;
        config.attention.causal = i % 3 != 0;
        config.attention.tokens = i % 4 == 3 ? 128 : pick(random, 1, 200);
        config.attention.context = i % 4 == 3 ? 128 : i % 4 == 2 ? 0 : pick(random, 0, 150);
        config.attention.operands = i % 5 < 2 ? OperandType::kBf16 : OperandType::kFp16;
        const AttentionConfig& a = config.attention;
        SCOPED_TRACE(std::to_string(a.tokens) + " tokens, context " + std::to_string(a.context));
        const VerificationReport report = run(config, random(), 108);
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, std::uint64_t{a.batch} * a.tokens * a.heads * a.head_size);
    }
}

/// 16 prompts with a mask of keys, with queries, keys and values of a token side by side or in
/// other orders, or both.
TEST(FlashAttention, PrefillIsBitExactWithMasksAndOtherLayouts) {
    std::mt19937_64 random(13);
    for (std::uint32_t i = 0; i < 16; ++i) {
        WorkloadConfig config;
        config.kind = WorkloadKind::kAttention;
        set_heads(config, random, 2);
        config.attention.head_size = i % 2 == 0 ? 64 : 128;
        config.attention.causal = i % 3 == 0;
        config.attention.tokens = i % 4 == 3 ? 128 : pick(random, 1, 200);
        if (i % 4 < 2) config.attention.context = pick(random, 0, 150);
        if (i % 4 >= 2) config.attention.layout = AttentionLayout::kPacked;
        if (i % 4 != 2) config.attention.mask = AttentionMask::kKeys;
        if (i % 4 == 1) config.attention.layout = AttentionLayout::kHeads;
        if (i % 8 == 4) config.attention.layout = AttentionLayout::kHeadsToTokens;
        config.attention.operands = i % 5 < 2 ? OperandType::kBf16 : OperandType::kFp16;
        const AttentionConfig& a = config.attention;
        SCOPED_TRACE(std::to_string(a.tokens) + " tokens, context " + std::to_string(a.context));
        test::InstructionCounts counts;
        const VerificationReport report = run(config, random(), 108, &counts);
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, std::uint64_t{a.batch} * a.tokens * a.heads * a.head_size);
        EXPECT_EQ(counts[Opcode::kLoadGlobal] > 0, a.mask == AttentionMask::kKeys);
    }
}

/// 16 caches: whole and in parts, contiguous and in pages, up to eight queries for a head of keys.
TEST(FlashAttention, DecodeIsBitExact) {
    std::mt19937_64 random(11);
    std::uint32_t divided = 0;
    for (std::uint32_t i = 0; i < 16; ++i) {
        WorkloadConfig config;
        config.kind = WorkloadKind::kAttention;
        config.attention.operation = AttentionOperation::kDecode;
        set_heads(config, random, 8);
        config.attention.head_size = i % 2 == 0 ? 64 : 128;
        config.attention.context = pick(random, 0, 1200);
        config.attention.page_tokens = i % 3 == 0 ? 0 : 4 * pick(random, 1, 8);
        if (i % 4 == 0) config.attention.splits = pick(random, 1, 5);
        config.attention.operands = i % 5 < 2 ? OperandType::kBf16 : OperandType::kFp16;
        const AttentionConfig& a = config.attention;
        SCOPED_TRACE("context " + std::to_string(a.context) + ", pages of " +
                     std::to_string(a.page_tokens) + ", splits " + std::to_string(a.splits));
        test::InstructionCounts counts;
        const VerificationReport report = run(config, random(), 2, &counts);
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, std::uint64_t{a.batch} * a.heads * a.head_size);
        divided += a.splits != 1 && a.context > 256 ? 1 : 0;
    }
    EXPECT_GT(divided, 3U);
}

/// The table names each page of the cache once, and neighbours are apart.
TEST(FlashAttention, HasAPageTable) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kAttention;
    config.attention.operation = AttentionOperation::kDecode;
    config.attention.batch = 3;
    config.attention.heads = config.attention.kv_heads = 1;
    config.attention.context = 200;
    config.attention.page_tokens = 16;
    const auto workload = make_attention_workload(config, 1, true, {});
    const test::FlatMemory memory = test::make_memory(*workload);
    constexpr std::uint32_t kPages = 3 * 13;
    std::vector<std::uint32_t> table(kPages);
    const MemoryRegion& region = workload->region("page_table");
    ASSERT_EQ(region.bytes, kPages * sizeof(std::uint32_t));
    memory.read(region.base, table.data(), region.bytes);
    for (std::uint32_t i = 1; i < kPages; ++i) EXPECT_NE(table[i], table[i - 1] + 1);
    std::sort(table.begin(), table.end());
    for (std::uint32_t i = 0; i < kPages; ++i) EXPECT_EQ(table[i], i);
}

/// The result that a network has itself is compared, too: with operands of zero it is zero.
TEST(FlashAttention, ComparesTheResultOfANetwork) {
    for (const HalfBits result : {HalfBits{0}, HalfBits{0x3c00}}) {
        WorkloadConfig config;
        config.kind = WorkloadKind::kAttention;
        config.attention.heads = config.attention.kv_heads = 1;
        config.attention.tokens = 20;
        GivenLayer layer;
        const auto zeros = std::make_shared<const std::vector<HalfBits>>(20 * 128, HalfBits{0});
        layer.operands = {zeros, zeros, zeros};
        layer.result = std::make_shared<const std::vector<HalfBits>>(20 * 128, result);
        config.given_layer = std::make_shared<const GivenLayer>(layer);
        EXPECT_EQ(run(config, 1, 108).passed(), result == 0);
    }
}

/// A pattern of values whose weights are far apart: maxima change from block to block.
TEST(FlashAttention, IsBitExactWithLargeScores) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kAttention;
    config.attention.heads = config.attention.kv_heads = 1;
    config.attention.tokens = 150;
    config.activations = ValuePattern::kRelu;
    config.weights = ValuePattern::kRelu;
    const VerificationReport report = run(config, 3, 108);
    EXPECT_TRUE(report.passed()) << report.first_mismatch;
}

/// Products of whole tiles: those of a causal mask leave out blocks behind the diagonal.
TEST(FlashAttention, SkipsBlocksBehindTheDiagonal) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kAttention;
    config.attention.heads = config.attention.kv_heads = 1;
    config.attention.tokens = 256;
    for (const bool causal : {false, true}) {
        config.attention.causal = causal;
        test::InstructionCounts counts;
        EXPECT_TRUE(run(config, 1, 108, &counts).passed());
        // Two tiles of 128 rows meet 2 and 4 of the 4 blocks of 64 keys, or all.
        const std::uint64_t blocks = causal ? 6 : 8;
        EXPECT_EQ(counts[Opcode::kMma], blocks * 2 * (128 / 16) * (64 / 16) * (128 / 16));
    }
}

/// num_splits_heuristic: 80 % of the slots need no splits; otherwise the fewest near the best.
TEST(FlashAttention, ChoosesSplits) {
    EXPECT_EQ(choose_splits(173, 108, 64), 1U);
    EXPECT_EQ(choose_splits(172, 108, 64), 5U);  // 860 of 864 slots of four waves
    EXPECT_EQ(choose_splits(32, 108, 16), 6U);   // 192 of 216: the next, 8, needs two waves
    EXPECT_EQ(choose_splits(8, 108, 1), 1U);
}

/// CTAs of FlashAttention-3 compute each tile once, and two of a cluster share keys.
TEST(FlashAttention3, DealsEachTileOnce) {
    std::mt19937_64 random(17);
    std::uint32_t clusters = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
        FlashProblem problem;
        problem.batch = pick(random, 1, 9);
        problem.heads_of_keys = pick(random, 1, 4);
        problem.heads = problem.heads_of_keys * pick(random, 1, 9);
        problem.rows = pick(random, 1, 2000);
        problem.keys = problem.rows + pick(random, 0, 1) * pick(random, 0, 40000);
        problem.head_size = i % 2 == 0 ? 64 : 128;
        problem.causal = i % 3 > 0;
        problem.tile = warpgroup_tile(problem.head_size, problem.causal);
        const Flash3Kernel kernel("attention", problem, pick(random, 1, 140), !problem.causal);
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> times;
        for (std::uint32_t cta = 0; cta < kernel.info().ctas; ++cta) {
            for (std::uint32_t round = 0; const auto tile = kernel.tile(CtaId(cta), round);
                 ++round) {
                ++times[{tile->row_tile, tile->head, tile->sequence}];
                if (!kernel.multicast()) continue;
                ++clusters;
                const auto other = kernel.tile(CtaId(cta ^ 1U), round);
                ASSERT_TRUE(other);
                EXPECT_EQ(other->head, tile->head);
                EXPECT_EQ(other->sequence, tile->sequence);
            }
        }
        EXPECT_EQ(times.size(), problem.all_rows() / problem.rows * problem.row_tiles());
        for (const auto& [tile, count] : times) EXPECT_EQ(count, 1U);
    }
    EXPECT_GT(clusters, 100U);
}

}  // namespace
}  // namespace tessera
