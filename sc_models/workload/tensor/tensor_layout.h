// Distribution of a tensor's rows and columns among the threads of a kernel.
#pragma once

#include <cstdint>

#include "sc_models/isa/coalescer.h"
#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera {

/// Maximum access of a lane: 128 bits.
inline constexpr std::uint32_t kVectorBytes = 16;
/// Elements of a chunk: one such vector per lane.
[[nodiscard]] constexpr std::uint32_t chunk_elements(TensorType type) {
    return kWarpLanes * kVectorBytes / (type == TensorType::kFp32 ? 4U : 2U);
}

/// Distribution of a row with contiguous elements. Warps take chunks in turn; in a chunk the lanes
/// take vectors in turn. Elements from `vectors_end` on are taken one per thread.
struct RowLayout {
    std::uint32_t warps = 1;        ///< per row: a power of two, at most 32
    std::uint32_t rows_of_cta = 1;  ///< more than one only if a row has one warp
    std::uint32_t chunk = 0;        ///< elements
    std::uint32_t vector = 1;       ///< elements of a lane's access
    std::uint64_t vectors_end = 0;
    bool resident = true;  ///< a row stays in registers from pass to pass; otherwise it is reloaded
    std::uint32_t in_flight = 4;  ///< chunks per warp if not resident, at most 8: chosen
    /// The first warp joins the sums of all threads, a lane those of one warp, and the first thread
    /// those of the warps; otherwise lanes are joined by butterflies, and so are warps.
    bool first_warp_joins = false;

    /// Thread, counted from the row's first, that processes element `r`.
    [[nodiscard]] std::uint32_t thread_of(std::uint64_t r) const;
};
/// Kernel of RMSNormalization: that of LayerNormalization without its mean, or vLLM's.
enum class RmsKernel : std::uint8_t { kLayerNorm, kVllm };
/// Row layout of Softmax and LayerNormalization as in PyTorch 2.1 (docs/tensor_kernels.md).
[[nodiscard]] RowLayout row_layout(TensorOperator op, TensorType type, std::uint64_t elements,
                                   RmsKernel rms);

/// Distribution of columns: results are contiguous, and the inputs of each are `rows` apart. Lanes
/// take vectors of neighbouring results; remaining lanes, the warps of a CTA and CTAs take rows in
/// turn.
struct ColumnLayout {
    std::uint32_t vector = 1;          ///< results of a lane
    std::uint32_t lanes = kWarpLanes;  ///< of a warp, along results: a power of two
    std::uint32_t warps = 1;           ///< of a CTA, along rows: a power of two of at most 8
    std::uint32_t groups = 1;          ///< tiles per CTA; more than one only if `warps` is 1
    std::uint32_t ctas = 1;   ///< along rows; with more than one a second kernel adds their sums
    std::uint64_t tiles = 1;  ///< tiles of all results; no tile spans two images

    [[nodiscard]] std::uint32_t tile() const { return vector * lanes; }
    [[nodiscard]] std::uint32_t rows_of_warp() const { return kWarpLanes / lanes; }
    /// Rows that a CTA processes at a time.
    [[nodiscard]] std::uint32_t rows_of_cta() const { return rows_of_warp() * warps; }
};
/// `inner` results are contiguous, in `outer` groups with `rows` rows each; `maps`: the kernel
/// iterates over the rows once more and computes a result for each.
[[nodiscard]] ColumnLayout column_layout(TensorType type, std::uint64_t outer, std::uint64_t inner,
                                         std::uint64_t rows, bool maps);

}  // namespace tessera
