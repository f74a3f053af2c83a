#include "sc_models/tensor_core/tensor_core_pair.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tessera {

TensorCorePair::TensorCorePair(sc_core::sc_module_name name, std::unique_ptr<MatrixUnit> unit,
                               std::unique_ptr<SpwmmaSequencer> sequencer, const ClockDomain& clock,
                               StatGroup& statistics)
    : sc_module(name), unit_(std::move(unit)), sequencer_(std::move(sequencer)), clock_(clock) {
    from_sub_core.register_b_transport(this, &TensorCorePair::b_transport);
    statistics.counter("operations", operations_, "count", "16x16x16 multiply-accumulates");
    statistics.counter("busy_cycles", busy_cycles_, "cycles", "cycles the pair was occupied");
    statistics.counter("rtl_cycles", rtl_cycles_, "cycles",
                       "clock cycles of RTL in the pair (impl)");
    if (sequencer_) register_sparse(statistics);
}

void TensorCorePair::register_sparse(StatGroup& statistics) {
    statistics.counter("spwmmas", spwmmas_, "count", "32x32x16 sparse multiply-accumulates");
    statistics.counter("bohmmas", work_.k_sets, "count",
                       "BOHMMA.32321: k of SpWMMAs with non-zeros on both sides");
    statistics.counter("ohmmas", work_.ohmmas, "count", "OHMMA.8161 issued by SpWMMAs");
    statistics.counter("ohmmas_skipped", work_.skipped, "count",
                       "OHMMA.8161 of SpWMMAs predicated off, of 8 a k");
    statistics.counter("additions", work_.additions, "count", "products accumulated by SpWMMAs");
    statistics.counter("ohmma_cycles", work_.tensor_cycles, "cycles",
                       "cycles that the OHMMAs and BOHMMAs of SpWMMAs take");
    statistics.counter("accumulate_cycles", work_.accumulate_cycles, "cycles",
                       "cycles that the accumulation buffer takes for SpWMMAs");
    statistics.counter("swaps", swaps_, "count", "exchanges of the accumulation buffer's tile");
    statistics.counter("swap_cycles", swap_cycles_, "cycles", "cycles of these exchanges");
    statistics.counter("nonfinite_tiles", work_.nonfinite_tiles, "count",
                       "SpWMMAs with infinities or NaNs among their values");
}

void TensorCorePair::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const Cycle start = std::max(clock_.cycle_at(sc_core::sc_time_stamp() + delay), free_at_);
    auto* sparse = payload.get_extension<SpwmmaOperands>();
    if (sparse != nullptr && sequencer_) {
        const Cycle done = multiply_sparse(start, *sparse);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        delay = clock_.span(done) - sc_core::sc_time_stamp();
        return;
    }
    auto* operands = payload.get_extension<MmaOperands>();
    if (operands == nullptr) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    const MatrixTiming takes =
        operands->c != nullptr ? multiply(start, *operands) : unit_->timing();
    free_at_ = start + takes.initiation;
    operands->free_at = free_at_;
    ++operations_;
    busy_cycles_ += takes.initiation;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = clock_.span(start + takes.latency) - sc_core::sc_time_stamp();
}

Cycle TensorCorePair::multiply_sparse(Cycle start, SpwmmaOperands& operands) {
    const SpwmmaConfig& config = sequencer_->config();
    const bool flush = operands.a.counts == nullptr;
    const bool resident = owner_ && owner_->is(operands);
    operands.swapped = 0;
    if (flush ? resident : !resident) {
        operands.swapped = give_back() + config.swap_cycles;
        ++swaps_;
        swap_cycles_ += operands.swapped;
    }
    Cycle busy = operands.swapped;
    if (!flush) {
        if (!resident) {
            owner_ = Owner{operands.warp, operands.accumulators, operands.sums};
            if (operands.sums != nullptr) {
                std::array<float, kTileElements> tile;
                std::memcpy(tile.data(), operands.sums, sizeof tile);
                sequencer_->load(tile.data());
            }
        }
        busy += sequencer_->run(operands.a, operands.b, work_);
        ++spwmmas_;
    }
    free_at_ = start + busy;
    operands.free_at = free_at_;
    busy_cycles_ += busy;
    return free_at_ + config.latency_cycles;
}

Cycle TensorCorePair::give_back() {
    if (!owner_) return 0;
    const Cycle drained = sequencer_->drain();
    if (owner_->sums != nullptr) {
        std::array<float, kTileElements> tile;
        sequencer_->store(tile.data());
        std::memcpy(owner_->sums, tile.data(), sizeof tile);
    }
    owner_.reset();
    return drained;
}

MatrixTiming TensorCorePair::multiply(Cycle start, const MmaOperands& operands) {
    constexpr std::size_t kCopyBytes = kMatrixElements * sizeof(HalfBits);
    std::array<HalfBits, kMatrixElements> a{};
    std::array<HalfBits, kMatrixElements> b{};
    std::array<float, kMatrixElements> c{};
    std::memcpy(a.data(), operands.a[0], kCopyBytes);
    std::memcpy(b.data(), operands.b, kCopyBytes);
    std::memcpy(c.data(), operands.c, sizeof(c));
    std::array<float, kMatrixElements> d{};
    const MatrixTiming takes = unit_->multiply(start, a.data(), b.data(), c.data(), d.data());
    if (operands.a[1] != operands.a[0] &&
        std::memcmp(operands.a[1], operands.a[0], kCopyBytes) != 0) {
        // The octets of the right half read their own copy of A.
        std::array<float, kMatrixElements> right{};
        std::memcpy(a.data(), operands.a[1], kCopyBytes);
        unit_->multiply(start, a.data(), b.data(), c.data(), right.data());
        constexpr std::ptrdiff_t kHalf = kMatrixSize / 2;
        for (std::ptrdiff_t row = 0; row < std::ptrdiff_t{kMatrixSize}; ++row) {
            const std::ptrdiff_t first = row * kMatrixSize + kHalf;
            std::copy_n(right.begin() + first, kHalf, d.begin() + first);
        }
    }
    std::memcpy(operands.c, d.data(), sizeof(d));
    rtl_cycles_ = unit_->rtl_cycles();
    return takes;
}

}  // namespace tessera
