// What approximately-timed blocks share.
#pragma once

#include "sc_models/tlm/cycle_ticker.h"
#include "sc_models/tlm/island_observers.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// What approximately-timed blocks run in: their clock, where their payloads come from, and whom
/// they tell what happens. A block of an island is given the island's, all three together:
/// another's pool, or the observers of the whole run, would be shared between threads of the host.
struct AtContext {
    ClockPlace clock;
    PayloadPool& pool;
    Observers observers;
};

/// An island with its payloads, which come from no other island's memory, and what it tells
/// observers.
struct IslandContext {
    IslandContext(CycleTicker& ticker, Observers of_all)
        : island(ticker), observers(island, of_all) {}
    /// For its blocks, which must not outlive it.
    [[nodiscard]] AtContext blocks() {
        return {{island.ticker(), &island}, payloads, observers.get()};
    }

    Island island;
    PayloadPool payloads;
    IslandObservers observers;
};

}  // namespace tessera
