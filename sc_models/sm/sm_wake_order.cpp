#include "sc_models/sm/sm_wake_order.h"

namespace tessera {
namespace {

constexpr int kInitialHeap = 128;  ///< entries; the heap grows

}  // namespace

SmWakeOrder::SmWakeOrder() : heap_(kInitialHeap, compare) {
    // SystemC allows no module once the simulation has begun, so all wakes are recorded or none.
    several_ = ++machines_ > 1 || several_;
}

SmWakeOrder::~SmWakeOrder() {
    --machines_;
}

/// Compares as SystemC compares its timed events: those of one time are equal.
int SmWakeOrder::compare(const void* one, const void* other) {
    const sc_core::sc_time& a = static_cast<const SmWakeEntry*>(one)->at;
    const sc_core::sc_time& b = static_cast<const SmWakeEntry*>(other)->at;
    return a < b ? 1 : b < a ? -1 : 0;
}

void SmWakeOrder::notify(SmWake& wake) {
    replace(wake);
    wake.delta_ = false;
    wake.event_.notify();
}

void SmWakeOrder::record(SmWake& wake, const sc_core::sc_time& delay) {
    if (wake.delta_) return;
    if (delay == sc_core::SC_ZERO_TIME) {
        replace(wake);
        wake.delta_ = true;
        return;
    }
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    if (wake.timed_ != nullptr && wake.timed_->at <= at) return;
    replace(wake);
    insert(wake, at);
}

void SmWakeOrder::insert(SmWake& wake, const sc_core::sc_time& at) {
    // SystemC removes replaced entries from the top when it looks for the next time.
    if (sc_core::sc_time_stamp() != last_ || sc_core::sc_get_status() != sc_core::SC_RUNNING) {
        last_ = sc_core::sc_time_stamp();
        drop_replaced();
    }
    if (unused_.empty()) {
        entries_.push_back({});
        unused_.push_back(&entries_.back());
    }
    SmWakeEntry* const entry = unused_.back();
    unused_.pop_back();
    *entry = {&wake, at};
    heap_.insert(entry);
    wake.timed_ = entry;
}

SmWakeEntry SmWakeOrder::extract() {
    SmWakeEntry* const entry = heap_.extract_top();
    unused_.push_back(entry);
    return *entry;
}

/// The entry stays in the heap until it is at the top, as SystemC's do.
void SmWakeOrder::replace(SmWake& wake) {
    if (wake.timed_ == nullptr) return;
    wake.timed_->wake = nullptr;
    wake.timed_ = nullptr;
}

void SmWakeOrder::drop_replaced() {
    while (!heap_.empty() && heap_.top()->wake == nullptr) static_cast<void>(extract());
}

void SmWakeOrder::rank(SmWake& wake) {
    last_ = sc_core::sc_time_stamp();
    // The first wake at this time ranks all that are due.
    while (!heap_.empty() && heap_.top()->at <= last_) {
        SmWake* const due = extract().wake;
        if (due == nullptr) continue;
        due->timed_ = nullptr;
        due->ranked_ = true;
        due->rank_ = next_rank_++;
    }
    if (!wake.ranked_) wake.rank_ = next_rank_++;
    wake.ranked_ = false;
    wake.delta_ = false;
}

}  // namespace tessera
