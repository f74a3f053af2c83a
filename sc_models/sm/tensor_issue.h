// Issue of tensor-core instructions from a sub-core.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/sm/issued_instruction.h"
#include "sc_models/sm/register_file.h"
#include "sc_models/sm/shared_memory.h"
#include "sc_models/sm/trace_scope.h"
#include "sc_models/sm/unit_socket.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/sparse/bitmap_matrix.h"
#include "sc_models/tlm/carrier_pool.h"

namespace tessera {

/// Sends the products of a sub-core to its tensor cores and enters their results in the scoreboard.
/// Where the register file holds values, it gathers the operands, renamed or not.
class TensorIssue {
public:
    /// Products go through `to_tensor`.
    TensorIssue(UnitSocket& to_tensor, RegisterFile& registers, SharedMemory& shared_memory,
                const TraceScope& scope, StatGroup& statistics);
    TensorIssue(const TensorIssue&) = delete;
    TensorIssue& operator=(const TensorIssue&) = delete;

    /// Issues a kMma; returns the first cycle at which the tensor cores take another operation.
    Cycle issue_mma(const IssuedInstruction& issued);
    /// Cycles of a warp's share of a warpgroup's product.
    struct WarpgroupTiming {
        Cycle unit_free = 0;  ///< first cycle at which the tensor cores take another operation
        Cycle end = 0;        ///< cycle from which a wait for it is over
    };
    /// Issues a kWarpgroupMma of a warp of CTA slot `cta`. The tensor cores are busy for its
    /// products, or for as long as shared memory delivers its operands, if that is longer.
    WarpgroupTiming issue_warpgroup(const IssuedInstruction& issued, std::uint32_t cta);
    /// Cycles of an SpWMMA.
    struct SparseTiming {
        Cycle unit_free = 0;  ///< first cycle at which the tensor cores take another operation
        Cycle swapped = 0;    ///< cycles from its start to swap the accumulation buffer's tile
    };
    /// Issues a kSparseMma or kSparseFlush.
    SparseTiming issue_sparse(const IssuedInstruction& issued);
    /// Counts a batch of single HMMAs (traces) that keeps the tensor cores busy for `cycles`.
    void count_hmmas(const WarpInstruction& instruction, Cycle cycles);

private:
    /// Operand of an SpWMMA: its tile, and its location in registers.
    struct SparseSide {
        const BitmapMatrix& matrix;
        std::uint64_t tile;
        const std::byte* bitmaps;  ///< null: without values, or all elements are stored
        const std::byte* values;
        std::uint32_t line_bytes;  ///< 0: tile layout
    };
    void set_sparse_operands(const IssuedInstruction& issued);
    [[nodiscard]] SpwmmaTile sparse_tile(const SparseSide& side);
    [[nodiscard]] const std::byte* gather_a_lines(const IssuedInstruction& issued);
    /// Traces cycles in which the tensor cores are busy.
    void trace(WarpId warp, std::string_view operation, Cycle begin, Cycle end) {
        if (wave_ != nullptr || timeline_ != nullptr) show(warp, operation, begin, end);
    }
    void show(WarpId warp, std::string_view operation, Cycle begin, Cycle end);

    UnitSocket& to_tensor_;
    RegisterFile& registers_;
    SharedMemory& shared_memory_;
    WaveRecorder* const wave_;
    TimelineRecorder* timeline_;
    std::uint64_t mmas_ = 0, structured_mmas_ = 0, hmma_cycles_ = 0, hmmas_ = 0, hmma_steps_ = 0,
                  warpgroup_mmas_ = 0, warpgroup_products_ = 0;
    std::array<std::byte, kFragmentBytes> gathered_a_{}, gathered_b_{};  ///< renamed fragments
    CarrierPool<MmaOperands> mma_pool_;
    CarrierPool<SpwmmaOperands> sparse_pool_;
    CarrierPool<WarpgroupOperands> warpgroup_pool_;
    // The payloads, each with its extension: one operation at a time is sent.
    CarrierPayload<MmaOperands>& mma_payload_;
    CarrierPayload<SpwmmaOperands>& sparse_payload_;
    CarrierPayload<WarpgroupOperands>& warpgroup_payload_;
    MmaOperands* const operands_;
    SpwmmaOperands* const sparse_;
    std::array<std::byte, kSparseTileElements * sizeof(HalfBits)> a_lines_{};
    std::array<HalfBits, kSparseTileElements> by_k_{};  ///< tile converted from line to k order
    WaveRecorder::Signal busy_ = WaveRecorder::kNoSignal, warp_ = WaveRecorder::kNoSignal;
    TimelineRecorder::Track track_ = 0;
};

}  // namespace tessera
