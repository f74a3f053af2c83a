// Context of approximately-timed blocks.
#pragma once

#include "sc_models/tlm/at/cycle_ticker.h"
#include "sc_models/tlm/at/island_observers.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// Services shared by approximately-timed blocks: clock, payload pool and observers. A block of an
/// island must be given all three of that island: another island's pool, or the observers of the
/// whole run, would be shared between host threads.
struct AtContext {
    ClockPlace clock;
    PayloadPool& pool;
    Observers observers;
};

/// An island with a payload pool of its own and the observers of its blocks.
struct IslandContext {
    IslandContext(CycleTicker& ticker, Observers of_all)
        : island(ticker), observers(island, of_all) {}
    /// Returns the context of its blocks, which must not outlive it.
    [[nodiscard]] AtContext blocks() {
        return {{island.ticker(), &island}, payloads, observers.get()};
    }

    Island island;
    PayloadPool payloads;
    IslandObservers observers;
};

}  // namespace tessera
