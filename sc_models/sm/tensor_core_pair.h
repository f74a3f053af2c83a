// The two tensor cores of a sub-core.
#pragma once

#include <tlm_utils/simple_target_socket.h>
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
#include "sc_models/tlm/lt_link.h"

namespace tessera {

/// Pair of tensor cores, 128 multiply-adds a cycle, so a 16x16x16 multiply-accumulate occupies it
/// for 32 cycles. One payload with an MmaOperands or SpwmmaOperands extension each; the answer is
/// the cycle at which D is written, the extension tells until when the pair is busy. The caller
/// does not start the next before. Where operands are given, `unit` computes D.
///
/// With a sequencer the pair also takes SpWMMAs. The accumulation buffer holds the sums of one
/// 32x32 tile; an SpWMMA on another tile first exchanges it with the registers (swap_cycles, and
/// what the collector still has to add).
class TensorCorePair : public sc_core::sc_module, private LtTarget {
public:
    LtTargetSocket<tlm_utils::simple_target_socket<TensorCorePair>> from_sub_core{"from_sub_core"};

    /// `sequencer` is null in machines without sparse tensor cores.
    TensorCorePair(sc_core::sc_module_name name, std::unique_ptr<MatrixUnit> unit,
                   std::unique_ptr<SpwmmaUnit> sequencer, const ClockDomain& clock,
                   StatGroup& statistics);
    /// What an MmaOperands without operands asks for, at `arrival`.
    struct MmaTimes {
        Cycle written;  ///< D is
        Cycle free_at;  ///< A and B are read, and the next may start
    };
    MmaTimes multiply_without_values(Cycle arrival) {
        return occupy(std::max(arrival, free_at_), timing_);
    }
    /// Shows the k-sets of SpWMMAs in `scope` of a waveform.
    void watch(WaveRecorder& wave, std::string_view scope);

private:
    /// Whose sums the accumulation buffer holds.
    struct Owner {
        WarpId warp;
        std::uint8_t accumulators = 0;
        std::byte* sums = nullptr;

        [[nodiscard]] bool is(const SpwmmaOperands& operands) const {
            return warp == operands.warp && accumulators == operands.accumulators;
        }
    };

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    Cycle serve(int id, tlm::tlm_generic_payload& payload, AccessInfo* info,
                Cycle arrival) override;
    MmaTimes occupy(Cycle start, const MatrixTiming& takes) {
        free_at_ = start + takes.initiation;
        ++operations_;
        busy_cycles_ += takes.initiation;
        return {start + takes.latency, free_at_};
    }
    MatrixTiming multiply(Cycle start, const MmaOperands& operands);
    /// Returns the cycle at which the sums are there.
    Cycle multiply_sparse(Cycle start, SpwmmaOperands& operands);
    /// The buffer's sums go back to registers; cycles until the collector has none left.
    Cycle give_back();
    void register_sparse(StatGroup& statistics);
    void show_sets(Cycle begin, Cycle end);

    // Of dense products, side by side for the host's caches.
    alignas(64) Cycle free_at_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t busy_cycles_ = 0;
    MatrixTiming timing_;  ///< without values

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
