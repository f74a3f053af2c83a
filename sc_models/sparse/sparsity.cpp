#include "sc_models/sparse/sparsity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/common/splitmix.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/sparse/matrix_market.h"
#include "sc_models/tensor_core/vector_clones.h"

namespace tessera {
namespace {

constexpr std::uint64_t kPatternSalt = 0x6b697373;  // separates patterns from values
constexpr std::uint64_t kValueSalt = 0x76616c73;

/// Draws 32 random bits each for lines `line` to `line` + 31 at one k; `line` is a multiple of 32.
TESSERA_INLINE void draw_lines(std::uint64_t key, std::uint64_t line, std::uint32_t* random) {
    for (std::uint64_t pair = 0; pair < kSparseTileLines / 2; ++pair) {
        const std::uint64_t drawn = splitmix_at(key, line / 2 + pair);
        random[pair] = static_cast<std::uint32_t>(drawn);
        random[pair + kSparseTileLines / 2] = static_cast<std::uint32_t>(drawn >> 32U);
    }
}

TESSERA_VECTOR_CLONES void draw_uniform(std::uint64_t key, std::uint64_t line, std::uint64_t first,
                                        std::uint64_t keep_below, std::uint32_t* masks) {
    for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
        std::uint32_t random[kSparseTileLines];
        draw_lines(splitmix_at(key, first + l), line, random);
        std::uint32_t mask = 0;
        for (std::uint32_t r = 0; r < kSparseTileLines; ++r) {
            mask |= static_cast<std::uint32_t>(random[r] < keep_below) << r;
        }
        masks[l] = mask;
    }
}

}  // namespace

SparsityGenerator::SparsityGenerator(const SparsityConfig& config, std::uint64_t seed,
                                     SparseOperand operand)
    : pattern_(config.pattern),
      keep_below_(static_cast<std::uint64_t>(std::llround((1 - config.sparsity) * 0x1p32))),
      alpha_((1 - config.sparsity) * config.concentration),
      concentration_(config.concentration),
      kept_of_16_(static_cast<std::uint32_t>(std::lround((1 - config.sparsity) * kSparseTileK))) {
    const auto fail = [&](const char* expected) {
        throw ConfigError(std::string("workload.sparse.") +
                          (operand == SparseOperand::kA ? "a" : "b") + ".sparsity: got " +
                          real_text(config.sparsity) + ", expected " + expected);
    };
    if (!(config.sparsity >= 0 && config.sparsity <= 1)) fail("a number from 0 to 1");
    if (pattern_ == SparsityPattern::kVectorWise &&
        kept_of_16_ != (1 - config.sparsity) * kSparseTileK) {
        fail("sixteenths (0.75, ...) with pattern vector_wise");
    }
    const std::uint64_t key = splitmix_key(seed, static_cast<std::uint64_t>(operand));
    pattern_key_ = splitmix(key ^ kPatternSalt);
    value_key_ = splitmix(key ^ kValueSalt);
}

void SparsityGenerator::masks(std::uint32_t line_tile, std::uint32_t k_tile,
                              std::uint32_t* masks) const {
    const std::uint64_t line = std::uint64_t{line_tile} * kSparseTileLines;
    const std::uint64_t k = std::uint64_t{k_tile} * kSparseTileK;
    switch (pattern_) {
        case SparsityPattern::kUniform:
            draw_uniform(pattern_key_, line, k, keep_below_, masks);
            return;
        case SparsityPattern::kClustered:
            clustered(line, k, masks);
            return;
        case SparsityPattern::kVectorWise:
            vector_wise(line, k, masks);
            return;
        case SparsityPattern::kBlocks:
            blocks(line, k, masks);
            return;
    }
}

// Polya's urn gives the beta-binomial distribution without a draw from the beta distribution: after
// i elements, n of them kept, the next is kept with probability (alpha + n) / (s + i).
void SparsityGenerator::clustered(std::uint64_t line, std::uint64_t k, std::uint32_t* masks) const {
    for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
        std::uint32_t random[kSparseTileLines];
        draw_lines(splitmix_at(pattern_key_, k + l), line, random);
        std::uint32_t mask = 0;
        std::uint32_t kept = 0;
        for (std::uint32_t r = 0; r < kSparseTileLines; ++r) {
            // The middle of the interval makes probabilities of 0 and 1 certain.
            const double uniform = (random[r] + 0.5) * 0x1p-32;
            if (uniform * (concentration_ + r) >= alpha_ + kept) continue;
            mask |= 1U << r;
            ++kept;
        }
        masks[l] = mask;
    }
}

// Selection sampling: keeps the elements still needed out of those left.
void SparsityGenerator::vector_wise(std::uint64_t line, std::uint64_t k,
                                    std::uint32_t* masks) const {
    std::uint32_t wanted[kSparseTileLines];
    std::fill_n(wanted, kSparseTileLines, kept_of_16_);
    for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
        std::uint32_t random[kSparseTileLines];
        draw_lines(splitmix_at(pattern_key_, k + l), line, random);
        std::uint32_t mask = 0;
        for (std::uint32_t r = 0; r < kSparseTileLines; ++r) {
            const std::uint64_t drawn = std::uint64_t{random[r]} * (kSparseTileK - l) >> 32U;
            if (drawn >= wanted[r]) continue;
            mask |= 1U << r;
            --wanted[r];
        }
        masks[l] = mask;
    }
}

void SparsityGenerator::blocks(std::uint64_t line, std::uint64_t k, std::uint32_t* masks) const {
    constexpr std::uint64_t kEdge = 32;
    const auto drawn =
        static_cast<std::uint32_t>(splitmix_at(splitmix_at(pattern_key_, k / kEdge), line / kEdge));
    std::fill_n(masks, kSparseTileK, drawn < keep_below_ ? ~0U : 0U);
}

HalfBits SparsityGenerator::value(std::uint64_t line, std::uint64_t k) const {
    const std::uint64_t drawn = splitmix_at(splitmix_at(value_key_, k), line);
    const std::int32_t odd = 2 * static_cast<std::int32_t>(drawn >> 40U) + 1 - (1 << 24);
    return float_to_half(static_cast<float>(odd) * 0x1p-24F);
}

BitmapMatrix SparsityGenerator::make(std::uint64_t lines, std::uint64_t k, bool values) const {
    const auto source = [this](std::uint32_t line_tile, std::uint32_t k_tile, std::uint32_t* into) {
        masks(line_tile, k_tile, into);
    };
    if (!values) return BitmapMatrix::pattern(lines, k, source);
    return BitmapMatrix::from_masks(
        lines, k, source, [this](std::uint64_t line, std::uint64_t l) { return value(line, l); });
}

BitmapMatrix make_sparse_operand(const SparsityConfig& config, std::uint64_t seed,
                                 SparseOperand operand, std::uint64_t lines, std::uint64_t k,
                                 bool values, MatrixFileOptions options) {
    if (config.file.empty()) {
        return SparsityGenerator(config, seed, operand).make(lines, k, values);
    }
    const bool is_a = operand == SparseOperand::kA;
    const MatrixMarket matrix = read_matrix_market(config.file, options);
    const std::uint64_t rows = is_a ? lines : k;
    const std::uint64_t columns = is_a ? k : lines;
    if (matrix.rows != rows || matrix.columns != columns) {
        throw ConfigError(config.file + ":" + std::to_string(matrix.size_line) +
                          ": rows, columns: got " + std::to_string(matrix.rows) + " x " +
                          std::to_string(matrix.columns) + ", expected " + std::to_string(rows) +
                          " x " + std::to_string(columns) + ", the shape of " + (is_a ? "A" : "B"));
    }
    return to_bitmap(matrix, is_a ? MatrixLines::kRows : MatrixLines::kColumns, values);
}

}  // namespace tessera
