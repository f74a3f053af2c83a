#include "sc_models/tensor_core/spwmma.h"

#include <algorithm>
#include <cmath>

#include "sc_models/tensor_core/condensing.h"
#include "sc_models/tensor_core/feop.h"
#include "sc_models/tensor_core/vector_clones.h"

namespace tessera {
namespace {

/// Expands the values of one k to 32 lines, zero where the mask bit is clear.
void expand(std::uint32_t mask, const HalfBits* values, float* lines) {
    std::fill_n(lines, kTileSize, 0.0F);
    for (; mask != 0; mask &= mask - 1) {
        lines[__builtin_ctz(mask)] = half_to_float(*values++);
    }
}

/// Bit 2 i + j: OHMMA (i, j) of 8x16 has rows and columns.
std::uint8_t predicates(std::uint32_t a, std::uint32_t b) {
    std::uint32_t on = 0;
    for (std::uint32_t i = 0; 8 * i < a; ++i) on |= (b > 16 ? 3U : 1U) << (2 * i);
    return static_cast<std::uint8_t>(on);
}

/// Computes acc += a x b for the rows in `mask`; finite values only, so that a zero in `b` changes
/// nothing.
TESSERA_VECTOR_CLONES void outer_product(std::uint32_t mask, const float* a, const float* b,
                                         float* acc) {
    for (; mask != 0; mask &= mask - 1) {
        const auto row = static_cast<std::uint32_t>(__builtin_ctz(mask));
        float* const sums = acc + row * kTileSize;
        const float factor = a[row];
        for (std::uint32_t column = 0; column < kTileSize; ++column) {
            // The product is exact, so a fused addition rounds to the same sum.
            sums[column] += factor * b[column];
        }
    }
}

/// Computes the same element by element, for any values.
// NOLINTBEGIN(readability-non-const-parameter): the sums are written through a reference
void outer_product_any(std::uint32_t mask_a, std::uint32_t mask_b, const HalfBits* a,
                       const HalfBits* b, float* acc) {
    // NOLINTEND(readability-non-const-parameter)
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
    std::uint32_t halves = 0;
    double tensor = 0;
    double accumulate = 0;
    const HalfBits* values_a = a.values;
    const HalfBits* values_b = b.values;
    if (sets_ != nullptr) sets_->clear();
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) {
        const std::uint32_t na = a.counts[k];
        const std::uint32_t nb = b.counts[k];
        const std::uint32_t set_halves = half_ohmmas(config_.granularity, na, nb);
        double set_tensor = 0.5 * set_halves * config_.ohmma_cycles;
        if (config_.issue == SpwmmaIssue::kPredicated)
            set_tensor += kOhmmasPerSet - 0.5 * set_halves;
        double set_accumulate = 0;
        if (na > 0 && nb > 0) {
            ++work.k_sets;
            work.additions += na * nb;
            set_tensor += config_.bohmma_cycles;
            set_accumulate = accumulate_set(k, a, b, values_a, values_b);
            if (sets_ != nullptr) {
                sets_->push_back({static_cast<Cycle>(std::max(tensor, accumulate)),
                                  static_cast<std::uint8_t>(na), static_cast<std::uint8_t>(nb),
                                  predicates(na, nb),
                                  static_cast<std::uint32_t>(
                                      std::lround(std::max(0.0, set_accumulate - set_tensor)))});
            }
        }
        values_a += values_ ? na : 0;
        values_b += values_ ? nb : 0;
        halves += set_halves;
        tensor += set_tensor;
        accumulate += set_accumulate;
    }
    const std::uint32_t ohmmas = (halves + 1) / 2;
    work.ohmmas += ohmmas;
    work.skipped += kSpwmmaDepth * kOhmmasPerSet - ohmmas;
    work.nonfinite_tiles += a.nonfinite || b.nonfinite ? 1 : 0;
    work.tensor_cycles += static_cast<std::uint64_t>(std::lround(tensor));
    work.accumulate_cycles += static_cast<std::uint64_t>(std::lround(accumulate));
    const double cycles = std::max(tensor, accumulate) + remainder_;
    const double whole = std::floor(cycles);
    remainder_ = cycles - whole;
    return static_cast<Cycle>(whole);
}

double SpwmmaSequencer::accumulate_set(std::uint32_t k, const SpwmmaTile& a, const SpwmmaTile& b,
                                       const HalfBits* values_a, const HalfBits* values_b) {
    const std::uint64_t begin = collected() ? stream_->cycles() : 0;
    if (values_) {
        multiply_set(k, a, b, values_a, values_b);
    } else if (collected()) {
        stream_->k_set(a.masks[k], b.masks[k]);
    }
    if (collected()) return static_cast<double>(stream_->cycles() - begin);
    if (memo_ != nullptr) return static_cast<double>(memo_->cycles(a.counts[k], b.counts[k]));
    if (config_.accumulation == AccumulationDetail::kExact) {
        return exact_cycles(a.masks[k], b.masks[k]);
    }
    return 0;
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

void SpwmmaSequencer::multiply_set(std::uint32_t k, const SpwmmaTile& a, const SpwmmaTile& b,
                                   const HalfBits* values_a, const HalfBits* values_b) {
    const std::uint32_t mask_a = a.masks[k];
    const std::uint32_t mask_b = b.masks[k];
    if (collected()) {
        std::array<std::uint32_t, kTileElements> products{};
        for (std::uint32_t rows = mask_a; rows != 0; rows &= rows - 1, ++values_a) {
            const HalfBits* value_b = values_b;
            for (std::uint32_t columns = mask_b; columns != 0; columns &= columns - 1, ++value_b) {
                products[static_cast<std::uint32_t>(__builtin_ctz(rows)) * kTileSize +
                         static_cast<std::uint32_t>(__builtin_ctz(columns))] =
                    fp16_product(*values_a, *value_b);
            }
        }
        stream_->k_set(mask_a, mask_b, products.data());
    } else if (nonfinite(values_a, a.counts[k]) || nonfinite(values_b, b.counts[k])) {
        outer_product_any(mask_a, mask_b, values_a, values_b, accumulators_.data());
    } else {
        std::array<float, kTileSize> lines_a;  // NOLINT(*-member-init): expand() fills it
        std::array<float, kTileSize> lines_b;  // NOLINT(*-member-init): the same
        expand(mask_a, values_a, lines_a.data());
        expand(mask_b, values_b, lines_b.data());
        outer_product(mask_a, lines_a.data(), lines_b.data(), accumulators_.data());
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
