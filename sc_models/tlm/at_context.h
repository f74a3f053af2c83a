// What approximately-timed blocks share.
#pragma once

#include "sc_models/tlm/cycle_ticker.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

struct AtContext {
    CycleTicker& ticker;
    PayloadPool& pool;
};

}  // namespace tessera
