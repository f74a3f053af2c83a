#include "sc_models/common/host_memory.h"
#include "sc_models/sm/sub_core.h"

// Host prefetch of a sub-core's state for a turn.

namespace tessera {

void SubCore::warm_host_state() const {
    warm_host_lines(&oldest_, &call_time_);
    warm_host_line(next_.data());
    warm_host_line(oldest_.data());
}

void SubCore::warm_host_warps(Cycle end) const {
    for (const std::uint32_t slot : oldest_) {
        if (next_[slot].ready < end) warm_host_line(&warps_[slot]);
    }
}

void SubCore::warm_host_instructions(Cycle end) const {
    for (const std::uint32_t slot : oldest_) {
        if (next_[slot].ready >= end) continue;
        warm_host_line(warps_[slot].head);
        warm_host_line(warps_[slot].head + 1);
    }
}

}  // namespace tessera
