// Threads of the host that take turns of SMs ahead of SystemC's time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera {

/// Has host threads take turns before SystemC's time has come to them. A turn is posted as soon as
/// nothing can change what it begins with; a thread takes it when it has nothing else to do. The
/// thread that SystemC runs on, of which everything else here speaks, meets the turn when its time
/// has come: if no thread has begun it, it is withdrawn, and the caller takes it itself.
///
/// Turns that were posted last go first: their time is farthest away, so that it seldom comes while
/// they are being taken. What the threads do not get round to is withdrawn when its time comes, and
/// so all have work until then. When a turn cannot go on before its time, another thread works in
/// place of the one that waits in it.
class TurnPool {
public:
    /// A turn, one at a time.
    class Turn {
    public:
        Turn() = default;
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        /// What the turn is; on any thread. May throw.
        virtual void take_ahead() = 0;

    protected:
        ~Turn() = default;

    private:
        friend class TurnPool;
        enum class State : std::uint8_t { kIdle, kPosted, kTaken, kWaiting, kOver };
        alignas(64) std::atomic<State> state_{State::kIdle};
        std::size_t number_ = 0;
        std::exception_ptr error_;  ///< what it threw
    };

    /// How a turn is met.
    enum class Met {
        kWithdrawn,  ///< nobody has begun it
        kOver,
        kWaiting,  ///< it has begun, and waits for its time
    };

    /// `workers` threads work at a time, beside the one that SystemC runs on. If they are to take
    /// all turns, none is withdrawn: for tests, as then it does not hang on the host's timing what
    /// is taken ahead.
    explicit TurnPool(std::uint32_t workers, bool take_all = false);
    /// Ends the threads. A turn that waits for its time ends with an exception there.
    ~TurnPool();
    TurnPool(const TurnPool&) = delete;
    TurnPool& operator=(const TurnPool&) = delete;

    [[nodiscard]] std::uint32_t workers() const { return workers_; }
    /// Makes a turn known, which must outlive the pool; once, before any is posted.
    void add(Turn& turn);
    void post(Turn& turn);
    [[nodiscard]] bool posted(const Turn& turn) const {
        return turn.state_.load(std::memory_order_relaxed) != Turn::State::kIdle;
    }
    /// The time of a turn that was posted has come. Throws what a turn that is over has thrown.
    [[nodiscard]] Met meet(Turn& turn);
    /// Lets a turn that waits go on, and waits until it is over. Throws what it throws.
    void let_finish(Turn& turn);
    /// In a turn, on its thread: waits for let_finish().
    void wait_for_time(Turn& turn);

private:
    struct Stopped : std::exception {};

    void start();
    void work();
    [[nodiscard]] bool take_one();
    void rest();
    static void take(Turn& turn);
    static void end(Turn& turn);

    const std::uint32_t workers_;
    const bool take_all_;
    bool started_ = false;
    std::vector<Turn*> turns_;
    alignas(64) std::atomic<std::size_t> last_{0};  ///< of turns_, posted
    alignas(64) std::atomic<bool> stopped_{false};
    std::atomic<std::uint32_t> resting_{0};  ///< workers that have found nothing to do
    std::mutex mutex_;
    std::condition_variable posted_, resumed_, relieved_;
    // Under the mutex:
    std::uint32_t free_places_ = 0;  ///< of workers, whose threads wait in turns
    std::uint32_t spare_ = 0;        ///< threads without a place
    std::vector<std::thread> threads_;
};

}  // namespace tessera
