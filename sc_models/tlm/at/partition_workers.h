// Host threads that run partitions in parallel.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sc_models/tlm/at/partition.h"

namespace tessera {

/// Due partitions, in ascending order of their numbers.
struct PartitionRange {
    Partition* const* first = nullptr;
    std::size_t count = 0;

    [[nodiscard]] std::size_t size() const { return count; }
    [[nodiscard]] Partition* operator[](std::size_t i) const { return first[i]; }
};

/// Runs the partitions of a superstep on the calling thread and `workers` others. Each thread
/// begins with its own partitions, the same in every superstep, whose state its core's caches may
/// still hold, and then takes partitions that other threads have not begun.
class PartitionWorkers {
public:
    /// Throws ConfigError if the host cannot start that many threads.
    explicit PartitionWorkers(std::uint32_t workers);
    PartitionWorkers(const PartitionWorkers&) = delete;
    PartitionWorkers& operator=(const PartitionWorkers&) = delete;
    ~PartitionWorkers();

    [[nodiscard]] std::uint32_t threads() const { return threads_; }
    /// Runs `due` on the calling thread, one partition after the other, at cycle `now`.
    static void run_in_order(PartitionRange due, Cycle now);
    void run(PartitionRange due, Cycle now);
    /// Returns when the partitions before `partition` in the superstep have run. Called on the
    /// thread that runs it.
    void wait_for_earlier(const Partition& partition) const;

private:
    /// Minimum number of partitions for parallel execution; fewer cost less than their distribution
    /// (chosen).
    static constexpr std::size_t kFewest = 6;

    /// Partitions of one thread, the last one first. `left` counts the partitions not taken yet,
    /// with the superstep number in its upper half, so that a late thread takes none of a later
    /// superstep.
    struct alignas(64) Share {
        std::atomic<std::uint64_t> left = 0;
        std::vector<Partition*> partitions;
    };

    void stop();
    void work(std::uint32_t self);
    /// Runs all partitions of superstep `superstep` that it can take; returns their number.
    std::uint32_t run_shares(std::uint32_t self, std::uint32_t superstep);
    [[nodiscard]] Partition* take(Share& share, std::uint32_t superstep);
    void park(std::uint32_t superstep);

    const std::uint32_t threads_;
    std::vector<Share> shares_;  ///< indexed by thread; the caller's is the first
    PartitionRange due_;
    bool alone_ = false;  ///< the caller runs the whole superstep
    Cycle now_ = 0;
    alignas(64) std::atomic<std::uint32_t> superstep_ = 0;
    alignas(64) std::atomic<std::uint32_t> ran_ =
        0;  ///< partitions run by workers in the superstep
    alignas(64) std::atomic<std::uint32_t> parked_ = 0;
    std::atomic<bool> stopped_ = false;
    std::mutex mutex_;
    std::condition_variable begun_;
    std::vector<std::thread> workers_;
};

}  // namespace tessera
