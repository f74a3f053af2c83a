// Replacement policy of a set-associative cache.
#pragma once

#include <cstdint>

#include "sc_models/config/memory_config.h"

namespace tessera {

/// Choice of the way that a missing line takes from a full set. SectorTags keeps the ways of each
/// set in an order, the most recent first. A fill puts its way in front; whether a hit does, and
/// which place of the order loses its line, is the policy's. A new policy is a value of
/// Replacement and a case here.
///
/// lru: the least recently used way. fifo: the way that was filled first. random: any way, from a
/// generator whose state is that of the cache, so that equal runs make equal choices.
class ReplacementPolicy {
public:
    explicit ReplacementPolicy(Replacement kind) : kind_(kind) {}

    /// Returns whether a hit puts its way in front of the order.
    [[nodiscard]] bool orders_by_use() const { return kind_ != Replacement::kFifo; }
    /// Returns the place, 0 to `ways` - 1, whose way loses its line when all ways are taken.
    [[nodiscard]] std::uint32_t victim(std::uint32_t ways) {
        switch (kind_) {
            case Replacement::kLru:
            case Replacement::kFifo:
                break;
            case Replacement::kRandom:
                return draw() % ways;
        }
        return ways - 1;
    }

private:
    /// Generator of Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
    [[nodiscard]] std::uint32_t draw() {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 17U;
        state_ ^= state_ << 5U;
        return state_;
    }

    Replacement kind_;
    std::uint32_t state_ = 2463534242U;  ///< Marsaglia's first state
};

}  // namespace tessera
