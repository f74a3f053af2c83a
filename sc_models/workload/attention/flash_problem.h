// Sizes, addresses and tiles of a fused attention kernel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/isa/mma_shape.h"

namespace tessera {

/// A tensor of heads in memory: bytes between sequences, rows (tokens) and heads.
struct HeadTensor {
    Address base = 0;
    std::uint64_t sequence_bytes = 0, row_bytes = 0, head_bytes = 0;

    [[nodiscard]] Address at(std::uint64_t sequence, std::uint64_t row, std::uint64_t head) const {
        return base + sequence * sequence_bytes + row * row_bytes + head * head_bytes;
    }
};

/// Rows of queries and keys that a CTA works on at a time.
struct FlashTile {
    std::uint32_t rows = 0, keys = 0;
};

/// Attention O = softmax(scale Q K^T) V of `batch` sequences and `heads` heads, each with `rows`
/// rows of queries and `keys` keys. Where queries of several heads share a head of keys and each
/// has one token, these queries are the rows of one head here.
struct FlashProblem {
    std::uint32_t batch = 0, heads = 0, rows = 0, keys = 0;
    std::uint32_t head_size = 0;                ///< 64 or 128
    OperandType operands = OperandType::kFp16;  ///< or kBf16: type of all tensors
    std::uint32_t heads_of_keys = 1;            ///< heads that share one of keys and values
    bool causal = false;  ///< row r attends to keys up to keys - rows + r, otherwise to all
    float scale = 1;
    FlashTile tile;
    std::uint32_t splits = 1;           ///< parts of the keys, each of a CTA
    std::uint32_t blocks_of_split = 0;  ///< tiles of keys of a part; 0: all
    HeadTensor queries, keys_at, values_at, result;
    std::uint32_t page_tokens = 0;  ///< 0: the keys of a sequence are contiguous
    Address page_table = 0;         ///< 32-bit page numbers, by sequence and page
    bool masked = false;  ///< a half for each key of a sequence is added to its scaled scores
    Address mask = 0;     ///< these, by sequence and key
    Address sums = 0;     ///< with splits: floats by split, sequence, head, row and element
    Address logs = 0;     ///< with splits: floats by split, sequence, head and row

    /// Format of the elements.
    [[nodiscard]] Float16 format() const { return format_of(operands); }
    [[nodiscard]] std::uint32_t row_tiles() const { return ceil_div(rows, tile.rows); }
    [[nodiscard]] std::uint32_t pages() const {  ///< of a sequence
        return page_tokens == 0 ? 0 : ceil_div(keys, page_tokens);
    }
    [[nodiscard]] std::uint64_t all_rows() const { return std::uint64_t{batch} * heads * rows; }
    /// Number of the page in memory that holds page `page` of a sequence: neighbours are apart, as
    /// in a cache that is in use.
    [[nodiscard]] std::uint64_t physical_page(std::uint32_t sequence, std::uint32_t page) const;
    /// Address of a row of keys or values.
    [[nodiscard]] Address cached_row(const HeadTensor& tensor, std::uint32_t sequence,
                                     std::uint32_t key, std::uint32_t head) const;
    /// Address of the mask from a key of a sequence on.
    [[nodiscard]] Address mask_at(std::uint32_t sequence, std::uint32_t key) const {
        return mask + (std::uint64_t{sequence} * keys + key) * kMaskBytes;
    }
    static constexpr std::uint32_t kMaskBytes = 2;
    /// Number of keys that a row attends to, from the first on.
    [[nodiscard]] std::uint32_t keys_of_row(std::uint32_t row) const {
        return causal ? std::min(keys, row + 1 + keys - rows) : keys;
    }
    /// Tiles of keys that a tile of rows meets in part `split`: from `first` up to `end`.
    struct Blocks {
        std::uint32_t first = 0, end = 0;
    };
    [[nodiscard]] Blocks blocks(std::uint32_t row_tile, std::uint32_t split) const;
    /// The last blocks of a tile of rows whose scores are masked, whether or not an element is.
    [[nodiscard]] std::uint32_t masked_blocks() const;
};

/// Tile of prefill as FlashAttention-2 has it on compute capability 8.0
/// (flash_fwd_launch_template.h): 128x128 for heads of 64, 128x64 for 128.
[[nodiscard]] FlashTile prefill_tile(std::uint32_t head_size);
/// Tile of prefill as FlashAttention-3 had it when its paper was written (hopper/
/// flash_fwd_launch_template.h): 192x128 for heads of 64; for 128 128x176, and 128x128 if causal.
[[nodiscard]] FlashTile warpgroup_tile(std::uint32_t head_size, bool causal);
/// Tile of decode likewise (run_mha_fwd_splitkv_dispatch): 64 rows, and 256 keys for heads of 64,
/// 128 for 128; without splits the keys of prefill.
[[nodiscard]] FlashTile decode_tile(std::uint32_t head_size, bool split);
/// Splits as FlashAttention-2 chooses them (num_splits_heuristic): one if CTAs without splits fill
/// 80 % of two CTAs an SM, otherwise the fewest that come within 85 % of the best share of a wave.
[[nodiscard]] std::uint32_t choose_splits(std::uint64_t ctas, std::uint32_t sms,
                                          std::uint32_t blocks);

}  // namespace tessera
