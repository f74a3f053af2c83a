// Host threads that run islands in parallel.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sc_models/tlm/at/island.h"

namespace tessera {

/// Due islands, in ascending order of their numbers.
struct IslandRange {
    Island* const* first = nullptr;
    std::size_t count = 0;

    [[nodiscard]] std::size_t size() const { return count; }
    [[nodiscard]] Island* operator[](std::size_t i) const { return first[i]; }
};

/// Runs the islands of a round on the calling thread and `workers` others. Each thread begins with
/// its own islands, the same in every round, whose state its core's caches may still hold, and then
/// takes islands that other threads have not begun.
class IslandCrew {
public:
    /// Throws ConfigError if the host cannot start that many threads.
    explicit IslandCrew(std::uint32_t workers);
    IslandCrew(const IslandCrew&) = delete;
    IslandCrew& operator=(const IslandCrew&) = delete;
    ~IslandCrew();

    [[nodiscard]] std::uint32_t threads() const { return threads_; }
    /// Runs `due` on the calling thread, one island after the other, at cycle `now`.
    static void run_in_order(IslandRange due, Cycle now);
    void run(IslandRange due, Cycle now);
    /// Returns when the islands before `island` in the round have run. Called on the thread that
    /// runs it.
    void wait_for_those_before(const Island& island) const;

private:
    /// Minimum number of islands for parallel execution; fewer cost less than their distribution
    /// (chosen).
    static constexpr std::size_t kFewest = 6;

    /// Islands of one thread, the last one first. `left` counts the islands not taken yet, with the
    /// round number in its upper half, so that a late thread takes none of a later round.
    struct alignas(64) Share {
        std::atomic<std::uint64_t> left = 0;
        std::vector<Island*> islands;
    };

    void stop();
    void work(std::uint32_t self);
    /// Runs all islands of round `round` that it can take; returns their number.
    std::uint32_t run_shares(std::uint32_t self, std::uint32_t round);
    [[nodiscard]] Island* take(Share& share, std::uint32_t round);
    void rest(std::uint32_t round);

    const std::uint32_t threads_;
    std::vector<Share> shares_;  ///< indexed by thread; the caller's is the first
    IslandRange due_;
    bool alone_ = false;  ///< the caller runs the whole round
    Cycle now_ = 0;
    alignas(64) std::atomic<std::uint32_t> round_ = 0;
    alignas(64) std::atomic<std::uint32_t> ran_ = 0;  ///< islands run by workers in the round
    alignas(64) std::atomic<std::uint32_t> resting_ = 0;
    std::atomic<bool> stopped_ = false;
    std::mutex mutex_;
    std::condition_variable begun_;
    std::vector<std::thread> workers_;
};

}  // namespace tessera
