// How fast is the mesh on the machine it runs on? Time of a packet at both levels of timing, 8 x 8
// nodes, uniform random destinations, half requests of one flit and half replies of nine, by load.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <systemc>

#include "tests/support/mesh_load.h"

using namespace tessera;
using namespace tessera::test;

namespace {

template <class Run>
double seconds(Run&& run) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    const std::size_t count =
        argc > 1 ? static_cast<std::size_t>(std::strtoull(argv[1], nullptr, 10)) : 200'000;
    const MeshConfig config;
    const MeshTopology topology(config, config.width * config.height, 0);
    std::printf("flits a node and cycle, level, ns a packet, million flit-hops a second\n");
    for (const double load : {0.02, 0.1, 0.3}) {
        std::mt19937_64 random(1);
        std::vector<MeshPacket> packets =
            random_packets(random, topology.nodes(), count, load / 5, [&](MeshPacket& p) {
                p.to = NodeId(static_cast<std::uint32_t>(random() % topology.nodes()));
                p.network = random() % 2 == 0 ? MeshNetwork::kRequest : MeshNetwork::kReply;
                p.flits = p.network == MeshNetwork::kRequest ? 1 : 9;
            });
        const auto report = [&](const char* level, double time, std::uint64_t hops) {
            std::printf("  %.2f  %s %8.0f %8.1f\n", load, level,
                        1e9 * time / static_cast<double>(count),
                        1e-6 * static_cast<double>(hops) / time);
        };
        MeshCore core(config, topology, 8, 8);
        const double at = seconds([&] { run_cycle_level(core, topology.nodes(), packets); });
        report("at", at, core.statistics().flit_hops);
        MeshReservations reserved(config, topology);
        const double lt = seconds([&] { run_reserved(reserved, packets); });
        report("lt", lt, reserved.statistics().flit_hops);
    }
    return 0;
}
