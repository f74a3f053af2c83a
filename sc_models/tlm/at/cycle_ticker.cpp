#include "sc_models/tlm/at/cycle_ticker.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "sc_models/common/interrupt.h"
#include "sc_models/tlm/at/partition_workers.h"

namespace tessera {

namespace {

constexpr Cycle kHorizon = 512;  ///< longer than the usual latencies
constexpr std::size_t kWord = 64;

}  // namespace

CycleTicker::CycleTicker(const sc_core::sc_module_name& name, const ClockDomain& clock)
    : sc_module(name), clock_(clock), alarms_(kHorizon), calls_(kHorizon) {
    SC_METHOD(tick);
    sensitive << event_;
    dont_initialize();
}

void CycleTicker::sample_time() {
    const std::uint64_t stamp = clock_.present().value();
    if (stamp == stamp_) return;
    stamp_ = stamp;
    now_ = clock_.cycle_at(time_of(stamp));
}

void CycleTicker::notify(Cycle cycle) {
    notified_ = cycle;
    event_.notify(delay_to(cycle));
}

void CycleTicker::tick() {
    if (interrupt_requested()) {
        sc_core::sc_stop();
        return;
    }
    sample_time();
    ticking_ = true;
    notified_ = kNever;
    do {
        alarms_.drain(
            now_,
            [this](CycleAlarm* alarm) {
                if (alarm->next_ > now_) return;  // it has run already, or was rescheduled
                alarm->run();
                if (std::exchange(alarm->exchange_requested_, false)) alarm->exchange_boundary();
            },
            [](CycleAlarm* alarm) { alarm->host_prefetch(); });
        run_partitions();
    } while (std::min(alarms_.next(), calls_.next()) <= now_);
    ticking_ = false;
    const Cycle next = std::min(alarms_.next(), calls_.next());
    if (next != kNever) notify(next);
}

std::uint32_t CycleTicker::add(Partition& partition) {
    partitions_.push_back(&partition);
    due_bits_.resize(partitions_.size() / kWord + 1);
    return static_cast<std::uint32_t>(partitions_.size() - 1);
}

void CycleTicker::find_due_partitions() {
    due_.clear();
    if (calls_.next() > now_) return;
    calls_.drain(now_, [this](Partition* partition) {
        if (partition->registered_ <= now_) partition->registered_ = kNever;
        if (partition->next_ > now_) return;  // it has run already
        due_bits_[partition->number_ / kWord] |= std::uint64_t{1} << partition->number_ % kWord;
    });
    for (std::size_t word = 0; word < due_bits_.size(); ++word) {
        for (std::uint64_t& left = due_bits_[word]; left != 0; left &= left - 1) {
            Partition* const partition =
                partitions_[word * kWord + static_cast<unsigned>(__builtin_ctzll(left))];
            partition->at_work_ = true;
            due_.push_back(partition);
        }
    }
}

void CycleTicker::run_partitions() {
    find_due_partitions();
    if (due_.empty()) return;
    if (workers_ == nullptr) {
        PartitionWorkers::run_in_order({due_.data(), due_.size()}, now_);
    } else {
        const auto first_apart = std::partition_point(
            due_.begin(), due_.end(), [this](const Partition* i) { return i->number_ < apart_; });
        const auto before = static_cast<std::size_t>(first_apart - due_.begin());
        workers_->run({due_.data(), before}, now_);
        workers_->run({due_.data() + before, due_.size() - before}, now_);
    }
    for (Partition* const partition : due_) partition->deliver_notifications();
    for (Partition* const partition : due_) {
        if (partition->error_) std::rethrow_exception(std::exchange(partition->error_, nullptr));
        partition->exchange_boundary();
        partition->at_work_ = false;
        if (partition->next_ != kNever) schedule(*partition);
    }
}

void CycleTicker::wait_for_earlier_partitions(const Partition& partition) const {
    if (workers_ != nullptr) workers_->wait_for_earlier(partition);
}

}  // namespace tessera
