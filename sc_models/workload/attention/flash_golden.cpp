#include "sc_models/workload/attention/flash_golden.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sc_models/tensor_core/fedp.h"
#include "sc_models/workload/attention/combine_kernel.h"
#include "sc_models/workload/attention/flash_registers.h"
#include "sc_models/workload/operators/tensor_math.h"

namespace tessera {
namespace {

constexpr float kNoScore = -std::numeric_limits<float>::infinity();
constexpr std::uint32_t kDotProduct = 4;

/// Sums of a row over some tiles of keys.
struct RowState {
    float max = kNoScore;
    std::array<float, 4> sums{};
    std::vector<float> output;
};

float dot(const FlashProblem& problem, const HalfBits* a, const HalfBits* b, std::uint32_t k,
          float sum) {
    const auto step = problem.operands == OperandType::kBf16 ? fedp4_bf16 : fedp4;
    for (std::uint32_t i = 0; i < k; i += kDotProduct) sum = step(a + i, b + i, sum);
    return sum;
}

void add_tile(const FlashProblem& problem, std::uint32_t row, std::uint32_t tile,
              const FlashOperands& operands, RowState& state) {
    const std::uint32_t begin = tile * problem.tile.keys, d = problem.head_size;
    const std::uint32_t end = std::min(problem.keys, begin + problem.tile.keys);
    const std::uint32_t met = problem.keys_of_row(row);
    const float scale2 = flash::scale2_of(problem.scale);
    std::vector<float> scores(problem.tile.keys, kNoScore);
    float max = state.max;
    for (std::uint32_t key = begin; key < std::min(end, met); ++key) {
        float& score = scores[key - begin] = dot(problem, operands.query, operands.key(key), d, 0);
        if (operands.mask != nullptr) {
            score = flash::masked_score(score, to_float(operands.mask[key], problem.format()),
                                        problem.scale);
        }
        max = std::max(max, score);
    }
    const float factor = flash::factor_of(state.max, max, scale2);
    for (float& sum : state.sums) sum *= factor;
    for (float& sum : state.output) sum *= factor;
    state.max = max;
    std::vector<HalfBits> weights;
    for (std::uint32_t i = 0; i < scores.size(); ++i) {
        const float weight = flash::weight_of(scores[i], max, scale2);
        state.sums[flash::lane_of_column(i)] += weight;
        weights.push_back(to_bits(weight, problem.format()));
    }
    std::vector<HalfBits> column(problem.tile.keys, HalfBits{0});
    for (std::uint32_t e = 0; e < d; ++e) {
        for (std::uint32_t key = begin; key < end; ++key) {
            column[key - begin] = operands.value(key)[e];
        }
        state.output[e] =
            dot(problem, weights.data(), column.data(), problem.tile.keys, state.output[e]);
    }
}

/// Output of a part of the keys, divided by its sum of weights, and the logarithm of that sum.
float finish(const FlashProblem& problem, RowState& state) {
    const float sum = flash::row_sum(state.sums.data());
    const float factor = sum > 0 ? 1 / sum : 1;
    for (float& output : state.output) output *= factor;
    return flash::log_of_sum(state.max, sum, problem.scale);
}

}  // namespace

std::vector<HalfBits> golden_row(const FlashProblem& problem, std::uint32_t row,
                                 const FlashOperands& operands) {
    std::vector<RowState> parts;
    std::vector<float> factors;
    for (std::uint32_t split = 0; split < problem.splits; ++split) {
        const FlashProblem::Blocks blocks = problem.blocks(row / problem.tile.rows, split);
        RowState& state = parts.emplace_back();
        state.output.assign(problem.head_size, 0);
        for (std::uint32_t tile = blocks.end; tile-- > blocks.first;) {
            add_tile(problem, row, tile, operands, state);
        }
        factors.push_back(finish(problem, state));
    }
    std::vector<HalfBits> result;
    if (problem.splits > 1) flash::factors_of_parts(factors.data(), problem.splits);
    for (std::uint32_t e = 0; e < problem.head_size; ++e) {
        float total = parts[0].output[e];
        if (problem.splits > 1) {
            total = 0;
            for (std::uint32_t split = 0; split < problem.splits; ++split) {
                total = static_cast<float>(double{factors[split]} * double{parts[split].output[e]} +
                                           total);
            }
        }
        result.push_back(to_bits(total, problem.format()));
    }
    return result;
}

std::vector<AttentionReference> defined_row(const FlashProblem& problem, std::uint32_t row,
                                            const FlashOperands& operands) {
    const bool bf16 = problem.operands == OperandType::kBf16;
    const double half_ulp = bf16 ? 0x1p-8 : 0x1p-11, small_half = bf16 ? 0x1p-134 : 0x1p-25;
    constexpr double kFloatUlp = 0x1p-23;
    constexpr double kTermsCut = 5;  // of a dot product of four
    const std::uint32_t met = problem.keys_of_row(row), d = problem.head_size;
    const auto number = [format = problem.format()](HalfBits bits) {
        return to_float(bits, format);
    };
    std::vector<double> scores;
    double max = -std::numeric_limits<double>::infinity(), magnitude = 0, largest = 0;
    for (std::uint32_t key = 0; key < met; ++key) {
        const HalfBits* const k = operands.key(key);
        double sum = 0, all = 0;
        for (std::uint32_t e = 0; e < d; ++e) {
            const double product = double{number(operands.query[e])} * double{number(k[e])};
            sum += product;
            all += std::fabs(product);
        }
        scores.push_back(sum * problem.scale);
        if (operands.mask != nullptr) scores.back() += number(operands.mask[key]);
        max = std::max(max, scores.back());
        magnitude = std::max(magnitude, all);
        largest = std::max(largest, std::fabs(scores.back()));
    }
    double weights = 0;
    std::vector<double> sums(d), sizes(d), extremes(d);
    for (std::uint32_t key = 0; key < met; ++key) {
        const double weight = exp_of(scores[key] - max);
        const HalfBits* const v = operands.value(key);
        weights += weight;
        for (std::uint32_t e = 0; e < d; ++e) {
            const double value = number(v[e]);
            sums[e] += weight * value;
            sizes[e] += weight * std::fabs(value);
            extremes[e] = std::max(extremes[e], std::fabs(value));
        }
    }
    const double of_scores = kTermsCut * (d / kDotProduct) * kFloatUlp * magnitude * problem.scale;
    const double of_arguments = 4 * kFloatUlp * (largest + std::fabs(max) + 1);
    const double of_sums = (kTermsCut / kDotProduct * met + 2.0 * met) * kFloatUlp;
    const double relative =
        half_ulp + std::expm1(2 * (of_scores + of_arguments)) + of_sums + 16 * kFloatUlp;
    std::vector<AttentionReference> result;
    for (std::uint32_t e = 0; e < d; ++e) {
        const double value = sums[e] / weights;
        const double bound = 1.01 * (relative * (sizes[e] / weights + std::fabs(value)) +
                                     met * small_half * extremes[e] / weights +
                                     half_ulp * std::fabs(value) + small_half);
        result.push_back({value, bound});
    }
    return result;
}

}  // namespace tessera
