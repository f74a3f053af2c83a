#include "sc_models/tlm/at/island_crew.h"

#include "sc_models/common/host_threads.h"
#include "sc_models/common/patience.h"

namespace tessera {
namespace {

constexpr std::uint64_t kLow = 0xFFFFFFFFU;
constexpr std::size_t kAhead = 2;  ///< prefetch distance, in islands

}  // namespace

IslandCrew::IslandCrew(std::uint32_t workers) : threads_(workers + 1), shares_(workers + 1) {
    try {
        start_threads(workers_, workers, [this](std::uint32_t i) { work(i + 1); });
    } catch (...) {
        stop();
        throw;
    }
}

IslandCrew::~IslandCrew() {
    stop();
}

void IslandCrew::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        round_.fetch_add(1);
    }
    begun_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void IslandCrew::run_in_order(IslandRange due, Cycle now) {
    for (std::size_t i = 0; i < due.size(); ++i) {
        if (i + kAhead < due.size()) due[i + kAhead]->warm_host();
        due[i]->run(now);
    }
}

void IslandCrew::run(IslandRange due, Cycle now) {
    alone_ = due.size() < kFewest;
    if (alone_) {
        run_in_order(due, now);
        return;
    }
    due_ = due;
    now_ = now;
    const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    for (Share& share : shares_) share.islands.clear();
    for (std::size_t i = due.size(); i-- > 0;) {
        due[i]->position_ = static_cast<std::uint32_t>(i);
        shares_[due[i]->number_ % threads_].islands.push_back(due[i]);
    }
    ran_.store(0, std::memory_order_relaxed);
    for (Share& share : shares_) {
        share.left.store(std::uint64_t{round} << 32U | share.islands.size(),
                         std::memory_order_release);
    }
    round_.store(round);
    if (resting_.load() != 0) {
        {
            const std::lock_guard lock(mutex_);
        }  // a worker that checks before it sleeps has seen the round, or sleeps already
        begun_.notify_all();
    }
    const auto others = static_cast<std::uint32_t>(due.size()) - run_shares(0, round);
    for (Patience patience; ran_.load(std::memory_order_acquire) != others;) patience.wait();
}

std::uint32_t IslandCrew::run_shares(std::uint32_t self, std::uint32_t round) {
    std::uint32_t ran = 0;
    for (std::uint32_t i = 0; i < threads_; ++i) {
        Share& share = shares_[self + i < threads_ ? self + i : self + i - threads_];
        while (Island* const island = take(share, round)) {
            island->run(now_);
            island->ran_.store(round, std::memory_order_release);
            ++ran;
        }
    }
    return ran;
}

Island* IslandCrew::take(Share& share, std::uint32_t round) {
    std::uint64_t left = share.left.load(std::memory_order_acquire);
    while (left >> 32U == round && (left & kLow) != 0) {
        if (share.left.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel)) {
            const std::size_t at = (left & kLow) - 1;
            if (at >= kAhead) share.islands[at - kAhead]->warm_host();
            return share.islands[at];
        }
    }
    return nullptr;
}

void IslandCrew::wait_for_those_before(const Island& island) const {
    if (alone_) return;
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < island.position_; ++i) {
        Patience patience;
        while (due_[i]->ran_.load(std::memory_order_acquire) != round) patience.wait();
    }
}

void IslandCrew::work(std::uint32_t self) {
    std::uint32_t seen = 0;
    for (;;) {
        for (Patience patience; round_.load(std::memory_order_acquire) == seen;) {
            if (patience.lost()) {
                rest(seen);
            } else {
                patience.wait();
            }
        }
        seen = round_.load(std::memory_order_acquire);
        if (stopped_.load()) return;
        const std::uint32_t ran = run_shares(self, seen);
        if (ran != 0) ran_.fetch_add(ran, std::memory_order_acq_rel);
    }
}

/// Sleeps until the current round is not `round`.
void IslandCrew::rest(std::uint32_t round) {
    std::unique_lock lock(mutex_);
    ++resting_;
    begun_.wait(lock, [&] { return round_.load() != round; });
    --resting_;
}

}  // namespace tessera
