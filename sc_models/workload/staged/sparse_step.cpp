#include "sc_models/workload/staged/sparse_step.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kPiecesOfAVector = kLineTile * sizeof(HalfBits) / kValueAlignmentBytes;

void set_pieces(std::vector<std::uint32_t>& words, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t piece = first; piece < first + count; ++piece) {
        words[piece / 32] |= 1U << piece % 32;
    }
}

}  // namespace

std::uint32_t SparseLine::bitmaps_read(std::uint32_t end) const {
    std::uint32_t count = 0;
    for (std::uint32_t tile = 0; tile < end; ++tile) count += reads_bitmaps(tile) ? 1 : 0;
    return count;
}

void SparseLine::pieces(std::vector<std::uint32_t>& words) const {
    const BitmapMatrix& matrix = side->matrix();
    const auto depth = static_cast<std::uint32_t>(occupied.size());
    const std::uint32_t all = side->step_bytes(first, depth) / kValueAlignmentBytes;
    words.assign(ceil_div(all, 32U), 0);
    const std::uint32_t line_pieces = side->line_bytes(depth) / kValueAlignmentBytes;
    for (std::uint32_t tile = 0; tile < depth; ++tile) {
        if (wanted[tile] == 0) continue;
        constexpr std::uint32_t kLinePieces =
            kDepthTile * std::uint32_t{sizeof(HalfBits)} / kValueAlignmentBytes;
        for (std::uint32_t at = tile * kLinePieces; line_pieces > 0 && at < all;
             at += line_pieces) {
            set_pieces(words, at, kLinePieces);
        }
        if (line_pieces > 0) continue;
        const auto offset = static_cast<std::uint32_t>(matrix.value_offset_bytes(first + tile) -
                                                       matrix.value_offset_bytes(first)) /
                            kValueAlignmentBytes;
        if (side->values_by_k() && matrix.tile_full(first + tile)) {
            for (std::uint32_t bits = wanted[tile]; bits != 0; bits &= bits - 1) {
                const auto k = static_cast<std::uint32_t>(__builtin_ctz(bits));
                set_pieces(words, offset + k * kPiecesOfAVector, kPiecesOfAVector);
            }
        } else {
            set_pieces(words, offset, side->value_bytes(first + tile) / kValueAlignmentBytes);
        }
    }
}

void SparseStep::plan_side(std::vector<SparseLine>& lines, const BitmapTiles& side,
                           std::uint32_t line, std::uint32_t count, std::uint32_t first,
                           std::uint32_t depth) {
    lines.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        SparseLine& of = lines[i];
        of.side = &side;
        of.first = side.matrix().tile(line + i, first);
        of.occupied.resize(depth);
        of.wanted.assign(depth, 0);
        of.opposite.assign(depth, false);
        for (std::uint32_t t = 0; t < depth; ++t) {
            of.occupied[t] = side.matrix().occupied_k(of.first + t);
        }
    }
}

void SparseStep::plan(const BitmapTiles& a, std::uint32_t a_line, std::uint32_t a_lines,
                      const BitmapTiles& b, std::uint32_t b_line, std::uint32_t b_lines,
                      std::uint32_t first, std::uint32_t depth) {
    depth_ = depth;
    has_work_ = false;
    plan_side(a_, a, a_line, a_lines, first, depth);
    plan_side(b_, b, b_line, b_lines, first, depth);
    for (SparseLine& row : a_) {
        for (SparseLine& column : b_) {
            for (std::uint32_t t = 0; t < depth; ++t) {
                if (row.occupied[t] == 0 || column.occupied[t] == 0) continue;
                const auto both = static_cast<std::uint16_t>(row.occupied[t] & column.occupied[t]);
                row.wanted[t] |= both;
                column.wanted[t] |= both;
                row.opposite[t] = column.opposite[t] = true;
                has_work_ = true;
            }
        }
    }
}

std::uint32_t SparseStep::candidates(std::uint32_t i, std::uint32_t j) const {
    std::uint32_t count = 0;
    for (std::uint32_t t = 0; t < depth_; ++t) {
        if (a_[i].occupied[t] == 0 || b_[j].occupied[t] == 0) continue;
        const auto all = static_cast<std::uint16_t>(~0U);
        if (a_[i].occupied[t] != all && b_[j].occupied[t] != all) ++count;
    }
    return count;
}

bool SparseStep::multiplies(std::uint32_t i, std::uint32_t j) const {
    for (std::uint32_t t = 0; t < depth_; ++t) {
        if (common(i, j, t) != 0) return true;
    }
    return false;
}

}  // namespace tessera
