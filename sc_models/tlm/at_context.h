// What approximately-timed blocks share.
#pragma once

#include "sc_models/tlm/cycle_ticker.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// The clock of approximately-timed blocks, and where their payloads come from.
struct AtContext {
    ClockPlace clock;
    PayloadPool& pool;
};

/// An island with its payloads, which come from no other island's memory.
struct IslandContext {
    explicit IslandContext(CycleTicker& ticker) : island(ticker) {}
    /// For its blocks, which must not outlive it.
    [[nodiscard]] AtContext blocks() { return {{island.ticker(), &island}, payloads}; }

    Island island;
    PayloadPool payloads;
};

}  // namespace tessera
