// Order in which loosely-timed SMs of one machine run that are due at one time.
#pragma once

#include <sysc/utils/sc_pq.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

namespace tessera {

class SmWake;

/// Timed notification of a wake, as SmWakeOrder records it.
struct SmWakeEntry {
    SmWake* wake;  ///< null: replaced by an earlier one
    sc_core::sc_time at;
};

/// Event that wakes the process of one SM. The members mirror what SystemC has pending for it.
class SmWake {
public:
    [[nodiscard]] const sc_core::sc_event& event() const { return event_; }
    /// Returns the position among the wakes of this phase; valid from SmWakeOrder::woken() on.
    [[nodiscard]] std::uint64_t rank() const { return rank_; }

private:
    friend class SmWakeOrder;
    sc_core::sc_event event_;
    SmWakeEntry* timed_ = nullptr;  ///< in the heap of SmWakeOrder
    bool delta_ = false;            ///< notified for the next delta cycle
    bool ranked_ = false;           ///< due at present, and woken() has not been called
    std::uint64_t rank_ = 0;
};

/// Ranks the SMs of one machine that SystemC wakes at the same time. Which comes first decides who
/// is served first by the memory below, hence cycles. SystemC takes events of one time from its
/// priority queue (sc_ppq), whose order depends on all its other events. This class repeats that
/// queue with the events of one machine only, so the order is that of the machine alone in its
/// program, whatever other machines do. Processes and events remain SystemC's. While only one
/// machine exists, its order is SystemC's and nothing is recorded.
class SmWakeOrder {
public:
    SmWakeOrder();
    ~SmWakeOrder();
    SmWakeOrder(const SmWakeOrder&) = delete;
    SmWakeOrder& operator=(const SmWakeOrder&) = delete;

    /// Notifies the event after a delay, with the rules of sc_event: an earlier one stays.
    void notify(SmWake& wake, const sc_core::sc_time& delay) {
        wake.event_.notify(delay);
        if (several_) record(wake, delay);
    }
    /// Notifies the event in this evaluation phase.
    void notify(SmWake& wake);
    /// Ranks a wake; call from the process of its SM, whenever the event woke it.
    void woken(SmWake& wake) {
        if (several_) rank(wake);
    }

private:
    void record(SmWake& wake, const sc_core::sc_time& delay);
    void rank(SmWake& wake);
    static int compare(const void* one, const void* other);
    void insert(SmWake& wake, const sc_core::sc_time& at);
    SmWakeEntry extract();
    void replace(SmWake& wake);
    void drop_replaced();

    inline static std::size_t machines_ = 0;  ///< objects of this class
    inline static bool several_ = false;      ///< there have been two of them

    sc_core::sc_ppq<SmWakeEntry*> heap_;
    std::deque<SmWakeEntry> entries_;   ///< storage of the heap's entries
    std::vector<SmWakeEntry*> unused_;  ///< of these, those that are not in the heap
    sc_core::sc_time last_;             ///< time of the latest call
    std::uint64_t next_rank_ = 0;
};

}  // namespace tessera
