#include "sc_models/noc/core/mesh_statistics.h"

#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sc_models/common/conservation.h"
#include "sc_models/common/percent.h"

namespace tessera {

void MeshStatistics::register_in(StatGroup& group) const {
    group.counter("packets_in", packets_in, "packets", "packets that nodes sent");
    group.counter("packets_out", packets_out, "packets", "packets that nodes received");
    group.counter("flits_in", flits_in, "flits", "flits that nodes sent");
    group.counter("flits_out", flits_out, "flits", "flits that nodes received");
    group.counter("flit_hops", flit_hops, "flits", "flits over links between routers, all links");
    group.counter("router_flits", router_flits, "flits", "flits through routers, all routers");
    group.counter("injection_wait_cycles", injection_wait_cycles, "cycles",
                  "packets waited at their source until their first flit entered its router");
    group.counter("link_wait_cycles", link_wait_cycles, "cycles",
                  "flits first in their buffer waited for their turn on a link");
    group.counter("backpressure_cycles", backpressure_cycles, "cycles",
                  "flits first in their buffer waited for a virtual channel or room behind the "
                  "link");
    group.counter("latency_cycles", latency_cycles, "cycles",
                  "packets' times from their source's queue to their last flit's arrival");
    constexpr std::array<const char*, kMeshPorts - 1> kDirections = {"west", "east", "north",
                                                                     "south"};
    for (std::size_t i = 0; i < link_flits.size(); ++i) {
        group.instance("node", static_cast<std::uint32_t>(i / kDirections.size()))
            .counter(std::string(kDirections[i % kDirections.size()]) + "_flits", link_flits[i],
                     "flits", "flits over the link in this direction");
    }
    group.ratio("mean_hops", {"flit_hops"}, {"flits_in"}, "links", "links of a flit's way");
    group.ratio("mean_latency", {"latency_cycles"}, {"packets_out"}, "cycles",
                "time of a packet from its source's queue to its last flit's arrival");
}

void MeshStatistics::add_metrics(const StatGroup& machine,
                                 const std::vector<std::uint64_t>& link_flits_before, Cycle cycles,
                                 Cycle simulated, nlohmann::ordered_json& metrics) const {
    const std::uint64_t hops = machine.sum("memory.mesh.flit_hops");
    metrics["mesh_flit_hops"] = hops;
    metrics["mesh_link_utilisation_percent"] = percent(hops, links() * cycles);
    metrics["mesh_busiest_link_percent"] = percent(busiest_link(link_flits_before), simulated);
}

void MeshStatistics::check(const std::string& name, std::vector<std::string>& violations) const {
    expect_equal(name, "packets in", packets_in, "packets out", packets_out, violations);
    expect_equal(name, "flits in", flits_in, "flits out", flits_out, violations);
    expect_equal(name, "flits through routers", router_flits, "flits in + hops",
                 flits_in + flit_hops, violations);
    expect_equal(name, "flit hops", flit_hops, "sum over links",
                 std::accumulate(link_flits.begin(), link_flits.end(), std::uint64_t{0}),
                 violations);
}

}  // namespace tessera
