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

void CycleTicker::schedule(Cycle at, CycleAlarm& alarm) {
    const Cycle cycle = std::max(at, now());
    alarms_.push(now_, cycle, &alarm);
    if (ticking_ || cycle >= notified_) return;
    notified_ = cycle;
    event_.notify(delay_to(cycle));
}

void CycleTicker::tick() {
    look_at_time();
    ticking_ = true;
    notified_ = kNever;
    alarms_.drain(now_, [this](CycleAlarm* alarm) {
        if (alarm->next_ > now_) return;  // it has run, or was put off
        alarm->next_ = kNever;
        alarm->block_.evaluate();
    });
    ticking_ = false;
    if (alarms_.empty()) return;
    notified_ = alarms_.next();
    event_.notify(delay_to(notified_));
}

}  // namespace tessera
