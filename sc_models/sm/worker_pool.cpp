#include "sc_models/sm/worker_pool.h"

#include <algorithm>
#include <utility>

#include "sc_models/common/host_threads.h"
#include "sc_models/common/spin_wait.h"

namespace tessera {
namespace {

/// True on a thread that counts as a worker; a thread that waits in a quantum loses this status.
thread_local bool has_slot = false;  // NOLINT(*-non-const-global-variables): one a thread

}  // namespace

WorkerPool::WorkerPool(std::uint32_t workers, bool run_all)
    : workers_(workers), run_all_(run_all), free_slots_(workers) {}

WorkerPool::~WorkerPool() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        threads.swap(threads_);
    }
    posted_.notify_all();
    resumed_.notify_all();
    slot_freed_.notify_all();
    for (std::thread& thread : threads) thread.join();
}

void WorkerPool::add(Quantum& quantum) {
    quantum.number_ = quanta_.size();
    quanta_.push_back(&quantum);
}

void WorkerPool::start() {
    const std::lock_guard lock(mutex_);
    started_ = true;
    start_threads(threads_, workers_, [this](std::uint32_t /*i*/) { work(); });
}

void WorkerPool::post(Quantum& quantum) {
    if (!started_) start();
    last_.store(quantum.number_, std::memory_order_relaxed);
    quantum.state_.store(Quantum::State::kPosted);
    if (parked_.load() == 0) return;
    const std::lock_guard lock(mutex_);
    posted_.notify_one();
}

WorkerPool::Progress WorkerPool::collect(Quantum& quantum) {
    SpinWait spin_wait;
    for (;; spin_wait.wait()) {
        Quantum::State state = quantum.state_.load(std::memory_order_acquire);
        if (state == Quantum::State::kPosted && !run_all_ &&
            quantum.state_.compare_exchange_strong(state, Quantum::State::kIdle)) {
            return Progress::kNotBegun;
        }
        if (state == Quantum::State::kWaiting) return Progress::kWaiting;
        if (state == Quantum::State::kOver) {
            end(quantum);
            return Progress::kOver;
        }
    }
}

void WorkerPool::resume(Quantum& quantum) {
    {
        const std::lock_guard lock(mutex_);
        quantum.state_.store(Quantum::State::kRunning, std::memory_order_release);
    }
    resumed_.notify_all();
    // Yields the core at once: only the other thread can make progress.
    while (quantum.state_.load(std::memory_order_acquire) != Quantum::State::kOver) {
        std::this_thread::yield();
    }
    end(quantum);
}

void WorkerPool::end(Quantum& quantum) {
    quantum.state_.store(Quantum::State::kIdle, std::memory_order_relaxed);
    if (quantum.error_) std::rethrow_exception(std::exchange(quantum.error_, nullptr));
}

void WorkerPool::wait_for_time(Quantum& quantum) {
    std::unique_lock lock(mutex_);
    if (has_slot) {
        has_slot = false;
        ++free_slots_;
        if (spare_ >= free_slots_) {
            slot_freed_.notify_one();
        } else if (!stopped_) {
            threads_.emplace_back([this] { work(); });
        }
    }
    quantum.state_.store(Quantum::State::kWaiting, std::memory_order_release);
    resumed_.wait(lock,
                  [&] { return stopped_ || quantum.state_.load() != Quantum::State::kWaiting; });
    if (quantum.state_.load() == Quantum::State::kWaiting) throw Stopped();
}

void WorkerPool::execute(Quantum& quantum) {
    try {
        quantum.run();
    } catch (...) {
        quantum.error_ = std::current_exception();
    }
    quantum.state_.store(Quantum::State::kOver, std::memory_order_release);
}

/// Runs a posted quantum, if there is one.
bool WorkerPool::run_one() {
    std::size_t index = last_.load(std::memory_order_relaxed);
    for (std::size_t left = quanta_.size(); left > 0; --left) {
        Quantum& quantum = *quanta_[index];
        index = (index == 0 ? quanta_.size() : index) - 1;
        Quantum::State state = quantum.state_.load(std::memory_order_relaxed);
        if (state != Quantum::State::kPosted ||
            !quantum.state_.compare_exchange_strong(state, Quantum::State::kRunning)) {
            continue;
        }
        execute(quantum);
        return true;
    }
    return false;
}

/// Sleeps until a quantum is posted.
void WorkerPool::park() {
    std::unique_lock lock(mutex_);
    ++parked_;
    // A quantum posted from now on wakes this thread; one posted earlier has to be searched for
    // again.
    const auto any_posted = [this] {
        return std::any_of(quanta_.begin(), quanta_.end(), [](const Quantum* quantum) {
            return quantum->state_.load() == Quantum::State::kPosted;
        });
    };
    if (!stopped_ && !any_posted()) posted_.wait(lock);
    --parked_;
}

void WorkerPool::work() {
    while (!stopped_) {
        {
            std::unique_lock lock(mutex_);
            ++spare_;
            slot_freed_.wait(lock, [this] { return stopped_ || free_slots_ > 0; });
            --spare_;
            if (stopped_) return;
            --free_slots_;
            has_slot = true;
        }
        for (SpinWait spin_wait; has_slot && !stopped_;) {
            if (run_one()) {
                spin_wait = {};
            } else if (spin_wait.exhausted()) {
                park();
                spin_wait = {};
            } else {
                spin_wait.wait();
            }
        }
    }
}

}  // namespace tessera
