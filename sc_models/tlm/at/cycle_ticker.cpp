#include "sc_models/tlm/at/cycle_ticker.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "sc_models/common/interrupt.h"
#include "sc_models/tlm/at/island_crew.h"

namespace tessera {

namespace {

constexpr Cycle kHorizon = 512;  ///< longer than the usual latencies
constexpr std::size_t kWord = 64;

}  // namespace

CycleTicker::CycleTicker(const sc_core::sc_module_name& name, const ClockDomain& clock)
    : sc_module(name), clock_(clock), alarms_(kHorizon), calls_(kHorizon) {
    SC_METHOD(tick);
    sensitive << event_;
    dont_initialize();
}

void CycleTicker::look_at_time() {
    const std::uint64_t stamp = clock_.present().value();
    if (stamp == stamp_) return;
    stamp_ = stamp;
    now_ = clock_.cycle_at(time_of(stamp));
}

void CycleTicker::notify(Cycle cycle) {
    notified_ = cycle;
    event_.notify(delay_to(cycle));
}

void CycleTicker::tick() {
    if (interrupt_requested()) {
        sc_core::sc_stop();
        return;
    }
    look_at_time();
    ticking_ = true;
    notified_ = kNever;
    do {
        alarms_.drain(
            now_,
            [this](CycleAlarm* alarm) {
                if (alarm->next_ > now_) return;  // it has run already, or was rescheduled
                alarm->run();
                if (std::exchange(alarm->leaves_, false)) alarm->exchange();
            },
            [](CycleAlarm* alarm) { alarm->warm_host(); });
        run_islands();
    } while (std::min(alarms_.next(), calls_.next()) <= now_);
    ticking_ = false;
    const Cycle next = std::min(alarms_.next(), calls_.next());
    if (next != kNever) notify(next);
}

std::uint32_t CycleTicker::add(Island& island) {
    islands_.push_back(&island);
    due_bits_.resize(islands_.size() / kWord + 1);
    return static_cast<std::uint32_t>(islands_.size() - 1);
}

void CycleTicker::find_due_islands() {
    due_.clear();
    if (calls_.next() > now_) return;
    calls_.drain(now_, [this](Island* island) {
        if (island->registered_ <= now_) island->registered_ = kNever;
        if (island->next_ > now_) return;  // it has run already
        due_bits_[island->number_ / kWord] |= std::uint64_t{1} << island->number_ % kWord;
    });
    for (std::size_t word = 0; word < due_bits_.size(); ++word) {
        for (std::uint64_t& left = due_bits_[word]; left != 0; left &= left - 1) {
            Island* const island =
                islands_[word * kWord + static_cast<unsigned>(__builtin_ctzll(left))];
            island->at_work_ = true;
            due_.push_back(island);
        }
    }
}

void CycleTicker::run_islands() {
    find_due_islands();
    if (due_.empty()) return;
    if (crew_ == nullptr) {
        IslandCrew::run_in_order({due_.data(), due_.size()}, now_);
    } else {
        const auto first_apart = std::partition_point(
            due_.begin(), due_.end(), [this](const Island* i) { return i->number_ < apart_; });
        const auto before = static_cast<std::size_t>(first_apart - due_.begin());
        crew_->run({due_.data(), before}, now_);
        crew_->run({due_.data() + before, due_.size() - before}, now_);
    }
    for (Island* const island : due_) island->pass_on_news();
    for (Island* const island : due_) {
        if (island->error_) std::rethrow_exception(std::exchange(island->error_, nullptr));
        island->exchange();
        island->at_work_ = false;
        if (island->next_ != kNever) schedule(*island);
    }
}

void CycleTicker::wait_for_islands_before(const Island& island) const {
    if (crew_ != nullptr) crew_->wait_for_those_before(island);
}

}  // namespace tessera
