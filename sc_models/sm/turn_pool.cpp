#include "sc_models/sm/turn_pool.h"

#include <algorithm>
#include <utility>

#include "sc_models/common/host_threads.h"
#include "sc_models/common/patience.h"

namespace tessera {
namespace {

/// True on a thread that counts as a worker; a thread that waits in a turn loses this status.
thread_local bool has_place = false;  // NOLINT(*-non-const-global-variables): one a thread

}  // namespace

TurnPool::TurnPool(std::uint32_t workers, bool take_all)
    : workers_(workers), take_all_(take_all), free_places_(workers) {}

TurnPool::~TurnPool() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        threads.swap(threads_);
    }
    posted_.notify_all();
    resumed_.notify_all();
    relieved_.notify_all();
    for (std::thread& thread : threads) thread.join();
}

void TurnPool::add(Turn& turn) {
    turn.number_ = turns_.size();
    turns_.push_back(&turn);
}

void TurnPool::start() {
    const std::lock_guard lock(mutex_);
    started_ = true;
    start_threads(threads_, workers_, [this](std::uint32_t /*i*/) { work(); });
}

void TurnPool::post(Turn& turn) {
    if (!started_) start();
    last_.store(turn.number_, std::memory_order_relaxed);
    turn.state_.store(Turn::State::kPosted);
    if (resting_.load() == 0) return;
    const std::lock_guard lock(mutex_);
    posted_.notify_one();
}

TurnPool::Met TurnPool::meet(Turn& turn) {
    Patience patience;
    for (;; patience.wait()) {
        Turn::State state = turn.state_.load(std::memory_order_acquire);
        if (state == Turn::State::kPosted && !take_all_ &&
            turn.state_.compare_exchange_strong(state, Turn::State::kIdle)) {
            return Met::kWithdrawn;
        }
        if (state == Turn::State::kWaiting) return Met::kWaiting;
        if (state == Turn::State::kOver) {
            end(turn);
            return Met::kOver;
        }
    }
}

void TurnPool::let_finish(Turn& turn) {
    {
        const std::lock_guard lock(mutex_);
        turn.state_.store(Turn::State::kTaken, std::memory_order_release);
    }
    resumed_.notify_all();
    // Yields the core at once: only the other thread can make progress.
    while (turn.state_.load(std::memory_order_acquire) != Turn::State::kOver) {
        std::this_thread::yield();
    }
    end(turn);
}

void TurnPool::end(Turn& turn) {
    turn.state_.store(Turn::State::kIdle, std::memory_order_relaxed);
    if (turn.error_) std::rethrow_exception(std::exchange(turn.error_, nullptr));
}

void TurnPool::wait_for_time(Turn& turn) {
    std::unique_lock lock(mutex_);
    if (has_place) {
        has_place = false;
        ++free_places_;
        if (spare_ >= free_places_) {
            relieved_.notify_one();
        } else if (!stopped_) {
            threads_.emplace_back([this] { work(); });
        }
    }
    turn.state_.store(Turn::State::kWaiting, std::memory_order_release);
    resumed_.wait(lock, [&] { return stopped_ || turn.state_.load() != Turn::State::kWaiting; });
    if (turn.state_.load() == Turn::State::kWaiting) throw Stopped();
}

void TurnPool::take(Turn& turn) {
    try {
        turn.take_ahead();
    } catch (...) {
        turn.error_ = std::current_exception();
    }
    turn.state_.store(Turn::State::kOver, std::memory_order_release);
}

/// Takes a posted turn, if there is one.
bool TurnPool::take_one() {
    std::size_t index = last_.load(std::memory_order_relaxed);
    for (std::size_t left = turns_.size(); left > 0; --left) {
        Turn& turn = *turns_[index];
        index = (index == 0 ? turns_.size() : index) - 1;
        Turn::State state = turn.state_.load(std::memory_order_relaxed);
        if (state != Turn::State::kPosted ||
            !turn.state_.compare_exchange_strong(state, Turn::State::kTaken)) {
            continue;
        }
        take(turn);
        return true;
    }
    return false;
}

/// Sleeps until a turn is posted.
void TurnPool::rest() {
    std::unique_lock lock(mutex_);
    ++resting_;
    // A turn posted from now on wakes this thread; one posted earlier has to be searched for again.
    const auto any_posted = [this] {
        return std::any_of(turns_.begin(), turns_.end(), [](const Turn* turn) {
            return turn->state_.load() == Turn::State::kPosted;
        });
    };
    if (!stopped_ && !any_posted()) posted_.wait(lock);
    --resting_;
}

void TurnPool::work() {
    while (!stopped_) {
        {
            std::unique_lock lock(mutex_);
            ++spare_;
            relieved_.wait(lock, [this] { return stopped_ || free_places_ > 0; });
            --spare_;
            if (stopped_) return;
            --free_places_;
            has_place = true;
        }
        for (Patience patience; has_place && !stopped_;) {
            if (take_one()) {
                patience = {};
            } else if (patience.lost()) {
                rest();
                patience = {};
            } else {
                patience.wait();
            }
        }
    }
}

}  // namespace tessera
