#include "sc_models/noc/crossbar_statistics.h"

#include "sc_models/memory/conservation.h"

namespace tessera {

void CrossbarStatistics::register_in(StatGroup& group) const {
    group.counter("read_requests", read_requests, "requests", "reads from SMs");
    group.counter("write_requests", write_requests, "requests", "writes from SMs");
    group.counter("read_responses", read_responses, "responses", "reads answered with data");
    group.counter("write_acceptances", write_acceptances, "responses", "writes taken by L2");
    group.counter("error_responses", error_responses, "responses", "requests that were refused");
    group.counter("read_bytes", read_bytes, "bytes", "data from L2 to SMs");
    group.counter("write_bytes", write_bytes, "bytes", "data from SMs to L2");
    group.counter("sm_request_wait_cycles", sm_request_wait_cycles, "cycles",
                  "requests waited for their SM's port");
    group.counter("slice_request_wait_cycles", slice_request_wait_cycles, "cycles",
                  "requests waited for a slice's input");
    group.counter("slice_response_wait_cycles", slice_response_wait_cycles, "cycles",
                  "data waited for a slice's output");
    group.counter("sm_response_wait_cycles", sm_response_wait_cycles, "cycles",
                  "data waited for its SM's port");
}

void CrossbarStatistics::check(const std::string& name,
                               std::vector<std::string>& violations) const {
    expect_equal(name, "read + write requests", read_requests + write_requests,
                 "responses + acceptances + errors",
                 read_responses + write_acceptances + error_responses, violations);
}

}  // namespace tessera
