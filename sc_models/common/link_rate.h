// Bandwidth of a link that is used in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Slots of a link of `bytes_per_cycle` that carries pieces of `bytes_per_slot`: slot s lasts from
/// cycle floor(s * bytes_per_slot / bytes_per_cycle) on, and who comes within a free slot starts at
/// once, as in a SlotCalendar; but slots are taken in order and never left for later.
class LinkRate {
public:
    LinkRate(std::uint32_t bytes_per_cycle, std::uint32_t bytes_per_slot)
        : slots_(bytes_per_cycle / std::gcd(bytes_per_cycle, bytes_per_slot)),
          cycles_(bytes_per_slot / std::gcd(bytes_per_cycle, bytes_per_slot)),
          unit_(bytes_per_cycle == bytes_per_slot) {}

    /// When a piece that is there at `at` would start.
    [[nodiscard]] Cycle free_at(Cycle at) const { return start_of(first_for(at), at); }
    /// Takes `slots` slots (one at least) for who is there at `at`; returns when the last starts.
    Cycle take(Cycle at, std::uint32_t slots) {
        const std::uint64_t last = first_for(at) + slots - 1;
        next_ = last + 1;
        return start_of(last, at);
    }

private:
    [[nodiscard]] std::uint64_t first_for(Cycle at) const {
        return std::max(next_, unit_ ? at : at * slots_.value() / cycles_);
    }
    [[nodiscard]] Cycle start_of(std::uint64_t slot, Cycle at) const {
        return std::max(at, unit_ ? slot : slot * cycles_.value() / slots_);
    }

    Divisor slots_, cycles_;  ///< so many slots in so many cycles
    bool unit_;               ///< one a cycle
    std::uint64_t next_ = 0;  ///< first slot nobody has taken
};

}  // namespace tessera
