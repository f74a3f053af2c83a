#include "sc_models/workload/attention/flash_attention.h"

#include <fmt/format.h>
#include <cmath>

#include "sc_models/workload/attention/combine_kernel.h"
#include "sc_models/workload/attention/flash3_kernel.h"
#include "sc_models/workload/attention/flash_golden.h"
#include "sc_models/workload/attention/flash_kernel.h"
#include "sc_models/workload/given_layer.h"
#include "sc_models/workload/value_generator.h"

namespace tessera {
namespace {

using Tensor = ValueGenerator::Tensor;

std::string attention_name(const WorkloadConfig& config) {
    const AttentionConfig& a = config.attention;
    if (!config.layer.name.empty()) return config.layer.name;
    const bool decode = a.operation == AttentionOperation::kDecode;
    return fmt::format("attention_{}.{}x{}x{}", decode ? "decode" : "prefill", a.batch, a.heads,
                       a.context + (decode ? 1 : a.tokens));
}

}  // namespace

FlashAttention::FlashAttention(const WorkloadConfig& config, std::uint64_t seed, bool values,
                               const TargetMachine& machine)
    : Workload(attention_name(config), config, seed, values), kv_heads_(config.attention.kv_heads) {
    const AttentionConfig& a = config.attention;
    const bool decode = a.operation == AttentionOperation::kDecode;
    const std::uint32_t sharing = a.heads / a.kv_heads;
    problem_.batch = a.batch;
    problem_.heads = decode ? a.kv_heads : a.heads;
    problem_.rows = decode ? sharing : a.tokens;
    problem_.keys = a.context + (decode ? 1 : a.tokens);
    problem_.head_size = a.head_size;
    problem_.operands = a.operands;
    problem_.heads_of_keys = decode ? 1 : sharing;
    problem_.causal = !decode && a.causal;
    problem_.masked = !decode && a.mask == AttentionMask::kKeys;
    problem_.scale = 1 / std::sqrt(static_cast<float>(a.head_size));
    problem_.tile = prefill_tile(a.head_size);
    if (decode) {
        problem_.tile = decode_tile(a.head_size, true);
        const std::uint32_t blocks = ceil_div(problem_.keys, problem_.tile.keys);
        const std::uint64_t ctas = std::uint64_t{problem_.batch} * problem_.heads;
        const std::uint32_t wanted = a.splits == AttentionConfig::kAutoSplits
                                         ? choose_splits(ctas, machine.sms, blocks)
                                         : std::min(a.splits, blocks);
        const std::uint32_t of_split = ceil_div(blocks, wanted);
        problem_.splits = ceil_div(blocks, of_split);
        if (problem_.splits > 1) {
            problem_.blocks_of_split = of_split;
        } else {
            problem_.tile = decode_tile(a.head_size, false);
        }
        problem_.page_tokens = a.page_tokens;
    }
    const bool flash3 =
        a.is_by_warpgroups(machine.warpgroup_products_per_cycle > 0 && machine.bulk_copies);
    if (flash3) problem_.tile = warpgroup_tile(a.head_size, a.causal);
    place(a);
    if (flash3) {
        add(std::make_unique<Flash3Kernel>(name(), problem_, machine.sms,
                                           machine.multicast && a.shares_keys()));
        return;
    }
    add(std::make_unique<FlashKernel>(name(), problem_));
    if (problem_.splits > 1) {
        add_completion(std::make_unique<CombineKernel>(name() + ".combine", problem_));
    }
}

/// A tensor whose tokens have their heads side by side, or heads their tokens.
HeadTensor FlashAttention::tensor_of(std::uint32_t heads, std::uint64_t tokens,
                                     bool heads_first) const {
    const std::uint64_t head = std::uint64_t{problem_.head_size} * sizeof(HalfBits);
    if (heads_first) return {0, heads * tokens * head, head, tokens * head};
    return {0, heads * tokens * head, heads * head, head};
}

/// Where tokens are rows of one head, rows are the heads of the token that share keys.
void FlashAttention::place(const AttentionConfig& a) {
    const bool decode = a.operation == AttentionOperation::kDecode;
    const bool heads_first = !decode && (a.layout == AttentionLayout::kHeads ||
                                         a.layout == AttentionLayout::kHeadsToTokens);
    const std::uint64_t head = std::uint64_t{problem_.head_size} * sizeof(HalfBits);
    problem_.queries = tensor_of(a.heads, decode ? 1 : a.tokens, heads_first);
    problem_.result =
        tensor_of(a.heads, decode ? 1 : a.tokens, !decode && a.layout == AttentionLayout::kHeads);
    const std::uint64_t sequence = problem_.queries.sequence_bytes;
    if (decode) problem_.queries = problem_.result = {0, sequence, head, problem_.rows * head};
    if (!decode && a.layout == AttentionLayout::kPacked) {
        const HeadTensor all = tensor_of(a.heads + 2 * kv_heads_, a.tokens, false);
        problem_.queries = problem_.keys_at = problem_.values_at = all;
        const Address base = allocate("packed", problem_.batch * all.sequence_bytes);
        problem_.queries.base = base;
        problem_.keys_at.base = base + a.heads * head;
        problem_.values_at.base = problem_.keys_at.base + kv_heads_ * head;
    } else {
        problem_.queries.base = allocate("queries", problem_.batch * sequence);
        place_cache(heads_first);
    }
    if (problem_.masked) {
        problem_.mask = allocate(
            "mask", std::uint64_t{problem_.batch} * problem_.keys * FlashProblem::kMaskBytes);
    }
    problem_.result.base = allocate("result", problem_.batch * sequence);
    if (problem_.splits <= 1) return;
    const std::uint64_t rows = problem_.splits * problem_.all_rows();
    problem_.sums = allocate("sums", rows * problem_.head_size * sizeof(float));
    problem_.logs = allocate("logs", rows * sizeof(float));
}

/// Keys and values of all tokens, contiguous or in pages.
void FlashAttention::place_cache(bool heads_first) {
    const std::uint64_t tokens = problem_.page_tokens == 0
                                     ? problem_.keys
                                     : std::uint64_t{problem_.pages()} * problem_.page_tokens;
    problem_.keys_at = problem_.values_at = tensor_of(kv_heads_, tokens, heads_first);
    const std::uint64_t bytes = problem_.batch * problem_.keys_at.sequence_bytes;
    problem_.keys_at.base = allocate("keys", bytes);
    problem_.values_at.base = allocate("values", bytes);
    if (problem_.page_tokens == 0) return;
    problem_.page_table = allocate(
        "page_table", std::uint64_t{problem_.batch} * problem_.pages() * sizeof(std::uint32_t));
}

std::vector<HalfBits> FlashAttention::given_rows(const HeadTensor& tensor, std::size_t operand,
                                                 std::uint32_t rows, std::uint32_t sequence,
                                                 std::uint32_t head) const {
    const bool packed = config().attention.layout == AttentionLayout::kPacked;
    const std::vector<HalfBits>& elements =
        *GivenLayer::known(config().given_layer->operands.at(packed ? 0 : operand));
    const Address base = packed ? problem_.queries.base : tensor.base;
    std::vector<HalfBits> all;
    for (std::uint32_t row = 0; row < rows; ++row) {
        const std::uint64_t first = (tensor.at(sequence, row, head) - base) / sizeof(HalfBits);
        const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(first);
        all.insert(all.end(), begin, begin + problem_.head_size);
    }
    return all;
}

std::vector<HalfBits> FlashAttention::cached(std::uint32_t sequence, std::uint32_t head,
                                             bool of_values) const {
    if (config().given_layer != nullptr) {
        return given_rows(of_values ? problem_.values_at : problem_.keys_at, of_values ? 2 : 1,
                          problem_.keys, sequence, head);
    }
    const ValueGenerator generator =
        ValueGenerator(seed(), of_values ? Tensor::kGradients : Tensor::kWeights, config().weights)
            .as_type(problem_.operands, problem_.head_size);
    const std::uint64_t count = std::uint64_t{problem_.keys} * problem_.head_size;
    const std::uint64_t first = (std::uint64_t{sequence} * kv_heads_ + head) * count;
    return generator.range(first, count);
}

HalfBits FlashAttention::expected(Address address, HalfBits golden) const {
    const GivenLayer* const layer = config().given_layer.get();
    if (layer == nullptr || layer->result == nullptr) return golden;
    return layer->result->at((address - problem_.result.base) / sizeof(HalfBits));
}

std::vector<HalfBits> FlashAttention::mask(std::uint32_t sequence) const {
    if (!problem_.masked) return {};
    const std::uint64_t first = std::uint64_t{sequence} * problem_.keys;
    if (config().given_layer != nullptr) {
        const auto begin = GivenLayer::known(config().given_layer->operands.back())->begin() +
                           static_cast<std::ptrdiff_t>(first);
        return {begin, begin + problem_.keys};
    }
    constexpr float kPadding = -10000, kLastQuarter = -0.5;  // of numbers from -1 to 1
    const ValueGenerator generator(seed(), Tensor::kSums, ValuePattern::kUniform);
    std::vector<HalfBits> halves(problem_.keys);
    for (std::uint32_t key = 0; key < problem_.keys; ++key) {
        const float number = generator.single(first + key);
        halves[key] = to_bits(number < kLastQuarter ? kPadding : number, problem_.format());
    }
    return halves;
}

std::vector<HalfBits> FlashAttention::queries(std::uint32_t sequence, std::uint32_t head) const {
    if (config().given_layer != nullptr) {
        return given_rows(problem_.queries, 0, problem_.rows, sequence, head);
    }
    const ValueGenerator generator =
        ValueGenerator(seed(), Tensor::kActivations, config().activations)
            .as_type(problem_.operands, problem_.head_size);
    const std::uint64_t count = std::uint64_t{problem_.rows} * problem_.head_size;
    const std::uint64_t first = (std::uint64_t{sequence} * problem_.heads + head) * count;
    return generator.range(first, count);
}

void FlashAttention::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    const std::uint32_t d = problem_.head_size;
    for (std::uint32_t sequence = 0; sequence < problem_.batch; ++sequence) {
        for (std::uint32_t head = 0; head < problem_.heads; ++head) {
            const std::vector<HalfBits> rows = queries(sequence, head);
            for (std::uint32_t row = 0; row < problem_.rows; ++row) {
                write(problem_.queries.at(sequence, row, head), &rows[std::uint64_t{row} * d],
                      d * sizeof(HalfBits));
            }
        }
        for (std::uint32_t head = 0; head < kv_heads_; ++head) {
            for (const bool of_values : {false, true}) {
                const HeadTensor& tensor = of_values ? problem_.values_at : problem_.keys_at;
                const std::vector<HalfBits> rows = cached(sequence, head, of_values);
                for (std::uint32_t key = 0; key < problem_.keys; ++key) {
                    write(problem_.cached_row(tensor, sequence, key, head),
                          &rows[std::uint64_t{key} * d], d * sizeof(HalfBits));
                }
            }
        }
        if (problem_.masked) {
            const std::vector<HalfBits> of_keys = mask(sequence);
            write(problem_.mask_at(sequence, 0), of_keys.data(),
                  of_keys.size() * FlashProblem::kMaskBytes);
        }
        for (std::uint32_t page = 0; page < problem_.pages(); ++page) {
            const auto number = static_cast<std::uint32_t>(problem_.physical_page(sequence, page));
            const std::uint64_t entry = std::uint64_t{sequence} * problem_.pages() + page;
            write(problem_.page_table + entry * sizeof number, &number, sizeof number);
        }
    }
}

VerificationReport FlashAttention::verify(const MemoryReader& read, TensorCoreKind /*kind*/) const {
    VerificationReport report;
    if (!values()) return report;
    report.checked = true;
    const std::uint32_t d = problem_.head_size;
    std::vector<HalfBits> got(d);
    for (std::uint32_t sequence = 0; sequence < problem_.batch; ++sequence) {
        const std::vector<HalfBits> mask_of_keys = mask(sequence);
        for (std::uint32_t head = 0; head < problem_.heads; ++head) {
            const std::vector<HalfBits> rows = queries(sequence, head);
            const std::uint32_t of_keys = head / problem_.heads_of_keys;
            const std::vector<HalfBits> keys = cached(sequence, of_keys, false);
            const std::vector<HalfBits> elements = cached(sequence, of_keys, true);
            for (std::uint32_t row = 0; row < problem_.rows; ++row) {
                const FlashOperands operands{
                    &rows[std::uint64_t{row} * d],
                    [&](std::uint32_t key) { return &keys[std::uint64_t{key} * d]; },
                    [&](std::uint32_t key) { return &elements[std::uint64_t{key} * d]; },
                    problem_.masked ? mask_of_keys.data() : nullptr};
                const std::vector<HalfBits> golden = golden_row(problem_, row, operands);
                const std::vector<AttentionReference> defined =
                    defined_row(problem_, row, operands);
                read(problem_.result.at(sequence, row, head), got.data(), d * sizeof(HalfBits));
                for (std::uint32_t e = 0; e < d; ++e) {
                    ++report.outputs;
                    ++report.scalar_samples;
                    const bool same = got[e] == golden[e];
                    const auto is_near = [&](HalfBits half) {
                        const double off =
                            std::fabs(to_float(half, problem_.format()) - defined[e].value);
                        return off <= defined[e].bound;
                    };
                    const HalfBits network = expected(
                        problem_.result.at(sequence, row, head) + e * sizeof(HalfBits), golden[e]);
                    const bool near = is_near(golden[e]) && is_near(network);
                    report.mismatches += same ? 0 : 1;
                    report.scalar_mismatches += near ? 0 : 1;
                    if ((same && near) || !report.first_mismatch.empty()) continue;
                    report.first_mismatch = fmt::format(
                        "result[{}][{}][{}][{}]: expected {} ({} by definition, within {}), got {}",
                        sequence, head, row, e, to_float(golden[e], problem_.format()),
                        defined[e].value, defined[e].bound, to_float(got[e], problem_.format()));
                }
            }
        }
    }
    return report;
}

}  // namespace tessera
