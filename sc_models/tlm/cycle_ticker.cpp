#include "sc_models/tlm/cycle_ticker.h"

#include <algorithm>

namespace tessera {

namespace {

constexpr Cycle kHorizon = 512;  ///< the usual latencies are shorter

}  // namespace

CycleTicker::CycleTicker(const sc_core::sc_module_name& name, const ClockDomain& clock)
    : sc_module(name), clock_(clock), alarms_(kHorizon) {
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

/// Blocks keep behind their alarm what they look at when they run, which other blocks' state has
/// pushed out of the host's nearest cache since they did last.
void CycleTicker::warm_host(const CycleAlarm* alarm) {
    constexpr std::size_t kHostLine = 64;
    const auto* const state = reinterpret_cast<const char*>(alarm);
    for (std::size_t line = 0; line < 6; ++line) __builtin_prefetch(state + line * kHostLine);
}

void CycleTicker::tick() {
    look_at_time();
    ticking_ = true;
    notified_ = kNever;
    alarms_.drain(
        now_,
        [this](CycleAlarm* alarm) {
            if (alarm->next_ > now_) return;  // it has run, or was put off
            alarm->next_ = kNever;
            alarm->block_.evaluate();
        },
        [](CycleAlarm* alarm) { warm_host(alarm); });
    ticking_ = false;
    if (!alarms_.empty()) notify(alarms_.next());
}

}  // namespace tessera
