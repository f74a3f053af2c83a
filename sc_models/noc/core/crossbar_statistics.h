// Counters of the crossbar.
#pragma once

#include "sc_models/noc/core/noc_traffic.h"

namespace tessera {

/// Traffic of a crossbar and its waiting times at ports.
struct CrossbarStatistics : NocTraffic {
    std::uint64_t sm_request_wait_cycles = 0;
    std::uint64_t slice_request_wait_cycles = 0;
    std::uint64_t slice_response_wait_cycles = 0;
    std::uint64_t sm_response_wait_cycles = 0;
    std::uint64_t multicast_bytes = 0;

    void register_in(StatGroup& group) const;
};

}  // namespace tessera
