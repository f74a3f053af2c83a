// Counters of the crossbar.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"

namespace tessera {

struct CrossbarStatistics {
    std::uint64_t read_requests = 0;
    std::uint64_t write_requests = 0;
    std::uint64_t read_responses = 0;
    std::uint64_t write_acceptances = 0;
    std::uint64_t error_responses = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;
    std::uint64_t sm_request_wait_cycles = 0;
    std::uint64_t slice_request_wait_cycles = 0;
    std::uint64_t slice_response_wait_cycles = 0;
    std::uint64_t sm_response_wait_cycles = 0;

    void register_in(StatGroup& group) const;
    /// Appends a line for each broken invariant.
    void check(const std::string& name, std::vector<std::string>& violations) const;
};

}  // namespace tessera
