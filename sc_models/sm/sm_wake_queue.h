// Wake-ups of the loosely-timed SMs of one machine.
#pragma once

#include <sysc/utils/sc_pq.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

namespace tessera {

class SmWakeQueue;

/// Interface of an object that a SmWakeQueue wakes.
class WakeClient {
protected:
    ~WakeClient() = default;

private:
    friend class SmWakeQueue;
    /// Called in a method process of the queue.
    virtual void on_wake() = 0;

    enum class Pending : std::uint8_t { kNone, kDelta, kTimed };
    Pending pending_ = Pending::kNone;
    bool runnable_ = false;  ///< woken in this evaluation phase, and not called yet
    void* timed_ = nullptr;  ///< its entry in the queue's heap
};

/// Wakes clients with the rules of sc_event: one wake-up is pending for each, and an earlier one
/// replaces it. Clients of one time are woken in the order of SystemC's own priority queue
/// (sc_ppq), as if no other module of the program had events. So each of several machines in one
/// program has the cycles that it has alone.
class SmWakeQueue : public sc_core::sc_module {
public:
    explicit SmWakeQueue(const sc_core::sc_module_name& name);
    SmWakeQueue(const SmWakeQueue&) = delete;
    SmWakeQueue& operator=(const SmWakeQueue&) = delete;

    /// Wakes a client in this evaluation phase; its pending wake-up is cancelled.
    void wake_now(WakeClient& client);
    /// Wakes a client after a delay, in the next delta cycle if that is zero.
    void wake_after(WakeClient& client, const sc_core::sc_time& delay);

    SC_HAS_PROCESS(SmWakeQueue);

private:
    struct Entry {
        WakeClient* client;  ///< null: replaced by an earlier wake-up
        sc_core::sc_time at;
    };
    static int compare(const void* one, const void* other);

    void wake_ready();
    void wake_delta();
    void wake_due();
    void insert(WakeClient& client, const sc_core::sc_time& at);
    [[nodiscard]] Entry extract();
    /// Forgets the entry of a client.
    void replace(WakeClient& client);
    /// Takes a client whose wake-up came into waking_.
    void trigger(WakeClient& client);
    void wake_all();
    static void wake(WakeClient& client);

    sc_core::sc_event ready_event_, delta_event_, due_event_;
    std::vector<WakeClient*> ready_, delta_, waking_;
    bool in_ready_ = false;  ///< wake_ready() runs
    sc_core::sc_ppq<Entry*> heap_;
    std::deque<Entry> entries_;   ///< storage of the heap's entries
    std::vector<Entry*> unused_;  ///< of these, those that are not in the heap
    std::size_t live_ = 0;        ///< entries with a client
    sc_core::sc_time last_due_;   ///< last time of an entry
};

}  // namespace tessera
