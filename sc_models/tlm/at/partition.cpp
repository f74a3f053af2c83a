#include "sc_models/tlm/at/partition.h"

#include <algorithm>

#include "sc_models/tlm/at/cycle_ticker.h"

namespace tessera {

Partition::Partition(CycleTicker& ticker) : ticker_(ticker), number_(ticker.add(*this)) {}

std::uint32_t Partition::join(CycleAlarm& alarm) {
    blocks_.push_back({kNever, &alarm, false});
    return static_cast<std::uint32_t>(blocks_.size() - 1);
}

void Partition::request(std::uint32_t index, Cycle cycle) {
    blocks_[index].due = cycle;
    if (cycle >= next_) return;
    next_ = cycle;
    if (!at_work_) ticker_.schedule(*this);
}

void Partition::in_order() {
    if (running_) ticker_.wait_for_earlier_partitions(*this);
}

void Partition::run(Cycle now) noexcept {
    running_ = true;
    try {
        for (bool again = true; again;) {
            again = false;
            for (Block& block : blocks_) {
                if (block.due > now) continue;
                block.due = kNever;
                block.alarm->run();
                again = true;
            }
        }
    } catch (...) {
        error_ = std::current_exception();
    }
    running_ = false;
    next_ = kNever;
    for (const Block& block : blocks_) next_ = std::min(next_, block.due);
}

void Partition::exchange_boundary() {
    if (!exchange_requested_) return;
    exchange_requested_ = false;
    for (Block& block : blocks_) {
        if (!block.exchange_requested) continue;
        block.exchange_requested = false;
        block.alarm->exchange_boundary();
    }
}

/// Prefetches the alarms of all blocks: blocks keep the state they access in a run behind their
/// alarm, and other blocks' state has evicted it from the host's nearest cache.
void Partition::host_prefetch() const {
    for (const Block& block : blocks_) block.alarm->host_prefetch();
}

}  // namespace tessera
