// Context of approximately-timed blocks.
#pragma once

#include "sc_models/tlm/at/cycle_ticker.h"
#include "sc_models/tlm/at/partition_observers.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// Services shared by approximately-timed blocks: clock, payload pool and observers. A block of a
/// partition must be given all three of that partition: another partition's pool, or the observers
/// of the whole run, would be shared between host threads.
struct AtContext {
    ClockPlace clock;
    PayloadPool& pool;
    Observers observers;
};

/// A partition with a payload pool of its own and the observers of its blocks.
struct PartitionContext {
    PartitionContext(CycleTicker& ticker, Observers of_all)
        : partition(ticker), observers(partition, of_all) {}
    /// Returns the context of its blocks, which must not outlive it.
    [[nodiscard]] AtContext blocks() {
        return {{partition.ticker(), &partition}, payloads, observers.get()};
    }

    Partition partition;
    PayloadPool payloads;
    PartitionObservers observers;
};

}  // namespace tessera
