// Bandwidth of a link with in-order use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"

namespace tessera {

/// Slots of a link of `bytes_per_cycle` that carries pieces of `bytes_per_slot`. Slot s starts at
/// cycle floor(s * bytes_per_slot / bytes_per_cycle); a request that arrives during a free slot
/// starts at once, as in a ReservationTable. Unlike there, slots are taken in order and skipped
/// ones stay unused.
class LinkRate {
public:
    LinkRate(std::uint32_t bytes_per_cycle, std::uint32_t bytes_per_slot)
        : slots_(bytes_per_cycle / std::gcd(bytes_per_cycle, bytes_per_slot)),
          cycles_(bytes_per_slot / std::gcd(bytes_per_cycle, bytes_per_slot)),
          unit_(bytes_per_cycle == bytes_per_slot) {}

    /// Start cycle of a piece that arrives at `at`.
    [[nodiscard]] Cycle free_at(Cycle at) const { return start_of(first_for(at), at); }
    /// Takes `slots` slots (minimum 1) for a request that arrives at `at`; returns the start of the
    /// last.
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

    Divisor slots_, cycles_;  ///< ratio: slots_ slots per cycles_ cycles
    bool unit_;               ///< one slot per cycle
    std::uint64_t next_ = 0;  ///< first free slot
};

}  // namespace tessera
