#include "sc_models/tensor_core/spwmma.h"

#include <algorithm>
#include <cmath>

#include "sc_models/tensor_core/condensing.h"
#include "sc_models/tensor_core/feop.h"
#include "sc_models/tensor_core/vector_clones.h"

namespace tessera {
namespace {

/// The values of one k as 32 lines, zero where the mask has none; returns what follows them.
const HalfBits* expand(std::uint32_t mask, const HalfBits* values, float* lines) {
    std::fill_n(lines, kTileSize, 0.0F);
    for (; mask != 0; mask &= mask - 1) {
        lines[__builtin_ctz(mask)] = half_to_float(*values++);
    }
    return values;
}

/// acc += a x b for the rows in `mask`; finite values only, so that a zero in `b` changes nothing.
TESSERA_VECTOR_CLONES void outer_product(std::uint32_t mask, const float* a, const float* b,
                                         float* acc) {
    for (; mask != 0; mask &= mask - 1) {
        const auto row = static_cast<std::uint32_t>(__builtin_ctz(mask));
        float* const sums = acc + row * kTileSize;
        const float factor = a[row];
        for (std::uint32_t column = 0; column < kTileSize; ++column) {
            // The product is exact, so that a fused addition rounds to the same sum.
            sums[column] += factor * b[column];
        }
    }
}

/// The same one element at a time, for any values.
void outer_product_any(std::uint32_t mask_a, std::uint32_t mask_b, const HalfBits* a,
                       const HalfBits* b, float* acc) {
    for (std::uint32_t rows = mask_a; rows != 0; rows &= rows - 1, ++a) {
        const HalfBits* value = b;
        for (std::uint32_t columns = mask_b; columns != 0; columns &= columns - 1, ++value) {
            float& sum = acc[static_cast<std::uint32_t>(__builtin_ctz(rows)) * kTileSize +
                             static_cast<std::uint32_t>(__builtin_ctz(columns))];
            sum = float_from_bits(fp32_add(float_bits(sum), fp16_product(*a, *value)));
        }
    }
}

bool nonfinite(const HalfBits* values, std::uint32_t count) {
    return std::any_of(values, values + count,
                       [](HalfBits value) { return (value & 0x7c00U) == 0x7c00U; });
}

}  // namespace

SpwmmaSequencer::SpwmmaSequencer(const SpwmmaConfig& config, bool values)
    : config_(config), values_(values) {
    const auto initiation = static_cast<std::uint32_t>(std::ceil(config.ohmma_cycles));
    if (config.accumulation == AccumulationDetail::kMemo) {
        memo_ = &AccumulationMemo::shared(config.buffer, initiation);
    } else if (config.accumulation == AccumulationDetail::kCollector) {
        AccumulationBufferConfig buffer = config.buffer;
        buffer.values = values;
        stream_.emplace(buffer, initiation);
    }
}

Cycle SpwmmaSequencer::run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) {
    work.nonfinite_tiles += a.nonfinite || b.nonfinite ? 1 : 0;
    std::uint32_t halves = 0;
    std::uint32_t sets = 0;
    std::uint32_t additions = 0;
    double accumulate = 0;
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) {
        const std::uint32_t na = a.counts[k];
        const std::uint32_t nb = b.counts[k];
        if (na == 0 || nb == 0) continue;
        ++sets;
        halves += half_ohmmas(config_.granularity, na, nb);
        additions += na * nb;
        if (memo_ != nullptr) {
            accumulate += static_cast<double>(memo_->cycles(na, nb));
        } else if (config_.accumulation == AccumulationDetail::kExact) {
            accumulate += exact_cycles(a.masks[k], b.masks[k]);
        }
    }
    const std::uint32_t ohmmas = (halves + 1) / 2;
    const std::uint32_t off = kSpwmmaDepth * kOhmmasPerSet - ohmmas;
    double tensor = 0.5 * halves * config_.ohmma_cycles + sets * config_.bohmma_cycles;
    if (config_.issue == SpwmmaIssue::kPredicated) tensor += off;

    work.k_sets += sets;
    work.ohmmas += ohmmas;
    work.skipped += off;
    work.additions += additions;
    const std::uint64_t collector_begin = collected() ? stream_->cycles() : 0;
    if (values_) {
        multiply(a, b);
    } else if (collected()) {
        for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) stream_->k_set(a.masks[k], b.masks[k]);
    }
    if (collected()) accumulate = static_cast<double>(stream_->cycles() - collector_begin);

    work.tensor_cycles += static_cast<std::uint64_t>(std::lround(tensor));
    work.accumulate_cycles += static_cast<std::uint64_t>(std::lround(accumulate));
    const double cycles = std::max(tensor, accumulate) + remainder_;
    const double whole = std::floor(cycles);
    remainder_ = cycles - whole;
    return static_cast<Cycle>(whole);
}

double SpwmmaSequencer::exact_cycles(std::uint32_t a, std::uint32_t b) {
    double cycles = 0;
    const AccumulationBufferConfig& buffer = config_.buffer;
    for (std::uint32_t i = 0;; ++i) {
        const auto rows = condensed_group<kOhmmaRows>(a, i);
        if (rows.valid == 0) return cycles;
        for (std::uint32_t j = 0;; ++j) {
            const auto columns = condensed_group<kOhmmaColumns>(b, j);
            if (columns.valid == 0) break;
            std::array<std::uint8_t, 256> load{};
            std::uint8_t fullest = 0;
            for (std::uint32_t r = 0; (rows.valid >> r & 1U) != 0; ++r) {
                for (std::uint32_t c = 0; (columns.valid >> c & 1U) != 0; ++c) {
                    const BankWord place =
                        bank_word(buffer.map, buffer.banks, rows.index[r], columns.index[c]);
                    fullest = std::max(fullest, ++load[place.bank]);
                }
            }
            cycles += std::max<double>(fullest, config_.ohmma_cycles);
        }
    }
}

void SpwmmaSequencer::multiply(const SpwmmaTile& a, const SpwmmaTile& b) {
    const HalfBits* values_a = a.values;
    const HalfBits* values_b = b.values;
    std::array<float, kTileSize> lines_a;
    std::array<float, kTileSize> lines_b;
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) {
        const std::uint32_t mask_a = a.masks[k];
        const std::uint32_t mask_b = b.masks[k];
        const HalfBits* const next_a = values_a + a.counts[k];
        const HalfBits* const next_b = values_b + b.counts[k];
        if (collected()) {
            std::array<std::uint32_t, kTileElements> products{};
            const HalfBits* value_a = values_a;
            for (std::uint32_t rows = mask_a; rows != 0; rows &= rows - 1, ++value_a) {
                const HalfBits* value_b = values_b;
                for (std::uint32_t columns = mask_b; columns != 0;
                     columns &= columns - 1, ++value_b) {
                    products[static_cast<std::uint32_t>(__builtin_ctz(rows)) * kTileSize +
                             static_cast<std::uint32_t>(__builtin_ctz(columns))] =
                        fp16_product(*value_a, *value_b);
                }
            }
            stream_->k_set(mask_a, mask_b, products.data());
        } else if (mask_a != 0 && mask_b != 0) {
            if (nonfinite(values_a, a.counts[k]) || nonfinite(values_b, b.counts[k])) {
                outer_product_any(mask_a, mask_b, values_a, values_b, accumulators_.data());
            } else {
                expand(mask_a, values_a, lines_a.data());
                expand(mask_b, values_b, lines_b.data());
                outer_product(mask_a, lines_a.data(), lines_b.data(), accumulators_.data());
            }
        }
        values_a = next_a;
        values_b = next_b;
    }
}

Cycle SpwmmaSequencer::drain() {
    if (!collected()) return 0;
    const std::uint64_t begin = stream_->cycles();
    stream_->finish();
    return stream_->cycles() - begin;
}

void SpwmmaSequencer::load(const float* tile) {
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const float value = tile[i] == 0 ? 0.0F : tile[i];
        if (collected()) {
            stream_->buffer().set_value(i / kTileSize, i % kTileSize, float_bits(value));
        } else {
            accumulators_[i] = value;
        }
    }
}

void SpwmmaSequencer::store(float* tile) {
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const float value =
            collected() ? float_from_bits(stream_->buffer().value(i / kTileSize, i % kTileSize))
                        : accumulators_[i];
        tile[i] = std::isnan(value) ? float_from_bits(kFeopNan) : value;
    }
}

}  // namespace tessera
