#include "sc_models/noc/core/noc_traffic.h"

#include "sc_models/common/conservation.h"

namespace tessera {

void NocTraffic::register_in(StatGroup& group) const {
    group.counter("read_requests", read_requests, "requests", "reads from SMs");
    group.counter("write_requests", write_requests, "requests", "writes from SMs");
    group.counter("read_responses", read_responses, "responses", "reads answered with data");
    group.counter("write_acceptances", write_acceptances, "responses", "writes taken by L2");
    group.counter("error_responses", error_responses, "responses", "requests that were refused");
    group.counter("read_bytes", read_bytes, "bytes", "data from L2 to SMs");
    group.counter("write_bytes", write_bytes, "bytes", "data from SMs to L2");
}

void NocTraffic::check(const std::string& name, std::vector<std::string>& violations) const {
    expect_equal(name, "read + write requests", read_requests + write_requests,
                 "responses + acceptances + errors",
                 read_responses + write_acceptances + error_responses, violations);
}

}  // namespace tessera
