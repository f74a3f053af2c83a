#include "tests/support/golden_spgemm.h"

#include <algorithm>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/feop.h"
#include "sc_models/tensor_core/vector_clones.h"

namespace tessera {
namespace {

/// A block is made in pieces of so many rows and columns: sums stay in the L2, B's part in the L1.
constexpr std::uint32_t kPieceTiles = 4;
constexpr std::uint32_t kPiece = kPieceTiles * kSparseTileLines;
constexpr std::uint32_t kStrip = 32;  ///< columns whose sums are in registers

bool is_nonfinite(float value) {
    return (float_bits(value) & 0x7f800000U) == 0x7f800000U;
}

/// A line tile at one k tile of a matrix, widened.
struct WideTile {
    float value[kSparseTileK][kSparseTileLines];
    std::uint32_t stored[kSparseTileK];  ///< bit per line

    void load(const BitmapMatrix& matrix, std::uint64_t id) {
        const std::uint32_t* masks = matrix.masks(id);
        const HalfBits* next = matrix.values(id);
        for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
            std::fill_n(value[l], kSparseTileLines, 0.0F);
            stored[l] = masks[l];
            for (std::uint32_t left = masks[l]; left != 0; left &= left - 1) {
                value[l][__builtin_ctz(left)] = half_to_float(*next++);
            }
        }
    }
};

/// kPiece columns of B at one k tile: row k holds the columns.
struct WideB {
    float value[kSparseTileK][kPiece];
    std::uint32_t stored[kSparseTileK][kPieceTiles];
    bool nonfinite;  ///< some element is an infinity or a NaN
};

/// A row's factors at one k tile that take part, k ascending.
struct Factors {
    std::uint32_t count = 0;
    std::uint32_t k[kSparseTileK]{};
    float value[kSparseTileK]{};
};

// Products are exact, so whether the compiler fuses them with the addition does not matter. What B
// does not store is +0 here: the product is a zero, and adding it changes no sum, for none is -0.
TESSERA_VECTOR_CLONES void add_products(const Factors& factors, const float (*b)[kPiece],
                                        float* sums) {
    for (std::uint32_t first = 0; first < kPiece; first += kStrip) {
        float strip[kStrip];
        for (std::uint32_t j = 0; j < kStrip; ++j) strip[j] = sums[first + j];
        for (std::uint32_t f = 0; f < factors.count; ++f) {
            const float* row = b[factors.k[f]] + first;
            const float factor = factors.value[f];
            for (std::uint32_t j = 0; j < kStrip; ++j) strip[j] += factor * row[j];
        }
        for (std::uint32_t j = 0; j < kStrip; ++j) sums[first + j] = strip[j];
    }
}

class Product {
public:
    Product(const BitmapMatrix& a, const BitmapMatrix& b, const OutputBlock& block, const float* c,
            float* d, NonfinitePolicy policy)
        : a_(a),
          b_(b),
          block_(block),
          c_(c),
          d_(d),
          strict_(policy == NonfinitePolicy::kStrict),
          sums_(std::uint64_t{kPiece} * kPiece) {
        check();
    }

    GoldenCounts run() {
        // Pieces begin at whole tiles; what is outside the block is made and left.
        const std::uint64_t first_row = block_.row_begin / kSparseTileLines;
        const std::uint64_t first_column = block_.column_begin / kSparseTileLines;
        for (std::uint64_t j = first_column; j * kSparseTileLines < block_.column_end;
             j += kPieceTiles) {
            for (std::uint64_t i = first_row; i * kSparseTileLines < block_.row_end;
                 i += kPieceTiles) {
                make_piece(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
            }
        }
        return counts_;
    }

private:
    void check() const {
        const auto expect = [](bool good, const std::string& what) {
            if (!good) throw ConfigError("golden product: " + what);
        };
        expect(a_.k() == b_.k(),
               "A has k " + std::to_string(a_.k()) + ", B " + std::to_string(b_.k()));
        expect(a_.has_values() && b_.has_values(), "operands without values");
        expect(block_.row_begin <= block_.row_end && block_.row_end <= a_.lines() &&
                   block_.column_begin <= block_.column_end && block_.column_end <= b_.lines(),
               "a block outside D");
    }

    void make_piece(std::uint32_t row_tile, std::uint32_t column_tile) {
        row_tile_ = row_tile;
        column_tile_ = column_tile;
        const std::uint32_t row_tiles = std::min(kPieceTiles, a_.line_tiles() - row_tile);
        begin_sums();
        for (std::uint32_t k_tile = 0; k_tile < a_.k_tiles(); ++k_tile) {
            load_b(k_tile);
            for (std::uint32_t t = 0; t < row_tiles; ++t) add_tile(t, k_tile);
        }
        end_sums();
    }

    /// `visit(index in sums_, index in the block)` for every output of the piece inside the block.
    template <class Visit>
    void for_each_output(Visit&& visit) const {
        const std::uint64_t row0 = std::uint64_t{row_tile_} * kSparseTileLines;
        const std::uint64_t column0 = std::uint64_t{column_tile_} * kSparseTileLines;
        const std::uint64_t row_end = std::min(row0 + kPiece, block_.row_end);
        const std::uint64_t column_end = std::min(column0 + kPiece, block_.column_end);
        for (std::uint64_t i = std::max(row0, block_.row_begin); i < row_end; ++i) {
            for (std::uint64_t j = std::max(column0, block_.column_begin); j < column_end; ++j) {
                visit((i - row0) * kPiece + j - column0,
                      (i - block_.row_begin) * block_.columns() + j - block_.column_begin);
            }
        }
    }

    void begin_sums() {
        std::fill(sums_.begin(), sums_.end(), 0.0F);
        if (c_ == nullptr) return;
        // Adding +0 makes +0 of -0 and changes nothing else.
        for_each_output(
            [this](std::uint64_t at, std::uint64_t out) { sums_[at] = c_[out] + 0.0F; });
    }

    void end_sums() {
        for_each_output([this](std::uint64_t at, std::uint64_t out) {
            const float sum = sums_[at];
            const bool nan = sum != sum;
            d_[out] = nan ? float_from_bits(kFeopNan) : sum;
            counts_.nan_outputs += nan ? 1U : 0U;
        });
    }

    void load_b(std::uint32_t k_tile) {
        WideTile tile{};
        wide_b_.nonfinite = false;
        for (std::uint32_t t = 0; t < kPieceTiles; ++t) {
            if (column_tile_ + t < b_.line_tiles()) {
                const std::uint64_t id = b_.tile(column_tile_ + t, k_tile);
                tile.load(b_, id);
                wide_b_.nonfinite |= b_.tile_nonfinite(id);
            } else {
                tile = {};
            }
            for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
                std::copy_n(tile.value[l], kSparseTileLines,
                            &wide_b_.value[l][std::size_t{t} * kSparseTileLines]);
                wide_b_.stored[l][t] = tile.stored[l];
            }
        }
    }

    void add_tile(std::uint32_t t, std::uint32_t k_tile) {
        const std::uint64_t id = a_.tile(row_tile_ + t, k_tile);
        const bool nonfinite = wide_b_.nonfinite || a_.tile_nonfinite(id);
        if (a_.tile_empty(id) && !nonfinite) return;
        wide_a_.load(a_, id);
        float* sums = &sums_[std::uint64_t{t} * kSparseTileLines * kPiece];
        for (std::uint32_t r = 0; r < kSparseTileLines; ++r, sums += kPiece) {
            if (nonfinite) {
                add_carefully(std::uint64_t{row_tile_ + t} * kSparseTileLines + r, k_tile, sums);
                continue;
            }
            Factors factors;
            for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
                factors.k[factors.count] = l;
                factors.value[factors.count] = wide_a_.value[l][r];
                factors.count += wide_a_.stored[l] >> r & 1U;
            }
            if (factors.count != 0) add_products(factors, wide_b_.value, sums);
        }
    }

    /// A row at a k tile in which some element of A or B is not finite, one product at a time.
    void add_carefully(std::uint64_t row, std::uint32_t k_tile, float* sums) {
        const auto r = static_cast<std::uint32_t>(row % kSparseTileLines);
        const std::uint64_t column0 = std::uint64_t{column_tile_} * kSparseTileLines;
        const bool row_inside = row >= block_.row_begin && row < block_.row_end;
        for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
            if (std::uint64_t{k_tile} * kSparseTileK + l >= a_.k()) return;
            const float factor = wide_a_.value[l][r];
            const bool a_stored = (wide_a_.stored[l] >> r & 1U) != 0;
            for (std::uint32_t j = 0; j < kPiece; ++j) {
                const float other = wide_b_.value[l][j];
                const bool b_stored =
                    (wide_b_.stored[l][j / kSparseTileLines] >> (j % kSparseTileLines) & 1U) != 0;
                if (a_stored && b_stored) {
                    sums[j] += factor * other;
                    continue;
                }
                if (!is_nonfinite(factor) && !is_nonfinite(other)) continue;
                const std::uint64_t column = column0 + j;
                const bool inside =
                    row_inside && column >= block_.column_begin && column < block_.column_end;
                counts_.hidden_products += inside ? 1U : 0U;
                if (strict_) sums[j] += factor * other;
            }
        }
    }

    const BitmapMatrix& a_;
    const BitmapMatrix& b_;
    const OutputBlock block_;
    const float* const c_;
    float* const d_;
    const bool strict_;
    std::uint32_t row_tile_ = 0;     ///< of the piece
    std::uint32_t column_tile_ = 0;  ///< of the piece
    std::vector<float> sums_;        ///< of the piece, row by row
    WideTile wide_a_{};
    WideB wide_b_{};
    GoldenCounts counts_;
};

}  // namespace

GoldenCounts golden_spgemm(const BitmapMatrix& a, const BitmapMatrix& b, const OutputBlock& block,
                           const float* c, float* d, NonfinitePolicy policy) {
    return Product(a, b, block, c, d, policy).run();
}

GoldenCounts golden_spgemm(const HalfBits* a, const HalfBits* b, std::uint64_t rows,
                           std::uint64_t columns, std::uint64_t k, const float* c, float* d,
                           NonfinitePolicy policy) {
    return golden_spgemm(BitmapMatrix::encode(rows, k, a), BitmapMatrix::encode(columns, k, b),
                         {0, rows, 0, columns}, c, d, policy);
}

}  // namespace tessera
