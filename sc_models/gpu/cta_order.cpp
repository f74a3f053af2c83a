#include "sc_models/gpu/cta_order.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

/// Relative uncertainty added to the time of skipped waves, for differences that the measured waves
/// cannot show. Chosen: a fifth of small samples had intervals too narrow by less than this.
constexpr double kUnseen = 0.01;

/// Widens the half-width of the interval by kUnseen.
WaveEstimate with_unseen(WaveEstimate estimate) {
    estimate.half_width = std::hypot(estimate.half_width, kUnseen * estimate.cycles);
    return estimate;
}

}  // namespace

CtaOrder::CtaOrder(std::uint32_t ctas, std::uint32_t slots, std::uint32_t row_ctas,
                   const SampleConfig& config)
    : ctas_(ctas),
      last_(false),
      slots_(slots),
      waves_(ctas / slots),
      row_ctas_(std::max(1U, row_ctas)),
      warm_waves_(config.warm_waves),
      error_(config.error_percent / 100) {
    if (waves_ < fewest_waves()) {
        segment_end_ = ctas_;
        last_ = true;
        run_.assign(waves_, true);
        return;
    }
    run_.assign(waves_, false);
    times_.emplace(slots_);
}

std::optional<std::uint32_t> CtaOrder::next(Cycle at) {
    if (next_ == segment_end_ && !last_) choose_segment(at);
    if (next_ == segment_end_) return std::nullopt;
    if (times_) times_->add(at);
    ++launched_;
    return next_++;
}

void CtaOrder::choose_segment(Cycle at) {
    if (launched_ == 0) {
        start_ = at;
        launch_waves(0, warm_waves_ + kMeasured);
        for (std::uint32_t i = 0; i < kMeasured; ++i) measured_.push_back(warm_waves_ + i);
        return;
    }
    if (!precise_enough(at)) {
        if (place_) {
            measure(*place_);
            return;
        }
        if (places_ == 1 &&
            !run_[waves_ - 1]) {  // the middle has been measured once this is launched
            launch_waves(waves_ - 1, 1);
            return;
        }
        if (const std::optional<std::uint32_t> wave = next_place()) {
            const std::uint32_t first = warm_start(*wave);
            if (first == *wave) {
                measure(*wave);
            } else {
                place_ = wave;
                launch_waves(first, *wave - first);
            }
            return;
        }
    }
    next_ = waves_ * slots_;
    segment_end_ = ctas_;
    last_ = true;
}

void CtaOrder::launch_waves(std::uint32_t first, std::uint32_t count) {
    std::fill_n(run_.begin() + first, count, true);
    next_ = first * slots_;
    segment_end_ = next_ + count * slots_;
}

void CtaOrder::measure(std::uint32_t wave) {
    place_.reset();
    const std::uint32_t end = std::min(waves_, wave + kMeasured);
    std::uint32_t count = 1;
    while (wave + count < end && !run_[wave + count]) ++count;
    for (std::uint32_t i = 0; i < count; ++i) measured_.push_back(launched_ / slots_ + i);
    launch_waves(wave, count);
}

/// Returns the first of the waves that have not run and that warm the machine up for `wave`.
std::uint32_t CtaOrder::warm_start(std::uint32_t wave) const {
    std::uint32_t first = wave;
    while (wave - first < warm_waves_ && !run_[first - 1]) --first;
    return first;
}

/// Returns the distance, in CTAs of a row of tiles, from the next CTA to the warm-up of `wave`.
std::uint32_t CtaOrder::row_offset(std::uint32_t wave) const {
    const std::uint64_t to = std::uint64_t{warm_start(wave)} * slots_ % row_ctas_;
    const std::uint64_t from = next_ % row_ctas_;
    const auto apart = static_cast<std::uint32_t>(to > from ? to - from : from - to);
    return std::min(apart, row_ctas_ - apart);
}

/// Returns a wave near the next bisection point of the waves after the start (1/2, 1/4, 3/4, 1/8,
/// 3/8, ...), at the position where the current row of tiles continues.
std::optional<std::uint32_t> CtaOrder::next_place() {
    const std::uint32_t first = warm_waves_ + kMeasured;
    while (std::find(run_.begin(), run_.end(), false) != run_.end()) {
        const std::uint64_t number = ++places_;
        std::uint64_t whole = 1;
        while (whole <= number) whole *= 2;
        const std::uint64_t odd = 2 * number + 1 - whole;
        const std::uint32_t wave =
            first + static_cast<std::uint32_t>((waves_ - first) * odd / whole);
        const std::uint32_t reach = (waves_ - first) / 8;
        std::optional<std::uint32_t> best;
        for (std::uint32_t i = 0; i <= 2 * reach; ++i) {  // nearest first
            const std::uint32_t candidate = i % 2 == 0 ? wave + i / 2 : wave - (i + 1) / 2;
            if (candidate < first || candidate >= waves_ || run_[candidate]) continue;
            if (!best || row_offset(candidate) < row_offset(*best)) best = candidate;
        }
        if (best) return best;
    }
    return std::nullopt;
}

std::vector<std::size_t> CtaOrder::measured() const {
    std::vector<std::size_t> waves;
    for (const std::size_t wave : measured_) {
        if (times_->complete(wave)) waves.push_back(wave);
    }
    return waves;
}

bool CtaOrder::precise_enough(Cycle at) const {
    const std::vector<std::size_t> waves = measured();
    const auto run = static_cast<std::uint64_t>(std::count(run_.begin(), run_.end(), true));
    if (waves.size() < kFewestMeasured || run * kMostTimes < waves_) return false;
    const auto skipped = static_cast<std::uint32_t>(std::count(run_.begin(), run_.end(), false));
    const WaveEstimate estimate = with_unseen(times_->estimate(waves, skipped));
    return estimate.half_width <= error_ * (static_cast<double>(at - *start_) + estimate.cycles);
}

std::optional<KernelSample> CtaOrder::sample() const {
    if (slots_ == 0) return std::nullopt;
    KernelSample result;
    result.ctas = launched_;
    result.slots = slots_;
    result.waves = waves_;
    if (!times_) return result;
    const std::vector<std::size_t> waves = measured();
    result.skipped_waves = static_cast<std::uint32_t>(std::count(run_.begin(), run_.end(), false));
    result.measured_waves = static_cast<std::uint32_t>(waves.size());
    result.skipped = with_unseen(times_->estimate(waves, result.skipped_waves));
    return result;
}

bool CtaOrder::runs(std::uint32_t cta) const {
    if (cta >= ctas_) return false;
    return slots_ == 0 || cta / slots_ >= waves_ || run_[cta / slots_];
}

}  // namespace tessera
