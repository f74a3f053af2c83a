// Threads of the host that run islands side by side.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sc_models/tlm/island.h"

namespace tessera {

/// Islands that are due, in the order of their numbers.
struct IslandRange {
    Island* const* first = nullptr;
    std::size_t count = 0;

    [[nodiscard]] std::size_t size() const { return count; }
    [[nodiscard]] Island* operator[](std::size_t i) const { return first[i]; }
};

/// The thread that calls it and `workers` others run the islands of a round. Each begins with
/// islands of its own, the same in every round, whose state its core's caches may still hold, and
/// goes on with what the others have not begun.
class IslandCrew {
public:
    /// Throws ConfigError if the computer has not so many threads.
    explicit IslandCrew(std::uint32_t workers);
    IslandCrew(const IslandCrew&) = delete;
    IslandCrew& operator=(const IslandCrew&) = delete;
    ~IslandCrew();

    [[nodiscard]] std::uint32_t threads() const { return threads_; }
    /// Runs `due` on the calling thread, one after the other, at cycle `now`.
    static void run_in_order(IslandRange due, Cycle now);
    void run(IslandRange due, Cycle now);
    /// Returns when those of the round that are before `island` have run. On the thread that runs
    /// it.
    void wait_for_those_before(const Island& island) const;

private:
    /// Fewer islands take less time than it takes to hand them out (chosen).
    static constexpr std::size_t kFewest = 6;

    /// Islands of one thread, the last one first. `left` counts those that nobody has taken, with
    /// the number of the round in its upper half, so that a thread which is late takes none.
    struct alignas(64) Share {
        std::atomic<std::uint64_t> left = 0;
        std::vector<Island*> islands;
    };

    void stop();
    void work(std::uint32_t self);
    /// Runs all it can get of round `round`. Returns how many.
    std::uint32_t run_shares(std::uint32_t self, std::uint32_t round);
    [[nodiscard]] Island* take(Share& share, std::uint32_t round);
    void rest(std::uint32_t round);

    const std::uint32_t threads_;
    std::vector<Share> shares_;  ///< by thread; the caller's is the first
    IslandRange due_;
    bool alone_ = false;  ///< the caller runs all of the round
    Cycle now_ = 0;
    alignas(64) std::atomic<std::uint32_t> round_ = 0;
    alignas(64) std::atomic<std::uint32_t> ran_ = 0;  ///< by workers, in the round
    alignas(64) std::atomic<std::uint32_t> resting_ = 0;
    std::atomic<bool> stopped_ = false;
    std::mutex mutex_;
    std::condition_variable begun_;
    std::vector<std::thread> workers_;
};

}  // namespace tessera
