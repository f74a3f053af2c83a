// Partition of approximately-timed blocks that runs independently within a cycle.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

class CycleAlarm;
class CycleTicker;

/// Notifications of a partition, deferred until all partitions of the superstep have run.
class DeferredNotifications {
public:
    virtual ~DeferredNotifications() = default;
    /// Delivers the notifications; called on the SystemC thread.
    virtual void deliver() = 0;
};

/// Blocks that call each other within a cycle, and no block of another partition: an SM, or a DRAM
/// channel with its L2 slices. Messages to the network between partitions are kept
/// (CycleAlarm::request_exchange) until all partitions have run and are then sent in partition
/// order. Partitions may thus run in parallel on host threads with the same results. (With values,
/// SMs read the memory's contents directly, which is why the memory runs before them:
/// CycleTicker::run_apart. With vector units or foreign memories other calls leave the partition;
/// those are simulated on one thread.)
///
/// A partition runs its due blocks in the order in which they joined, repeatedly until none is due.
class Partition {
public:
    /// Registers the partition; partitions of a ticker are numbered in order of construction.
    explicit Partition(CycleTicker& ticker);
    Partition(const Partition&) = delete;
    Partition& operator=(const Partition&) = delete;

    [[nodiscard]] CycleTicker& ticker() const { return ticker_; }
    /// Returns once all partitions before this one have run, as on one thread. Call it within the
    /// partition's run, before accessing state shared by partitions.
    void in_order();
    /// Returns whether its blocks are being run.
    [[nodiscard]] bool running() const { return running_; }
    /// Sets the notifications to deliver after each run; one object at most, which must outlive all
    /// runs.
    void set_notifications(DeferredNotifications& news) { notifications_ = &news; }

private:
    friend class CycleAlarm;
    friend class CycleTicker;
    friend class PartitionWorkers;

    struct Block {
        Cycle due = kNever;
        CycleAlarm* alarm = nullptr;
        bool exchange_requested = false;
    };

    /// Adds a block; returns its index.
    std::uint32_t join(CycleAlarm& alarm);
    /// Sets the due cycle of block `index` to `cycle`, which is earlier than before.
    void request(std::uint32_t index, Cycle cycle);
    /// Requests exchange_boundary() of block `index`.
    void request_exchange(std::uint32_t index) {
        blocks_[index].exchange_requested = exchange_requested_ = true;
    }
    /// Runs the due blocks; keeps an exception in error_.
    void run(Cycle now) noexcept;
    void deliver_notifications() {
        if (notifications_ != nullptr) notifications_->deliver();
    }
    void exchange_boundary();
    void host_prefetch() const;

    CycleTicker& ticker_;
    const std::uint32_t number_;
    std::vector<Block> blocks_;
    Cycle next_ =
        kNever;  ///< due cycle of the first block; during a run: requests that arrived meanwhile
    Cycle registered_ = kNever;  ///< cycle of the next check by the ticker
    bool at_work_ = false;       ///< from its run to the end of the exchange
    bool exchange_requested_ = false;
    bool running_ = false;
    DeferredNotifications* notifications_ = nullptr;
    std::uint32_t position_ = 0;          ///< index in the superstep
    std::atomic<std::uint32_t> ran_ = 0;  ///< superstep in which it ran last
    std::exception_ptr error_;
};

}  // namespace tessera
