#include "sc_models/tlm/at/partition_workers.h"

#include "sc_models/common/host_threads.h"
#include "sc_models/common/spin_wait.h"

namespace tessera {
namespace {

constexpr std::uint64_t kLow = 0xFFFFFFFFU;
constexpr std::size_t kAhead = 2;  ///< prefetch distance, in partitions

}  // namespace

PartitionWorkers::PartitionWorkers(std::uint32_t workers)
    : threads_(workers + 1), shares_(workers + 1) {
    try {
        start_threads(workers_, workers, [this](std::uint32_t i) { work(i + 1); });
    } catch (...) {
        stop();
        throw;
    }
}

PartitionWorkers::~PartitionWorkers() {
    stop();
}

void PartitionWorkers::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        superstep_.fetch_add(1);
    }
    begun_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void PartitionWorkers::run_in_order(PartitionRange due, Cycle now) {
    for (std::size_t i = 0; i < due.size(); ++i) {
        if (i + kAhead < due.size()) due[i + kAhead]->host_prefetch();
        due[i]->run(now);
    }
}

void PartitionWorkers::run(PartitionRange due, Cycle now) {
    alone_ = due.size() < kFewest;
    if (alone_) {
        run_in_order(due, now);
        return;
    }
    due_ = due;
    now_ = now;
    const std::uint32_t superstep = superstep_.load(std::memory_order_relaxed) + 1;
    for (Share& share : shares_) share.partitions.clear();
    for (std::size_t i = due.size(); i-- > 0;) {
        due[i]->position_ = static_cast<std::uint32_t>(i);
        shares_[due[i]->number_ % threads_].partitions.push_back(due[i]);
    }
    ran_.store(0, std::memory_order_relaxed);
    for (Share& share : shares_) {
        share.left.store(std::uint64_t{superstep} << 32U | share.partitions.size(),
                         std::memory_order_release);
    }
    superstep_.store(superstep);
    if (parked_.load() != 0) {
        {
            const std::lock_guard lock(mutex_);
        }  // a worker that checks before it sleeps has seen the superstep, or sleeps already
        begun_.notify_all();
    }
    const auto others = static_cast<std::uint32_t>(due.size()) - run_shares(0, superstep);
    for (SpinWait spin_wait; ran_.load(std::memory_order_acquire) != others;) spin_wait.wait();
}

std::uint32_t PartitionWorkers::run_shares(std::uint32_t self, std::uint32_t superstep) {
    std::uint32_t ran = 0;
    for (std::uint32_t i = 0; i < threads_; ++i) {
        Share& share = shares_[self + i < threads_ ? self + i : self + i - threads_];
        while (Partition* const partition = take(share, superstep)) {
            partition->run(now_);
            partition->ran_.store(superstep, std::memory_order_release);
            ++ran;
        }
    }
    return ran;
}

Partition* PartitionWorkers::take(Share& share, std::uint32_t superstep) {
    std::uint64_t left = share.left.load(std::memory_order_acquire);
    while (left >> 32U == superstep && (left & kLow) != 0) {
        if (share.left.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel)) {
            const std::size_t at = (left & kLow) - 1;
            if (at >= kAhead) share.partitions[at - kAhead]->host_prefetch();
            return share.partitions[at];
        }
    }
    return nullptr;
}

void PartitionWorkers::wait_for_earlier(const Partition& partition) const {
    if (alone_) return;
    const std::uint32_t superstep = superstep_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < partition.position_; ++i) {
        SpinWait spin_wait;
        while (due_[i]->ran_.load(std::memory_order_acquire) != superstep) spin_wait.wait();
    }
}

void PartitionWorkers::work(std::uint32_t self) {
    std::uint32_t seen = 0;
    for (;;) {
        for (SpinWait spin_wait; superstep_.load(std::memory_order_acquire) == seen;) {
            if (spin_wait.exhausted()) {
                park(seen);
            } else {
                spin_wait.wait();
            }
        }
        seen = superstep_.load(std::memory_order_acquire);
        if (stopped_.load()) return;
        const std::uint32_t ran = run_shares(self, seen);
        if (ran != 0) ran_.fetch_add(ran, std::memory_order_acq_rel);
    }
}

/// Sleeps until the current superstep is not `superstep`.
void PartitionWorkers::park(std::uint32_t superstep) {
    std::unique_lock lock(mutex_);
    ++parked_;
    begun_.wait(lock, [&] { return superstep_.load() != superstep; });
    --parked_;
}

}  // namespace tessera
