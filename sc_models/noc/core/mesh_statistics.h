// Counters of a mesh.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/noc/core/mesh_topology.h"

namespace tessera {

/// Traffic through the routers, at either level of timing.
struct MeshStatistics {
    std::uint64_t packets_in = 0;
    std::uint64_t packets_out = 0;
    std::uint64_t flits_in = 0;
    std::uint64_t flits_out = 0;
    std::uint64_t flit_hops = 0;
    std::uint64_t router_flits = 0;
    std::uint64_t injection_wait_cycles = 0;
    std::uint64_t link_wait_cycles = 0;
    std::uint64_t backpressure_cycles = 0;
    std::uint64_t latency_cycles = 0;
    std::vector<std::uint64_t> link_flits;  ///< by node * 4 + direction

    explicit MeshStatistics(const MeshTopology& topology)
        : link_flits(std::size_t{topology.nodes()} * (kMeshPorts - 1)),
          links_(std::uint64_t{4} * topology.nodes() -
                 2 * (topology.width() + topology.nodes() / topology.width())) {}
    /// Index in link_flits of the link from the router of `node` through `port`.
    [[nodiscard]] static std::uint32_t hop(NodeId node, MeshDirection port) {
        return node.value() * (kMeshPorts - 1) + static_cast<std::uint32_t>(port);
    }
    void count_hop(std::uint32_t hop, std::uint32_t flits) {
        flit_hops += flits;
        link_flits[hop] += flits;
    }
    void register_in(StatGroup& group) const;
    /// Returns the flits over the router-to-router link that has carried most since link_flits was
    /// `before` (empty: since the start).
    [[nodiscard]] std::uint64_t busiest_link(const std::vector<std::uint64_t>& before) const {
        std::uint64_t most = 0;
        for (std::size_t i = 0; i < link_flits.size(); ++i) {
            most = std::max(most, link_flits[i] - (before.empty() ? 0 : before[i]));
        }
        return most;
    }
    /// Returns the number of links between routers: two for each pair of neighbours.
    [[nodiscard]] std::uint64_t links() const { return links_; }
    /// Adds the key figures of a kernel of `cycles`, from statistics of the whole machine;
    /// `link_flits_before` is link_flits at the start of the kernel, of which `simulated` cycles
    /// passed.
    void add_metrics(const StatGroup& machine, const std::vector<std::uint64_t>& link_flits_before,
                     Cycle cycles, Cycle simulated, nlohmann::ordered_json& metrics) const;
    /// Appends a line for each broken invariant; valid when nothing is in flight.
    void check(const std::string& name, std::vector<std::string>& violations) const;

private:
    std::uint64_t links_;
};

}  // namespace tessera
