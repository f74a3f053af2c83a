// How the threads of a kernel share rows and columns of a tensor.
#pragma once

#include <cstdint>

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/tensor_operation.h"

namespace tessera {

/// What a lane accesses at once at most: 128 bits.
inline constexpr std::uint32_t kVectorBytes = 16;
/// Elements of a chunk: such a vector for each lane.
[[nodiscard]] constexpr std::uint32_t chunk_elements(TensorType type) {
    return kWarpLanes * kVectorBytes / (type == TensorType::kFp32 ? 4U : 2U);
}

/// How warps go over a row whose elements lie side by side. Warps take chunks in turn; in a chunk
/// the lanes take vectors in turn. Behind `vectors_end` elements the threads take single ones.
struct RowLayout {
    std::uint32_t warps = 1;        ///< of a row: a power of two of at most 16
    std::uint32_t rows_of_cta = 1;  ///< more than one only where a row is a warp's
    std::uint32_t chunk = 0;        ///< elements
    std::uint32_t vector = 1;       ///< elements of a lane's access
    std::uint64_t vectors_end = 0;
    bool resident = true;  ///< a row stays in registers from pass to pass; else it is loaded again
    std::uint32_t in_flight = 4;  ///< chunks of a warp that is not resident, at most 8: chosen

    /// Which thread, counted from the row's first, steps over element `r`.
    [[nodiscard]] std::uint32_t thread_of(std::uint64_t r) const;
};
/// Softmax and LayerNormalization as PyTorch 2.1 shares rows (docs/tensor_kernels.md).
[[nodiscard]] RowLayout row_layout(TensorOperator op, TensorType type, std::uint64_t elements);

/// How warps go over columns: results that lie side by side, each of what lies `rows` apart. Lanes
/// take vectors of neighbouring results; lanes that are left, the warps of a CTA and CTAs take rows
/// in turn.
struct ColumnLayout {
    std::uint32_t vector = 1;          ///< results of a lane
    std::uint32_t lanes = kWarpLanes;  ///< of a warp, along results: a power of two
    std::uint32_t warps = 1;           ///< of a CTA, along rows: a power of two of at most 8
    std::uint32_t groups = 1;          ///< tiles of a CTA; more than one only where `warps` is 1
    std::uint32_t ctas = 1;   ///< along rows; with more than one a second kernel joins their sums
    std::uint64_t tiles = 1;  ///< all results are so many tiles, none of which spans two images

    [[nodiscard]] std::uint32_t tile() const { return vector * lanes; }
    [[nodiscard]] std::uint32_t rows_of_warp() const { return kWarpLanes / lanes; }
    /// Rows that a CTA takes at a time.
    [[nodiscard]] std::uint32_t rows_of_cta() const { return rows_of_warp() * warps; }
};
/// `inner` results lie side by side, `outer` such stretches, each of `rows` rows; `maps`: the
/// kernel goes over them once more, for a result each.
[[nodiscard]] ColumnLayout column_layout(TensorType type, std::uint64_t outer, std::uint64_t inner,
                                         std::uint64_t rows, bool maps);

}  // namespace tessera
