#include "sc_models/workload/tensor/tensor_layout.h"

#include <algorithm>

namespace tessera {
namespace {

using Op = TensorOperator;

constexpr std::uint32_t kChunksOfWarp = 4;  // longest row of one warp: chosen
constexpr std::uint32_t kMostWarps = 16;    // of a row: 512 threads, chosen
constexpr std::uint32_t kRowsOfCta = 4;     // rows per CTA if a row has one warp: chosen
constexpr std::uint32_t kResident = 8;      // chunks of a warp that stay in registers: chosen

/// softmax_warp_forward (PersistentSoftmax.cuh): one warp per row, 128 threads per block, single
/// elements kept in registers. Longer rows: cunn_SoftMaxForward (SoftMax.cu), one block per row,
/// whose threads load vectors, then single elements, again in each of three passes. Their sums meet
/// as in its blockReduce.
RowLayout softmax_layout(TensorType type, std::uint64_t elements) {
    constexpr std::uint64_t kMostOfWarp = 1024;
    constexpr std::uint64_t kMostThreads = 1024;
    RowLayout layout;
    layout.chunk = chunk_elements(type);
    layout.vectors_end = elements;
    if (elements <= kMostOfWarp) {
        layout.rows_of_cta = 4;
        return layout;
    }
    layout.vector = kVectorBytes / bytes_of(type);
    // SoftMax_getBlockSize: half of the threads that could have a vector each.
    const std::uint64_t most = std::min(elements / layout.vector, kMostThreads) / 2;
    while (std::uint64_t{layout.warps} * kWarpLanes < most) layout.warps *= 2;
    layout.vectors_end -= elements % (std::uint64_t{layout.warps} * layout.chunk);
    layout.resident = false;
    layout.in_flight = 1;  // the loops load a vector, then use it
    layout.first_warp_joins = true;
    return layout;
}

/// vectorized_layer_norm_kernel (layer_norm_kernel.cu): 128 threads per row, vectors of four, the
/// row loaded once for its moments and once for the results. Rows that are no multiple of four: the
/// 512 threads and single elements of RowwiseMomentsCUDAKernel, but in one kernel.
RowLayout layer_norm_layout(std::uint64_t elements) {
    constexpr std::uint32_t kVector = 4;
    RowLayout layout;
    const bool vectorised = elements % kVector == 0;
    layout.warps = vectorised ? 4 : kMostWarps;
    layout.vector = vectorised ? kVector : 1;
    layout.chunk = kWarpLanes * layout.vector;
    layout.vectors_end = elements;
    layout.resident = false;
    layout.in_flight = 1;  // the loops load a vector, then use it
    return layout;
}

/// rms_norm_kernel of vLLM 0.2 (layernorm_kernels.cu): a thread for each element of a row, up to
/// 1024, which loads single elements once for the sum of squares and once for the results.
RowLayout vllm_rms_layout(std::uint64_t elements) {
    constexpr std::uint32_t kMostWarpsOfBlock = 32;
    RowLayout layout;
    while (layout.warps < kMostWarpsOfBlock && layout.warps * kWarpLanes < elements) {
        layout.warps *= 2;
    }
    layout.chunk = kWarpLanes;
    layout.vectors_end = elements;
    layout.resident = false;
    layout.in_flight = 4;  // chosen: nvcc unrolls a loop of unknown length four times
    return layout;
}

}  // namespace

std::uint32_t RowLayout::thread_of(std::uint64_t r) const {
    if (r >= vectors_end) {
        return static_cast<std::uint32_t>((r - vectors_end) % (std::uint64_t{warps} * kWarpLanes));
    }
    const std::uint64_t warp = r / chunk % warps;
    return static_cast<std::uint32_t>(warp * kWarpLanes + r % chunk / vector % kWarpLanes);
}

RowLayout row_layout(TensorOperator op, TensorType type, std::uint64_t elements, RmsKernel rms) {
    if (op == Op::kSoftmax || op == Op::kLogSoftmax) return softmax_layout(type, elements);
    if (op == Op::kRmsNormalization && rms == RmsKernel::kVllm) return vllm_rms_layout(elements);
    if (op == Op::kLayerNormalization || op == Op::kRmsNormalization) {
        return layer_norm_layout(elements);
    }
    RowLayout layout;
    layout.chunk = chunk_elements(type);
    layout.vector = layout.chunk / kWarpLanes;
    layout.vectors_end = elements;
    const std::uint64_t chunks = ceil_div(elements, std::uint64_t{layout.chunk});
    while (layout.warps < kMostWarps && layout.warps * std::uint64_t{kChunksOfWarp} < chunks) {
        layout.warps *= 2;
    }
    if (layout.warps == 1) layout.rows_of_cta = kRowsOfCta;
    layout.resident = ceil_div(chunks, std::uint64_t{layout.warps}) <= kResident;
    return layout;
}

// PyTorch's Reduce.cuh (ReduceConfig, setReduceConfig): block.x along results, in vectors, block.y
// along the reduced elements, and CTAs per result that leave each thread at least 16 rows, as long
// as the machine has room for them. There the last CTA of a result joins sums; here a kernel does,
// as in cub's DeviceReduce, because programs have no access to values. The other numbers are
// chosen.
ColumnLayout column_layout(TensorType type, std::uint64_t outer, std::uint64_t inner,
                           std::uint64_t rows, bool maps) {
    constexpr std::uint32_t kWarps = 8;                // of a CTA
    constexpr std::uint64_t kLeastOfLane = 4;          // rows, to divide them among one more warp
    constexpr std::uint32_t kGroups = 4;               // tiles of a CTA if a tile has one warp
    const std::uint64_t most_of_lane = maps ? 8 : 64;  // rows before a launch takes less time
    const std::uint64_t least_of_split = maps ? 2 : 16;
    const std::uint64_t most_ctas = maps ? 160 : 320;  // 2 or 4 on each of 80 SMs, by registers
    ColumnLayout layout;
    layout.vector = kVectorBytes / bytes_of(type);
    while (inner % layout.vector != 0) layout.vector /= 2;
    layout.lanes = 1;
    while (layout.lanes < kWarpLanes && layout.tile() < inner) layout.lanes *= 2;
    layout.tiles = outer * ceil_div(inner, std::uint64_t{layout.tile()});
    while (layout.warps < kWarps && rows >= 2 * kLeastOfLane * layout.rows_of_cta()) {
        layout.warps *= 2;
    }
    if (layout.warps == 1) layout.groups = kGroups;
    const std::uint64_t of_lane = ceil_div(rows, std::uint64_t{layout.rows_of_cta()});
    if (of_lane > most_of_lane) {
        const std::uint64_t ctas = std::min(most_ctas / layout.tiles, of_lane / least_of_split);
        layout.ctas = static_cast<std::uint32_t>(std::max<std::uint64_t>(ctas, 1));
    }
    return layout;
}

}  // namespace tessera
