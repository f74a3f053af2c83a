#include "sc_models/tlm/at/island.h"

#include <algorithm>

#include "sc_models/tlm/at/cycle_ticker.h"

namespace tessera {

Island::Island(CycleTicker& ticker) : ticker_(ticker), number_(ticker.add(*this)) {}

std::uint32_t Island::join(CycleAlarm& alarm) {
    blocks_.push_back({kNever, &alarm, false});
    return static_cast<std::uint32_t>(blocks_.size() - 1);
}

void Island::ask(std::uint32_t place, Cycle cycle) {
    blocks_[place].due = cycle;
    if (cycle >= next_) return;
    next_ = cycle;
    if (!at_work_) ticker_.schedule(*this);
}

void Island::in_order() {
    if (running_) ticker_.wait_for_islands_before(*this);
}

void Island::run(Cycle now) noexcept {
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

void Island::exchange() {
    if (!leaves_) return;
    leaves_ = false;
    for (Block& block : blocks_) {
        if (!block.leaves) continue;
        block.leaves = false;
        block.alarm->exchange();
    }
}

/// Prefetches the alarms of all blocks: blocks keep the state they access in a run behind their
/// alarm, and other blocks' state has evicted it from the host's nearest cache.
void Island::warm_host() const {
    for (const Block& block : blocks_) block.alarm->warm_host();
}

}  // namespace tessera
