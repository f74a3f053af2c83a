// Clock of approximately-timed blocks, which ticks only when a block is due.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/common/timing_wheel.h"
#include "sc_models/tlm/at/partition.h"

namespace tessera {

class CycleAlarm;
class PartitionWorkers;

/// Interface of a block that runs in the cycles requested from its CycleAlarm.
class Clocked {
public:
    /// Does all the work of the present cycle; may be called again in the same cycle when new input
    /// has arrived.
    virtual void evaluate() = 0;
    /// Calls blocks outside its partition; runs once after each request
    /// (CycleAlarm::request_exchange).
    virtual void exchange_boundary() {}

protected:
    ~Clocked() = default;
};

/// One SystemC process for all blocks of a clock domain. A kernel event costs more than the work of
/// most blocks in a cycle; here a cycle takes one event, however many blocks run in it.
///
/// A cycle consists of supersteps, until no block is due in it. A superstep runs first the blocks
/// outside partitions, one after the other in the order of their requests; then the partitions, in
/// parallel if there are worker threads. It then delivers the partitions' notifications to
/// observers and calls exchange_boundary() of the partitions in the order of their numbers. A block
/// that requests the present cycle runs in it once more.
class CycleTicker : public sc_core::sc_module {
public:
    CycleTicker(const sc_core::sc_module_name& name, const ClockDomain& clock);
    CycleTicker(const CycleTicker&) = delete;
    CycleTicker& operator=(const CycleTicker&) = delete;

    /// Sets the threads that run the partitions, which must outlive all runs; null: one after the
    /// other.
    void set_workers(PartitionWorkers* workers) { workers_ = workers; }
    /// Separates the partitions made from now on from those made before: they start only when the
    /// latter have run in the superstep, as on one thread.
    void run_apart() { apart_ = partitions_.size(); }
    [[nodiscard]] const ClockDomain& clock() const { return clock_; }
    /// Returns the present cycle (the next one, if SystemC's time lies between two).
    [[nodiscard]] Cycle now() {
        if (!ticking_) sample_time();
        return now_;
    }
    /// Returns the cycle of the present time plus `delay`.
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) {
        if (delay.value() == 0) return now();
        return clock_.cycle_after(delay);
    }
    /// Returns the delay to `cycle`, or to the present cycle if that is later.
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) {
        const Cycle present = now();
        return time_of(clock_.span(cycle > present ? cycle : present).value() - stamp_);
    }

    SC_HAS_PROCESS(CycleTicker);

private:
    friend class CycleAlarm;
    friend class Partition;
    void tick();
    void sample_time();
    /// Registers a partition; returns its number.
    std::uint32_t add(Partition& partition);
    void run_partitions();
    void find_due_partitions();
    void wait_for_earlier_partitions(const Partition& partition) const;
    void schedule(Cycle at, CycleAlarm& alarm) {
        const Cycle present = now();
        const Cycle cycle = at > present ? at : present;
        alarms_.push(present, cycle, &alarm);
        if (!ticking_ && cycle < notified_) notify(cycle);
    }
    /// Schedules a check of the partition for its next due cycle.
    void schedule(Partition& partition) {
        const Cycle present = now();
        const Cycle cycle = partition.next_ > present ? partition.next_ : present;
        if (cycle >= partition.registered_) return;
        partition.registered_ = cycle;
        calls_.push(present, cycle, &partition);
        if (!ticking_ && cycle < notified_) notify(cycle);
    }
    void notify(Cycle cycle);

    ClockDomain clock_;
    std::uint64_t stamp_ = 0;  ///< simulation time of now_
    Cycle now_ = 0;
    bool ticking_ = false;
    Cycle notified_ = kNever;          ///< next run of the process
    TimingWheel<CycleAlarm*> alarms_;  ///< alarms of blocks outside partitions
    TimingWheel<Partition*> calls_;
    std::vector<Partition*> partitions_;   ///< indexed by number
    std::vector<std::uint64_t> due_bits_;  ///< partitions due in the superstep, one bit each
    std::vector<Partition*> due_;          ///< the same partitions in ascending order
    std::size_t apart_ = 0;                ///< first partition that runs apart; 0: none
    PartitionWorkers* workers_ = nullptr;
    sc_core::sc_event event_;
};

/// Clock of a block: a ticker, and the partition the block belongs to; null: none.
struct ClockPlace {
    CycleTicker& ticker;
    Partition* partition;

    ClockPlace(CycleTicker& of, Partition* in = nullptr)  // NOLINT(google-explicit-constructor)
        : ticker(of), partition(in) {}
};

/// Next run of a block. A block requests, each time it has run and whenever input arrives, the next
/// cycle in which it may have work; the earliest request counts.
class CycleAlarm {
public:
    CycleAlarm(const ClockPlace& place, Clocked& block)
        : ticker_(place.ticker), block_(block), partition_(place.partition) {
        if (partition_ != nullptr) index_ = partition_->join(*this);
    }
    CycleAlarm(const CycleAlarm&) = delete;
    CycleAlarm& operator=(const CycleAlarm&) = delete;

    [[nodiscard]] Cycle now() { return ticker_.now(); }
    [[nodiscard]] Cycle cycle_after(const sc_core::sc_time& delay) {
        return ticker_.cycle_after(delay);
    }
    [[nodiscard]] sc_core::sc_time delay_to(Cycle cycle) { return ticker_.delay_to(cycle); }

    /// Requests a run at `cycle`, or in the present cycle if that is later; kNever: no request.
    void at(Cycle cycle) {
        if (cycle >= next_) return;
        next_ = cycle;
        if (partition_ != nullptr) {
            partition_->request(index_, cycle);
        } else {
            ticker_.schedule(cycle, *this);
        }
    }
    /// Requests exchange_boundary(), in which the block may call blocks outside its partition:
    /// after all partitions have run or, without a partition, after the block has run.
    void request_exchange() {
        if (partition_ != nullptr) {
            partition_->request_exchange(index_);
        } else {
            exchange_requested_ = true;
        }
    }

private:
    friend class CycleTicker;
    friend class Partition;
    void run() {
        next_ = kNever;
        block_.evaluate();
    }
    void exchange_boundary() { block_.exchange_boundary(); }
    void host_prefetch() const {
        constexpr std::size_t kPrefetched = 6 * kHostLine;  // bytes accessed in a run
        host_prefetch_lines(this, reinterpret_cast<const char*>(this) + kPrefetched);
    }

    CycleTicker& ticker_;
    Clocked& block_;
    Partition* const partition_;
    std::uint32_t index_ = 0;          ///< index in the partition
    bool exchange_requested_ = false;  ///< without a partition
    Cycle next_ = kNever;
};

}  // namespace tessera
