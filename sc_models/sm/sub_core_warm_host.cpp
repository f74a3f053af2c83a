#include "sc_models/sm/sub_core.h"

// What a sub-core's turn needs of the host's memory.

namespace tessera {

void SubCore::warm_host_state() const {
    __builtin_prefetch(next_.data());
    __builtin_prefetch(oldest_.data());
    __builtin_prefetch(&access_payload_);
    __builtin_prefetch(&port_free_);
    __builtin_prefetch(&accounted_until_);
    __builtin_prefetch(access_);
    __builtin_prefetch(sparse_);
}

void SubCore::warm_host_warps(Cycle end) const {
    for (const std::uint32_t slot : oldest_) {
        if (next_[slot].ready < end) __builtin_prefetch(&warps_[slot]);
    }
}

void SubCore::warm_host_instructions(Cycle end) const {
    for (const std::uint32_t slot : oldest_) {
        if (next_[slot].ready >= end) continue;
        __builtin_prefetch(warps_[slot].head);
        __builtin_prefetch(warps_[slot].head + 1);
    }
}

void SubCore::warm_host_registers(Cycle end) const {
    for (const std::uint32_t slot : oldest_) {
        if (next_[slot].ready >= end) continue;
        const Warp& warp = warps_[slot];
        if (warp.head == warp.end) continue;
        const auto fetch = [&warp](std::uint8_t reg) {
            if (reg != kNoRegister) warp.scoreboard.warm_host(reg);
        };
        fetch(warp.head->dst);
        const WarpInstruction* const after = warp.head + 1;
        if (after == warp.end) continue;
        for (const std::uint8_t reg :
             {after->dst, after->src_a, after->src_b, after->src_c, after->src_d}) {
            fetch(reg);
        }
    }
}

}  // namespace tessera
