// Random products for the kernels of BLAS libraries.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>

#include "sc_models/workload/library/dense_kernels.h"
#include "sc_models/workload/requantization.h"
#include "tests/support/warp_interpreter.h"

namespace tessera::test {

/// Small and ragged; `index` goes through kernels, layouts and types, so that every few dozen have
/// them all.
inline WorkloadConfig random_library_product(std::mt19937_64& random, std::uint32_t index) {
    const auto up_to = [&random](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random() % most);
    };
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    GemmShapeConfig& gemm = config.gemm;
    gemm.m = up_to(150);
    gemm.n = up_to(150);
    gemm.k = up_to(random() % 4 == 0 ? 700 : 100);
    gemm.transpose_a = index % 2 == 0 ? Transpose::kN : Transpose::kT;
    gemm.transpose_b = index / 2 % 2 == 0 ? Transpose::kN : Transpose::kT;
    gemm.output = index / 4 % 2 == 0 ? OutputType::kFp16 : OutputType::kFp32;
    gemm.order = index / 8 % 2 == 0 ? ResultOrder::kColumns : ResultOrder::kRows;
    gemm.read_c = random() % 2 == 0;
    const std::size_t kernel = index % (dense_kernels().size() + 1);
    config.kernel =
        kernel == dense_kernels().size() ? ProductKernel::kAuto : dense_kernels()[kernel].kernel;
    const std::uint32_t steps = ceil_div(gemm.k, DenseKernel::kStep);
    const std::uint32_t parts = up_to(std::min(steps, 8U));
    config.split_k = ceil_div(steps, ceil_div(steps, parts));
    config.tiling.raster = static_cast<RasterOrder>(random() % 4);
    return config;
}

/// The same for the kernels with asynchronous copies, on a machine that holds the largest.
inline WorkloadConfig random_multistage_product(std::mt19937_64& random, std::uint32_t index) {
    WorkloadConfig config = random_library_product(random, index);
    const std::vector<DenseKernel>& kernels = multistage_kernels();
    const std::size_t kernel = index % (kernels.size() + 1);
    config.kernel = ProductKernel::kMultistage;
    if (kernel < kernels.size()) config.multistage = std::string(kernels[kernel].name);
    const std::uint32_t steps =
        ceil_div(config.gemm.k, kernel < kernels.size() ? kernels[kernel].step : 64U);
    const std::uint32_t parts = config.split_k;
    config.split_k = ceil_div(steps, ceil_div(steps, std::min(steps, parts)));
    if (kernel == kernels.size()) config.split_k = WorkloadConfig::kAutoSplit;
    return config;
}

/// Bias and factors of `n` columns that take sums of about `k` products to the range of INT8 or
/// UINT8 and beyond.
inline std::shared_ptr<const Requantization> random_requantization(std::mt19937_64& random,
                                                                   std::uint64_t n,
                                                                   std::uint64_t k) {
    auto rule = std::make_shared<Requantization>();
    const auto below = [&random](std::uint64_t most) { return static_cast<int>(random() % most); };
    rule->is_unsigned = below(2) == 0;
    rule->zero_point = rule->is_unsigned ? below(256) : below(256) - 128;
    rule->least = rule->is_unsigned ? 0 : -128;
    rule->most = rule->is_unsigned ? 255 : 127;
    if (below(3) == 0) rule->least = rule->zero_point;
    if (below(4) == 0) rule->most = std::max(rule->least, rule->most - 40);
    for (std::uint64_t column = 0; column < n; ++column) {
        rule->bias.push_back(below(20000) - 10000);
        rule->factors.push_back(static_cast<float>(1 + below(1000)) * 0x1p-16F /
                                std::sqrt(static_cast<float>(k)));
    }
    return rule;
}

/// Expects an element of D at `at` to be a sum of integers, or the byte that `rule` makes of it,
/// and makes it wrong by a bit.
inline void expect_sum_and_spoil(FlatMemory& memory, Address at, std::uint64_t element,
                                 std::int64_t sum, const Requantization* rule,
                                 std::uint64_t column) {
    if (rule == nullptr) {
        std::int32_t stored = 0;
        memory.read(at + element * sizeof stored, &stored, sizeof stored);
        EXPECT_EQ(stored, sum);
        stored ^= 1;
        return memory.write(at + element * sizeof stored, &stored, sizeof stored);
    }
    std::uint8_t stored = 0;
    memory.read(at + element, &stored, sizeof stored);
    const auto whole = static_cast<float>(sum + rule->bias[column]);
    const long expected = std::lrint(whole * rule->factors[column]) + rule->zero_point;
    EXPECT_EQ(rule->is_unsigned ? stored : static_cast<std::int8_t>(stored),
              std::clamp<long>(expected, rule->least, rule->most));
    stored ^= 1;
    memory.write(at + element, &stored, sizeof stored);
}

/// The same with operands of INT8, or of UINT8 and INT8, whose k lie side by side; every second one
/// is requantised.
inline WorkloadConfig random_integer_product(std::mt19937_64& random, std::uint32_t index) {
    WorkloadConfig config = random_multistage_product(random, index);
    GemmShapeConfig& gemm = config.gemm;
    const bool rows = gemm.order == ResultOrder::kRows;
    gemm.operands = rows && random() % 2 == 0 ? OperandType::kUint8 : OperandType::kInt8;
    gemm.transpose_a = Transpose::kT;
    gemm.transpose_b = Transpose::kN;
    gemm.read_c = false;
    config.split_k = index % 2 == 0 ? WorkloadConfig::kAutoSplit : 1;
    config.weights = config.activations = static_cast<ValuePattern>(random() % 3);
    if (random() % 2 == 0) {
        config.requantization = random_requantization(random, rows ? gemm.n : gemm.m, gemm.k);
    }
    return config;
}

/// The same with operands of BF16, of whose type D may be, or of TF32, whose k lie side by side.
inline WorkloadConfig random_float_product(std::mt19937_64& random, std::uint32_t index) {
    WorkloadConfig config = random_multistage_product(random, index);
    GemmShapeConfig& gemm = config.gemm;
    gemm.operands = random() % 2 == 0 ? OperandType::kBf16 : OperandType::kTf32;
    config.split_k = index % 2 == 0 ? WorkloadConfig::kAutoSplit : 1;
    config.weights = config.activations = static_cast<ValuePattern>(random() % 3);
    if (gemm.operands == OperandType::kBf16) {
        if (gemm.output == OutputType::kFp16) gemm.output = OutputType::kBf16;
        return config;
    }
    gemm.output = OutputType::kFp32;
    gemm.transpose_a = Transpose::kT;
    gemm.transpose_b = Transpose::kN;
    return config;
}

/// The same for the kernels of warpgroups, which do not read C, with one step in a part at least.
inline WorkloadConfig random_wgmma_product(std::mt19937_64& random, std::uint32_t index) {
    WorkloadConfig config = random_library_product(random, index);
    const std::vector<DenseKernel>& kernels = wgmma_kernels();
    const std::size_t kernel = index % (kernels.size() + 1);
    config.kernel = ProductKernel::kWgmma;
    config.gemm.read_c = false;
    config.multicast = random() % 2 == 0;
    config.split_k = WorkloadConfig::kAutoSplit;
    if (kernel == kernels.size()) return config;
    config.wgmma = std::string(kernels[kernel].name);
    const std::uint32_t steps = ceil_div(config.gemm.k, kernels[kernel].step);
    config.split_k = ceil_div(steps, ceil_div(steps, 1 + index % steps % 4));
    return config;
}

/// The same with a 2:4 operand, whose sizes are multiples of 16, those of the dense one of 8.
inline WorkloadConfig random_structured_product(std::mt19937_64& random, std::uint32_t index) {
    WorkloadConfig config = random_library_product(random, index);
    const std::vector<DenseKernel>& kernels = structured_kernels();
    const std::size_t kernel = index % (kernels.size() + 1);
    GemmShapeConfig& gemm = config.gemm;
    gemm.k = round_up(gemm.k, 16U);
    const bool rows = gemm.order == ResultOrder::kRows;
    gemm.m = round_up(gemm.m, rows ? 8U : 16U);
    gemm.n = round_up(gemm.n, rows ? 16U : 8U);
    config.kernel = ProductKernel::kMultistage;
    config.structured_sparsity = StructuredSparsity::k2of4;
    config.weights = config.activations = static_cast<ValuePattern>(random() % 3);
    config.split_k = WorkloadConfig::kAutoSplit;
    if (kernel < kernels.size()) {
        config.multistage = std::string(kernels[kernel].name);
        const std::uint32_t steps = ceil_div(gemm.k, kernels[kernel].step);
        config.split_k = ceil_div(steps, ceil_div(steps, 1 + index % steps % 4));
    }
    return config;
}

}  // namespace tessera::test
