#include "sc_models/noc/core/crossbar_statistics.h"

namespace tessera {

void CrossbarStatistics::register_in(StatGroup& group) const {
    NocTraffic::register_in(group);
    group.counter("sm_request_wait_cycles", sm_request_wait_cycles, "cycles",
                  "requests waited for their SM's port");
    group.counter("slice_request_wait_cycles", slice_request_wait_cycles, "cycles",
                  "requests waited for a slice's input");
    group.counter("slice_response_wait_cycles", slice_response_wait_cycles, "cycles",
                  "data waited for a slice's output");
    group.counter("sm_response_wait_cycles", sm_response_wait_cycles, "cycles",
                  "data waited for its SM's port");
    group.counter("multicast_bytes", multicast_bytes, "bytes",
                  "read data that came with another SM's, without a slice's output");
}

}  // namespace tessera
