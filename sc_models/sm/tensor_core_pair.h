// Tensor-core pair of a sub-core.
#pragma once

#include <memory>
#include <optional>
#include <systemc>
#include <utility>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/spwmma_unit.h"
#include "sc_models/tlm/lt/lt_socket.h"

namespace tessera {

/// Pair of tensor cores with 128 multiply-adds a cycle: a 16x16x16 multiply-accumulate occupies it
/// for 32 cycles. Each operation is one payload with an MmaOperands or SpwmmaOperands extension.
/// The response is the cycle at which D is written; the extension returns the cycle until which the
/// pair is busy. The caller must not start the next operation before. Where operands are given,
/// `unit` computes D.
///
/// With a sequencer the pair also executes SpWMMAs. The accumulation buffer holds the sums of one
/// 32x32 tile; an SpWMMA on another tile first swaps it with the registers (swap_cycles, plus the
/// cycles to drain the collector).
class TensorCorePair : public sc_core::sc_module {
public:
    LtTargetSocket<TensorCorePair> from_sub_core{"from_sub_core"};

    /// `sequencer` is null in machines without sparse tensor cores.
    TensorCorePair(sc_core::sc_module_name name, std::unique_ptr<MatrixUnit> unit,
                   std::unique_ptr<SpwmmaUnit> sequencer, const ClockDomain& clock,
                   StatGroup& statistics);
    /// Adds the k-sets of SpWMMAs to a waveform, in `scope`.
    void watch(WaveRecorder& wave, std::string_view scope);

private:
    /// Tile whose sums the accumulation buffer holds.
    struct Owner {
        WarpId warp;
        std::uint8_t accumulators = 0;
        std::byte* sums = nullptr;

        [[nodiscard]] bool is(const SpwmmaOperands& operands) const {
            return warp == operands.warp && accumulators == operands.accumulators;
        }
    };

    friend LtTargetSocket<TensorCorePair>;
    void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    static unsigned int transport_dbg(int /*port*/, tlm::tlm_generic_payload& /*payload*/) {
        return 0;
    }
    /// Executes a product that starts at `start`; returns the cycle at which D is written.
    Cycle multiply_dense(Cycle start, MmaOperands& operands);
    MatrixTiming multiply(Cycle start, const MmaOperands& operands);
    /// Executes an SpWMMA or flush; returns the cycle at which the sums are there.
    Cycle multiply_sparse(Cycle start, SpwmmaOperands& operands);
    /// Writes the buffer's sums back to registers; returns the cycles to drain the collector.
    Cycle give_back();
    void register_sparse(StatGroup& statistics);
    void show_sets(Cycle begin, Cycle end);

    // State of dense products, kept contiguous for the host's caches.
    alignas(64) Cycle free_at_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t busy_cycles_ = 0;
    MatrixTiming timing_;  ///< timing without values

    const std::unique_ptr<MatrixUnit> unit_;
    const std::unique_ptr<SpwmmaUnit> sequencer_;
    LtTime time_;
    std::uint64_t rtl_cycles_ = 0;

    std::optional<Owner> owner_;
    SpwmmaWork work_;
    std::uint64_t spwmmas_ = 0, swaps_ = 0, swap_cycles_ = 0;

    struct Traces {
        WaveRecorder* wave = nullptr;
        WaveRecorder::Signal swap = WaveRecorder::kNoSignal, a = WaveRecorder::kNoSignal,
                             b = WaveRecorder::kNoSignal, predicates = WaveRecorder::kNoSignal,
                             ohmmas = WaveRecorder::kNoSignal, conflicts = WaveRecorder::kNoSignal;
    } traces_;
    std::vector<SpwmmaSet> sets_;
};

}  // namespace tessera
