// What approximately-timed blocks share.
#pragma once

#include "sc_models/tlm/cycle_ticker.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// The clock of approximately-timed blocks, and where their payloads come from.
struct AtContext {
    CycleTicker& ticker;
    PayloadPool& pool;
};

}  // namespace tessera
