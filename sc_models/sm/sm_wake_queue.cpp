#include "sc_models/sm/sm_wake_queue.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr int kInitialHeap = 128;  ///< entries; the heap grows

}  // namespace

SmWakeQueue::SmWakeQueue(const sc_core::sc_module_name& name)
    : sc_module(name), heap_(kInitialHeap, compare) {
    SC_METHOD(wake_ready);
    sensitive << ready_event_;
    dont_initialize();
    SC_METHOD(wake_delta);
    sensitive << delta_event_;
    dont_initialize();
    SC_METHOD(wake_due);
    sensitive << due_event_;
    dont_initialize();
}

/// Compares as SystemC compares its timed events: those of one time are equal.
int SmWakeQueue::compare(const void* one, const void* other) {
    const sc_core::sc_time& a = static_cast<const Entry*>(one)->at;
    const sc_core::sc_time& b = static_cast<const Entry*>(other)->at;
    return a < b ? 1 : b < a ? -1 : 0;
}

void SmWakeQueue::wake_now(WakeClient& client) {
    if (client.pending_ == WakeClient::Pending::kDelta) {
        // SystemC closes the gap with the last one.
        *std::find(delta_.begin(), delta_.end(), &client) = delta_.back();
        delta_.pop_back();
    }
    replace(client);
    client.pending_ = WakeClient::Pending::kNone;
    if (client.runnable_) return;
    client.runnable_ = true;
    ready_.push_back(&client);
    if (!in_ready_) ready_event_.notify();
}

void SmWakeQueue::wake_after(WakeClient& client, const sc_core::sc_time& delay) {
    if (client.pending_ == WakeClient::Pending::kDelta) return;
    if (delay == sc_core::SC_ZERO_TIME) {
        replace(client);
        client.pending_ = WakeClient::Pending::kDelta;
        delta_.push_back(&client);
        delta_event_.notify(delay);
        return;
    }
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    if (client.timed_ != nullptr && static_cast<Entry*>(client.timed_)->at <= at) return;
    replace(client);
    insert(client, at);
    due_event_.notify(delay);
}

void SmWakeQueue::insert(WakeClient& client, const sc_core::sc_time& at) {
    if (live_ == 0 && (sc_core::sc_time_stamp() != last_due_ ||
                       sc_core::sc_get_status() != sc_core::SC_RUNNING)) {
        // SystemC found no next time, and has removed all replaced entries.
        while (!heap_.empty()) static_cast<void>(extract());
    }
    if (unused_.empty()) {
        entries_.push_back({});
        unused_.push_back(&entries_.back());
    }
    Entry* const entry = unused_.back();
    unused_.pop_back();
    *entry = {&client, at};
    heap_.insert(entry);
    client.timed_ = entry;
    client.pending_ = WakeClient::Pending::kTimed;
    ++live_;
}

SmWakeQueue::Entry SmWakeQueue::extract() {
    Entry* const entry = heap_.extract_top();
    unused_.push_back(entry);
    if (entry->client != nullptr) --live_;
    return *entry;
}

/// The entry stays in the heap until its time, as SystemC's do.
void SmWakeQueue::replace(WakeClient& client) {
    if (client.timed_ == nullptr) return;
    static_cast<Entry*>(client.timed_)->client = nullptr;
    client.timed_ = nullptr;
    --live_;
}

void SmWakeQueue::wake_ready() {
    in_ready_ = true;
    for (std::size_t i = 0; i < ready_.size(); ++i) wake(*ready_[i]);  // a client may add others
    ready_.clear();
    in_ready_ = false;
}

/// SystemC triggers the events of a delta cycle from the last to the first.
void SmWakeQueue::wake_delta() {
    for (auto client = delta_.rbegin(); client != delta_.rend(); ++client) trigger(**client);
    delta_.clear();
    wake_all();
}

void SmWakeQueue::trigger(WakeClient& client) {
    client.pending_ = WakeClient::Pending::kNone;
    client.timed_ = nullptr;
    client.runnable_ = true;
    waking_.push_back(&client);
}

void SmWakeQueue::wake_all() {
    for (WakeClient* client : waking_) wake(*client);
    waking_.clear();
}

void SmWakeQueue::wake(WakeClient& client) {
    client.runnable_ = false;
    client.on_wake();
}

void SmWakeQueue::wake_due() {
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    last_due_ = now;
    while (!heap_.empty() && heap_.top()->at == now) {
        const Entry entry = extract();
        if (entry.client != nullptr) trigger(*entry.client);
    }
    wake_all();
    if (live_ != 0) due_event_.notify(heap_.top()->at - now);
}

}  // namespace tessera
