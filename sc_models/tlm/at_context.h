// What approximately-timed blocks share.
#pragma once

#include "sc_models/tlm/cycle_ticker.h"
#include "sc_models/tlm/island_observers.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// The clock of approximately-timed blocks, and where their payloads come from.
struct AtContext {
    ClockPlace clock;
    PayloadPool& pool;
};

/// An island with its payloads, which come from no other island's memory, and what it tells
/// observers.
struct IslandContext {
    IslandContext(CycleTicker& ticker, Observers of_all)
        : island(ticker), observers(island, of_all) {}
    /// For its blocks, which must not outlive it.
    [[nodiscard]] AtContext blocks() { return {{island.ticker(), &island}, payloads}; }

    Island island;
    PayloadPool payloads;
    IslandObservers observers;
};

}  // namespace tessera
