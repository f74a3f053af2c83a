// Pool of host threads that take turns of SMs ahead of SystemC's time.
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

/// Lets host threads take turns ahead of their SystemC time. A turn is posted as soon as its
/// initial state is final; an idle thread takes it. At the turn's SystemC time the SystemC thread,
/// which calls all functions below unless stated otherwise, meets it: if no thread has begun the
/// turn, it is withdrawn and the caller takes it itself.
///
/// Turns posted last are taken first: their SystemC time is the farthest away, so it seldom comes
/// while they are being taken. Turns that no thread has taken are withdrawn at their time, so all
/// threads have work until then. When a turn cannot continue before its time, another thread works
/// in place of the waiting one.
class TurnPool {
public:
    /// A turn; posted at most once at a time.
    class Turn {
    public:
        Turn() = default;
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        /// Executes the turn; called on any thread. May throw.
        virtual void take_ahead() = 0;

    protected:
        ~Turn() = default;

    private:
        friend class TurnPool;
        enum class State : std::uint8_t { kIdle, kPosted, kTaken, kWaiting, kOver };
        alignas(64) std::atomic<State> state_{State::kIdle};
        std::size_t number_ = 0;
        std::exception_ptr error_;  ///< exception it threw
    };

    /// State of a turn at its SystemC time.
    enum class Met {
        kWithdrawn,  ///< no thread had begun it; now withdrawn
        kOver,
        kWaiting,  ///< begun, and waiting for its time
    };

    /// `workers` threads work at a time, beside the SystemC thread. `take_all`: no turn is
    /// withdrawn, so that the set of turns taken ahead does not depend on the host's timing (for
    /// tests).
    explicit TurnPool(std::uint32_t workers, bool take_all = false);
    /// Ends the threads. A turn that waits for its time ends with an exception there.
    ~TurnPool();
    TurnPool(const TurnPool&) = delete;
    TurnPool& operator=(const TurnPool&) = delete;

    [[nodiscard]] std::uint32_t workers() const { return workers_; }
    /// Registers a turn; the pool must outlive its use; once, before any turn is posted.
    void add(Turn& turn);
    void post(Turn& turn);
    [[nodiscard]] bool posted(const Turn& turn) const {
        return turn.state_.load(std::memory_order_relaxed) != Turn::State::kIdle;
    }
    /// Meets a posted turn at its time. Rethrows the exception of a turn that is over.
    [[nodiscard]] Met meet(Turn& turn);
    /// Resumes a waiting turn and waits until it is over. Rethrows its exception.
    void let_finish(Turn& turn);
    /// Waits for let_finish(); called in a turn, on its thread.
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
    alignas(64) std::atomic<std::size_t> last_{0};  ///< index in turns_ of the turn posted last
    alignas(64) std::atomic<bool> stopped_{false};
    std::atomic<std::uint32_t> resting_{0};  ///< workers that sleep without work
    std::mutex mutex_;
    std::condition_variable posted_, resumed_, relieved_;
    // Guarded by mutex_:
    std::uint32_t free_places_ = 0;  ///< worker places left by threads that wait in turns
    std::uint32_t spare_ = 0;        ///< threads without a worker place
    std::vector<std::thread> threads_;
};

}  // namespace tessera
