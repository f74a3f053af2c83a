#include "sc_models/sm/tensor_core_pair.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tessera {

TensorCorePair::TensorCorePair(sc_core::sc_module_name name, std::unique_ptr<MatrixUnit> unit,
                               std::unique_ptr<SpwmmaUnit> sequencer, const ClockDomain& clock,
                               StatGroup& statistics)
    : sc_module(name),
      timing_(unit->timing()),
      unit_(std::move(unit)),
      sequencer_(std::move(sequencer)),
      time_(clock) {
    from_sub_core.serve_with(*this);
    statistics.counter("operations", operations_, "count", "16x16x16 multiply-accumulates");
    statistics.counter("busy_cycles", busy_cycles_, "cycles", "cycles the pair was occupied");
    statistics.counter("rtl_cycles", rtl_cycles_, "cycles",
                       "clock cycles of RTL in the pair (impl)");
    if (sequencer_) register_sparse(statistics);
}

// NOLINTNEXTLINE(readability-make-member-function-const): statistics keep references to members
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

void TensorCorePair::b_transport(int /*port*/, tlm::tlm_generic_payload& payload,
                                 sc_core::sc_time& delay) {
    const Cycle start = std::max(time_.arrive(delay), free_at_);
    Cycle done = 0;
    if (auto* sparse = sequencer_ ? payload.get_extension<SpwmmaOperands>() : nullptr) {
        done = multiply_sparse(start, *sparse);
    } else if (auto* operands = payload.get_extension<MmaOperands>()) {
        done = multiply_dense(start, *operands);
    } else {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = time_.delay_to(done);
}

Cycle TensorCorePair::multiply_dense(Cycle start, MmaOperands& operands) {
    const MatrixTiming takes = operands.c != nullptr ? multiply(start, operands) : timing_;
    free_at_ = start + takes.initiation;
    operands.free_at = free_at_;
    ++operations_;
    busy_cycles_ += takes.initiation;
    return start + takes.latency;
}

Cycle TensorCorePair::multiply_sparse(Cycle start, SpwmmaOperands& operands) {
    const SpwmmaConfig& config = sequencer_->config();
    const bool flush = operands.a.counts == nullptr;
    const bool resident = owner_ && owner_->is(operands);
    sequencer_->at(start);
    operands.swapped = 0;
    if (flush ? resident : !resident) {
        operands.swapped = give_back() + config.swap_cycles;
        ++swaps_;
        swap_cycles_ += operands.swapped;
    }
    Cycle busy = operands.swapped;
    if (traces_.wave != nullptr && busy > 0) traces_.wave->pulse(traces_.swap, start, busy);
    if (!flush) {
        if (!resident) {
            owner_ = Owner{operands.warp, operands.accumulators, operands.sums};
            if (operands.sums != nullptr) {
                std::array<float, kTileElements> tile;  // NOLINT(*-member-init): filled next
                std::memcpy(tile.data(), operands.sums, sizeof tile);
                sequencer_->load(tile.data());
            }
        }
        const Cycle begin = start + busy;
        busy += sequencer_->run(operands.a, operands.b, work_);
        if (traces_.wave != nullptr) show_sets(begin, start + busy);
        ++spwmmas_;
    }
    free_at_ = start + busy;
    operands.free_at = free_at_;
    busy_cycles_ += busy;
    rtl_cycles_ = unit_->rtl_cycles() + sequencer_->rtl_cycles();
    return free_at_ + config.latency_cycles;
}

void TensorCorePair::watch(WaveRecorder& wave, std::string_view scope) {
    if (!sequencer_) return;
    traces_.wave = &wave;
    traces_.swap = wave.add(scope, "swap", 1);
    traces_.a = wave.add(scope, "popcount_a", 6);
    traces_.b = wave.add(scope, "popcount_b", 6);
    traces_.predicates = wave.add(scope, "predicates", kOhmmasPerSet);
    traces_.ohmmas = wave.add(scope, "ohmmas", 4);
    traces_.conflicts = wave.add(scope, "conflict_cycles", 8);
    sequencer_->watch(&sets_);
}

void TensorCorePair::show_sets(Cycle begin, Cycle end) {
    WaveRecorder& wave = *traces_.wave;
    const auto show = [&](Cycle at, const SpwmmaSet& set) {
        wave.set(traces_.a, at, set.a);
        wave.set(traces_.b, at, set.b);
        wave.set(traces_.predicates, at, set.predicates);
        wave.set(traces_.ohmmas, at,
                 static_cast<std::uint64_t>(__builtin_popcount(set.predicates)));
        wave.set(traces_.conflicts, at, std::min(set.conflicts, 255U));
    };
    for (const SpwmmaSet& set : sets_) {
        if (begin + set.begin < end) show(begin + set.begin, set);
    }
    show(end, {});
}

Cycle TensorCorePair::give_back() {
    if (!owner_) return 0;
    const Cycle drained = sequencer_->drain();
    if (owner_->sums != nullptr) {
        std::array<float, kTileElements> tile;  // NOLINT(*-member-init): filled next
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
