// Traffic counters between SMs and L2, independent of the network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"

namespace tessera {

/// Traffic between SMs and L2, over a crossbar or a mesh.
struct NocTraffic {
    std::uint64_t read_requests = 0;
    std::uint64_t write_requests = 0;
    std::uint64_t read_responses = 0;
    std::uint64_t write_acceptances = 0;
    std::uint64_t error_responses = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t write_bytes = 0;

    void register_in(StatGroup& group) const;
    /// Appends a line for each broken invariant; valid when nothing is in flight.
    void check(const std::string& name, std::vector<std::string>& violations) const;
};

}  // namespace tessera
