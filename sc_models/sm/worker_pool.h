// Pool of host threads that run quanta of SMs ahead of SystemC's time.
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

/// Lets host threads run quanta ahead of their SystemC time. A quantum is posted as soon as its
/// initial state is final; an idle thread runs it. At the quantum's SystemC time the SystemC
/// thread, which calls all functions below unless stated otherwise, collects it: if no thread has
/// begun the quantum, it is withdrawn and the caller runs it itself.
///
/// Quanta posted last run first: their SystemC time is the farthest away, so it seldom comes while
/// they run. Quanta that no thread has begun are withdrawn at their time, so all threads have work
/// until then. When a quantum cannot continue before its time, another thread works in place of the
/// waiting one.
class WorkerPool {
public:
    /// A quantum; posted at most once at a time.
    class Quantum {
    public:
        Quantum() = default;
        Quantum(const Quantum&) = delete;
        Quantum& operator=(const Quantum&) = delete;
        /// Executes the quantum; called on any thread. May throw.
        virtual void run() = 0;

    protected:
        ~Quantum() = default;

    private:
        friend class WorkerPool;
        enum class State : std::uint8_t { kIdle, kPosted, kRunning, kWaiting, kOver };
        alignas(64) std::atomic<State> state_{State::kIdle};
        std::size_t number_ = 0;
        std::exception_ptr error_;  ///< exception it threw
    };

    /// State of a quantum at its SystemC time.
    enum class Progress {
        kNotBegun,  ///< no thread had begun it; now withdrawn
        kOver,
        kWaiting,  ///< begun, and waiting for its time
    };

    /// `workers` threads work at a time, beside the SystemC thread. `run_all`: no quantum is
    /// withdrawn, so that the set of quanta run ahead does not depend on the host's timing (for
    /// tests).
    explicit WorkerPool(std::uint32_t workers, bool run_all = false);
    /// Ends the threads. A quantum that waits for its time ends with an exception there.
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    [[nodiscard]] std::uint32_t workers() const { return workers_; }
    /// Registers a quantum; the pool must outlive its use; once, before any quantum is posted.
    void add(Quantum& quantum);
    void post(Quantum& quantum);
    [[nodiscard]] bool posted(const Quantum& quantum) const {
        return quantum.state_.load(std::memory_order_relaxed) != Quantum::State::kIdle;
    }
    /// Collects a posted quantum at its time. Rethrows the exception of a quantum that is over.
    [[nodiscard]] Progress collect(Quantum& quantum);
    /// Resumes a waiting quantum and waits until it is over. Rethrows its exception.
    void resume(Quantum& quantum);
    /// Waits for resume(); called in a quantum, on its thread.
    void wait_for_time(Quantum& quantum);

private:
    struct Stopped : std::exception {};

    void start();
    void work();
    [[nodiscard]] bool run_one();
    void park();
    static void execute(Quantum& quantum);
    static void end(Quantum& quantum);

    const std::uint32_t workers_;
    const bool run_all_;
    bool started_ = false;
    std::vector<Quantum*> quanta_;
    alignas(64) std::atomic<std::size_t> last_{0};  ///< index in turns_ of the quantum posted last
    alignas(64) std::atomic<bool> stopped_{false};
    std::atomic<std::uint32_t> parked_{0};  ///< workers that sleep without work
    std::mutex mutex_;
    std::condition_variable posted_, resumed_, slot_freed_;
    // Guarded by mutex_:
    std::uint32_t free_slots_ = 0;  ///< worker slots left by threads that wait in quanta
    std::uint32_t spare_ = 0;       ///< threads without a worker slot
    std::vector<std::thread> threads_;
};

}  // namespace tessera
