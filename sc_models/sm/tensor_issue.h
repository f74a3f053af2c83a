// Issue of tensor-core instructions from a sub-core.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tlm>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/sm/issued_instruction.h"
#include "sc_models/sm/register_file.h"
#include "sc_models/sm/trace_scope.h"
#include "sc_models/sm/unit_socket.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/sparse/bitmap_matrix.h"

namespace tessera {

class TensorCorePair;

/// Sends the products of a sub-core to its tensor cores and enters their results in the scoreboard.
/// Where the register file holds values, it gathers the operands, renamed or not.
class TensorIssue {
public:
    /// `tensor_cores` is the pair at the other end of `to_tensor`.
    TensorIssue(UnitSocket& to_tensor, TensorCorePair& tensor_cores, RegisterFile& registers,
                const TraceScope& scope, StatGroup& statistics);
    TensorIssue(const TensorIssue&) = delete;
    TensorIssue& operator=(const TensorIssue&) = delete;

    /// Issues a kMma; returns the first cycle at which the tensor cores take another operation.
    Cycle issue_mma(const IssuedInstruction& issued);
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
    TensorCorePair& tensor_cores_;
    RegisterFile& registers_;
    WaveRecorder* const wave_;
    TimelineRecorder* timeline_;
    std::uint64_t mmas_ = 0, hmma_cycles_ = 0, hmmas_ = 0, hmma_steps_ = 0;
    tlm::tlm_generic_payload mma_payload_, sparse_payload_;
    MmaOperands* const operands_;   ///< owned by mma_payload_
    SpwmmaOperands* const sparse_;  ///< owned by sparse_payload_
    std::array<std::byte, kFragmentBytes> gathered_a_{}, gathered_b_{};  ///< renamed fragments
    std::array<std::byte, kSparseTileElements * sizeof(HalfBits)> a_lines_{};
    std::array<HalfBits, kSparseTileElements> by_k_{};  ///< tile converted from line to k order
    WaveRecorder::Signal busy_ = WaveRecorder::kNoSignal, warp_ = WaveRecorder::kNoSignal;
    TimelineRecorder::Track track_ = 0;
};

}  // namespace tessera
