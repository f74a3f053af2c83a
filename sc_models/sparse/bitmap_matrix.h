// Sparse matrix operand in the two-level bitmap format, with its exact memory layout.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sc_models/tensor_core/half.h"

namespace tessera {

inline constexpr std::uint32_t kSparseTileLines = 32;
inline constexpr std::uint32_t kSparseTileK = 16;
inline constexpr std::uint32_t kSparseTileElements = kSparseTileLines * kSparseTileK;
inline constexpr std::uint32_t kValueAlignmentBytes = 16;

/// Fields of a tile's descriptor.
inline constexpr std::uint32_t kTileOffsetMask = 0x0fffffffU;  ///< in units of 16 bytes
inline constexpr std::uint32_t kTileFull = 1U << 30U;          ///< all 512 elements are stored
inline constexpr std::uint32_t kTileNonfinite = 1U << 31U;     ///< holds an infinity or a NaN

/// Arrays of an operand, little endian:
/// - `warp_bitmap`: one bit per tile, set if it has elements; tile t is bit t % 32 of word t / 32.
/// - `tile_desc`: one word per tile: the offset of its values, and flags. An empty tile repeats the
///   offset reached so far.
/// - `elem_bitmap`: 16 words per tile that has elements, in the order of tiles: bit r of word k
///   is element (line r, k) of the tile.
/// - `values`: the elements tile by tile, k then line ascending; every tile begins at a multiple of
///   16 bytes, with zeros before it.
struct BitmapArrays {
    std::vector<std::uint32_t> warp_bitmap;
    std::vector<std::uint32_t> tile_desc;
    std::vector<std::uint32_t> elem_bitmap;
    std::vector<HalfBits> values;
};

/// One operand of a matrix product in two-level bitmaps (dual-side sparse tensor core, III and
/// Figure 9): lines are rows of A or columns of B, and both are cut into tiles of 32 lines x 16 k,
/// numbered line tile by line tile. Lines and k are padded with zeros to whole tiles. A half whose
/// magnitude is zero is a zero, including -0.
///
/// A matrix with values holds all arrays; a pattern holds the bitmaps only, with the offsets and
/// sizes that the values would have.
class BitmapMatrix {
public:
    /// Writes the k halves of a line.
    using LineSource = std::function<void(std::uint64_t line, HalfBits* out)>;
    /// Writes the 16 masks of a tile; bits beyond the matrix are ignored.
    using MaskSource =
        std::function<void(std::uint32_t line_tile, std::uint32_t k_tile, std::uint32_t* masks)>;

    /// Value of element (line, k).
    using ValueSource = std::function<HalfBits(std::uint64_t line, std::uint64_t k)>;

    /// Creates a matrix without lines.
    BitmapMatrix() = default;

    /// `dense` holds `lines` lines of `k` halves, line l at l x `pitch` (in halves; 0: k). Throws
    /// ConfigError if the values exceed the range of a descriptor (4 GiB).
    static BitmapMatrix encode(std::uint64_t lines, std::uint64_t k, const HalfBits* dense,
                               std::uint64_t pitch = 0);
    /// Calls `source` in order of lines. Memory beside the result: 32 lines. Without `values`
    /// returns a pattern.
    static BitmapMatrix encode(std::uint64_t lines, std::uint64_t k, const LineSource& source,
                               bool values = true);
    /// Returns a pattern. Calls `source` in order of tiles.
    static BitmapMatrix pattern(std::uint64_t lines, std::uint64_t k, const MaskSource& source);
    /// Encodes the elements that the masks name, with values. Calls `source` in order of tiles and
    /// `value` in order of memory. An element whose value is zero is removed.
    static BitmapMatrix from_masks(std::uint64_t lines, std::uint64_t k, const MaskSource& source,
                                   const ValueSource& value);
    /// Checks and adopts external arrays. Throws ConfigError naming `file` (unless empty), array,
    /// tile and field if they contradict each other or the shape; a stored zero is a contradiction.
    static BitmapMatrix from_arrays(std::uint64_t lines, std::uint64_t k, BitmapArrays arrays,
                                    const std::string& file = {});

    /// Returns the same matrix with every element, including zeros, stored at each k that `at_k`
    /// (k() entries) marks. With values only.
    [[nodiscard]] BitmapMatrix with_stored_zeros(const std::vector<bool>& at_k) const;
    /// Returns for each k whether an element there is an infinity or a NaN. With values only.
    [[nodiscard]] std::vector<bool> nonfinite_k() const;

    [[nodiscard]] std::uint64_t lines() const { return lines_; }
    [[nodiscard]] std::uint64_t k() const { return k_; }
    [[nodiscard]] std::uint32_t line_tiles() const { return line_tiles_; }
    [[nodiscard]] std::uint32_t k_tiles() const { return k_tiles_; }
    [[nodiscard]] std::uint64_t tiles() const { return tile_nnz_.size(); }
    [[nodiscard]] std::uint64_t nonempty_tiles() const {
        return elem_bitmap_words() / kSparseTileK;
    }
    /// Whether all elements are stored, including those beyond the matrix.
    [[nodiscard]] bool all_full() const { return nnz_ == tiles() * kSparseTileElements; }
    [[nodiscard]] std::uint64_t nnz() const { return nnz_; }
    [[nodiscard]] bool has_values() const { return has_values_; }
    /// Tiles with an infinity or a NaN.
    [[nodiscard]] std::uint64_t nonfinite_tiles() const { return nonfinite_tiles_; }

    [[nodiscard]] std::uint64_t tile(std::uint32_t line_tile, std::uint32_t k_tile) const {
        return std::uint64_t{line_tile} * k_tiles_ + k_tile;
    }
    [[nodiscard]] bool tile_empty(std::uint64_t id) const { return tile_nnz_[id] == 0; }
    [[nodiscard]] bool tile_nonfinite(std::uint64_t id) const {
        return (arrays_.tile_desc[id] & kTileNonfinite) != 0;
    }
    [[nodiscard]] bool tile_full(std::uint64_t id) const {
        return (arrays_.tile_desc[id] & kTileFull) != 0;
    }
    [[nodiscard]] std::uint32_t tile_nnz(std::uint64_t id) const { return tile_nnz_[id]; }
    /// Bit k: the tile has elements at its k.
    [[nodiscard]] std::uint16_t occupied_k(std::uint64_t id) const {
        std::uint32_t occupied = 0;
        const std::uint8_t* const of_k = counts(id);
        for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
            occupied |= static_cast<std::uint32_t>(of_k[k] != 0) << k;
        }
        return static_cast<std::uint16_t>(occupied);
    }
    /// The 16 masks, by k; zeros for an empty tile.
    [[nodiscard]] const std::uint32_t* masks(std::uint64_t id) const {
        return tile_empty(id) ? kNoMasks : &arrays_.elem_bitmap[rank(id) * kSparseTileK];
    }
    /// Bits set in each of the 16 masks.
    [[nodiscard]] const std::uint8_t* counts(std::uint64_t id) const {
        return &counts_[id * kSparseTileK];
    }
    /// The tile's values, k then line ascending. With values only.
    [[nodiscard]] const HalfBits* values(std::uint64_t id) const {
        return arrays_.values.data() + value_offset_bytes(id) / sizeof(HalfBits);
    }
    /// Offset of the tile's values in the value array.
    [[nodiscard]] std::uint64_t value_offset_bytes(std::uint64_t id) const {
        return std::uint64_t{arrays_.tile_desc[id] & kTileOffsetMask} * kValueAlignmentBytes;
    }
    /// Offset of the tile's 64 bytes in the element bitmaps; for an empty tile, its insertion
    /// point.
    [[nodiscard]] std::uint64_t bitmap_offset_bytes(std::uint64_t id) const {
        return rank(id) * kSparseTileK * sizeof(std::uint32_t);
    }

    /// The arrays in their memory layout; `values` is empty for a pattern.
    [[nodiscard]] const BitmapArrays& arrays() const { return arrays_; }
    [[nodiscard]] std::uint64_t warp_bitmap_bytes() const {
        return arrays_.warp_bitmap.size() * sizeof(std::uint32_t);
    }
    [[nodiscard]] std::uint64_t tile_desc_bytes() const {
        return arrays_.tile_desc.size() * sizeof(std::uint32_t);
    }
    [[nodiscard]] std::uint64_t elem_bitmap_bytes() const {
        return elem_bitmap_words() * sizeof(std::uint32_t);
    }
    [[nodiscard]] std::uint64_t values_bytes() const { return values_bytes_; }

    /// Element (line, k); +0 if not stored. With values only.
    [[nodiscard]] HalfBits at(std::uint64_t line, std::uint64_t k) const;
    /// Whether element (line, k) is stored.
    [[nodiscard]] bool stored(std::uint64_t line, std::uint64_t k) const;
    /// Writes the 32 lines of a line tile, dense: 32 x k() halves, zeros beyond the last line.
    void decode_lines(std::uint32_t line_tile, HalfBits* out) const;
    /// lines() x k() halves.
    [[nodiscard]] std::vector<HalfBits> decode() const;
    [[nodiscard]] std::vector<float> floats() const;  ///< decode() in FP32

private:
    BitmapMatrix(std::uint64_t lines, std::uint64_t k);
    static const std::uint32_t kNoMasks[kSparseTileK];

    /// Number of non-empty tiles before this one.
    [[nodiscard]] std::uint64_t rank(std::uint64_t id) const {
        const std::uint32_t below = (1U << (id % 32)) - 1;
        return warp_rank_[id / 32] +
               static_cast<std::uint64_t>(__builtin_popcount(arrays_.warp_bitmap[id / 32] & below));
    }
    [[nodiscard]] std::uint64_t elem_bitmap_words() const { return arrays_.elem_bitmap.size(); }
    /// Mask of the elements at one k that lie inside the matrix.
    [[nodiscard]] std::uint32_t inside(std::uint32_t line_tile, std::uint64_t k) const;
    /// Calls `visit(line tile, k tile, masks)` for every tile, with masks cut to the matrix.
    template <class Visit>
    void for_each_tile(const MaskSource& source, Visit&& visit) const;
    void append(const std::uint32_t* masks, bool nonfinite);
    void append_values(const std::uint32_t* masks, const HalfBits* lines, std::uint64_t pitch);
    /// Checks descriptors and values against the bitmaps, for from_arrays().
    void check(const std::string& file, const std::vector<std::uint32_t>& expected_desc) const;
    void check_tile(const std::string& file, std::uint64_t id) const;

    std::uint64_t lines_ = 0;
    std::uint64_t k_ = 0;
    std::uint32_t line_tiles_ = 0;
    std::uint32_t k_tiles_ = 0;
    std::uint64_t nnz_ = 0;
    std::uint64_t nonfinite_tiles_ = 0;
    std::uint64_t values_bytes_ = 0;
    bool has_values_ = false;
    BitmapArrays arrays_;
    std::vector<std::uint32_t> warp_rank_;
    std::vector<std::uint16_t> tile_nnz_;
    std::vector<std::uint8_t> counts_;
};

/// The two operands of a product.
struct SparseOperands {
    BitmapMatrix a;
    BitmapMatrix b;
};

/// Stores zeros in each operand at every k where the other has an infinity or a NaN: the product
/// over stored pairs then equals the dense one, in which such zeros give NaNs.
[[nodiscard]] SparseOperands strict_operands(const BitmapMatrix& a, const BitmapMatrix& b);

}  // namespace tessera
