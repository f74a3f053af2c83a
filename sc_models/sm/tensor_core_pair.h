// Tensor-core pair of a sub-core.
#pragma once

#include <array>
#include <functional>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tensor_core/matrix_unit.h"
#include "sc_models/tensor_core/shell/outer_product_blocks.h"
#include "sc_models/tensor_core/spwmma_unit.h"
#include "sc_models/tlm/lt/lt_socket.h"

namespace tessera {

/// Pair of tensor cores with 128 multiply-adds a cycle: a 16x16x16 multiply-accumulate occupies it
/// for 32 cycles, and so may a 16x16x32 with a 2:4 operand or of INT8. Each operation is one
/// payload with an MmaOperands or SpwmmaOperands extension. The response is the cycle at which D is
/// written; the extension returns the cycle until which the pair is busy. The caller must not start
/// the next operation before. Where operands are given, `unit` computes D.
///
/// With a sequencer the pair also executes SpWMMAs. The accumulation buffer holds the sums of one
/// 32x32 tile; an SpWMMA on another tile first swaps it with the registers (swap_cycles, plus the
/// cycles to drain the collector).
///
/// The blocks of outer-product tensor cores are modules below the pair.
class TensorCorePair : public sc_core::sc_module {
public:
    LtTargetSocket<TensorCorePair> from_sub_core{"from_sub_core"};

    /// Makes the units of a pair; called once, in the constructor of the pair, so that their
    /// modules become its children.
    using UnitMaker = std::function<TensorCoreUnits()>;

    /// Throws like `make`, and std::logic_error if it returns an SpWMMA unit without its blocks.
    TensorCorePair(sc_core::sc_module_name name, const UnitMaker& make, const ClockDomain& clock,
                   StatGroup& statistics);
    /// Returns the timing of a product without values.
    [[nodiscard]] const MatrixTiming& timing() const { return timings_.front(); }
    /// Adds the k-sets of SpWMMAs to a waveform, in `scope`.
    void watch(WaveRecorder& wave, std::string_view scope);

private:
    friend LtTargetSocket<TensorCorePair>;
    void b_transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    static unsigned int transport_dbg(int /*port*/, tlm::tlm_generic_payload& /*payload*/) {
        return 0;
    }
    [[nodiscard]] bool has_product(FragmentProduct product);
    /// Executes a product that starts at `start`; returns the cycle at which D is written.
    Cycle multiply_dense(Cycle start, MmaOperands& operands);
    MatrixTiming multiply(Cycle start, const MmaOperands& operands);
    void multiply_structured(Cycle start, const MmaOperands& operands);
    static void multiply_integer(const MmaOperands& operands);
    /// Returns whether the unit has a rate for the product of a warpgroup.
    [[nodiscard]] bool has_warpgroup(const WarpgroupOperands& operands);
    /// Executes a warp's share of a warpgroup's product that starts at `start`; returns the cycle
    /// from which a wait for it is over.
    Cycle multiply_warpgroup(Cycle start, WarpgroupOperands& operands);
    void multiply_lines(Cycle start, const WarpgroupOperands& operands);
    /// Executes an SpWMMA or flush; returns the cycle at which the sums are there.
    Cycle multiply_sparse(Cycle start, SpwmmaOperands& operands);
    void register_sparse(StatGroup& statistics);

    // State of dense products, kept contiguous for the host's caches.
    alignas(64) Cycle free_at_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t busy_cycles_ = 0;
    /// Timing by FragmentProduct, without values; but for the first, once known.
    std::array<MatrixTiming, kFragmentProducts> timings_;
    MatrixTiming warpgroup_;  ///< of the shape and columns below; initiation 0: none
    MmaShape warpgroup_shape_ = MmaShape::kHgmma16;
    std::uint32_t warpgroup_columns_ = 0;

    const TensorCoreUnits units_;
    LtTime time_;
    std::uint64_t rtl_cycles_ = 0;

    std::uint64_t spwmmas_ = 0, nonfinite_tiles_ = 0;
    bool watched_ = false;
    std::vector<SpwmmaSet> sets_;  ///< of the latest SpWMMA, if watched
};

}  // namespace tessera
