// Random traffic for a mesh, at both levels of timing.
#pragma once

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "sc_models/noc/core/mesh_core.h"
#include "sc_models/noc/core/mesh_reservations.h"

namespace tessera::test {

struct MeshPacket {
    NodeId from, to;
    MeshNetwork network = MeshNetwork::kRequest;
    std::uint32_t flits = 1;
    Cycle at = 0;            ///< ready at its source
    Cycle arrived = kNever;  ///< answer
};

/// Cycles a packet takes alone (MeshCore's formula), whatever the buffers hold.
inline Cycle alone(const MeshConfig& config, std::uint32_t hops, std::uint32_t flits) {
    const Cycle stages = config.router_stages, link = config.link_cycles;
    const Cycle credits = hops > 0 ? 2 * link + stages : stages - 1 + link;
    const Cycle round = std::max<Cycle>(credits, config.buffer_flits);
    const Cycle tail =
        (flits - 1) / config.buffer_flits * round + (flits - 1) % config.buffer_flits;
    return (hops + 1) * stages + hops * link + tail;
}

/// `count` packets by `pick(packet)`, which fills in all but the times, a packet a node with
/// probability `rate` a cycle; in order of time.
template <class Pick>
std::vector<MeshPacket> random_packets(std::mt19937_64& random, std::uint32_t nodes,
                                       std::size_t count, double rate, Pick&& pick) {
    std::vector<MeshPacket> packets;
    for (Cycle at = 0; packets.size() < count; ++at) {
        for (std::uint32_t node = 0; node < nodes && packets.size() < count; ++node) {
            if (static_cast<double>(random() >> 11U) * 0x1p-53 >= rate) continue;
            MeshPacket packet;
            packet.from = NodeId(node);
            packet.at = at;
            pick(packet);
            packets.push_back(packet);
        }
    }
    return packets;
}

/// Runs packets (in order of time) through a MeshCore whose nodes have queues without bound in
/// front of its own and take every packet at once. Returns the last cycle; arrivals are in
/// `packets`, `order` has the order of their arrival.
inline Cycle run_cycle_level(MeshCore& mesh, std::uint32_t nodes, std::vector<MeshPacket>& packets,
                             std::vector<std::size_t>* order = nullptr) {
    std::vector<std::deque<std::size_t>> waiting(std::size_t{2} * nodes);
    std::size_t next = 0, left = packets.size();
    Cycle now = 0;
    for (; left > 0; ++now) {
        for (; next < packets.size() && packets[next].at <= now; ++next) {
            const MeshPacket& p = packets[next];
            waiting[p.from.value() * 2 + static_cast<unsigned>(p.network)].push_back(next);
        }
        for (std::deque<std::size_t>& queue : waiting) {
            while (!queue.empty()) {
                MeshPacket& p = packets[queue.front()];
                if (mesh.full(p.from, p.network)) break;
                mesh.inject(p.from, p.to, p.network, p.flits, &p, now, now);
                queue.pop_front();
            }
        }
        mesh.advance(now, [&](NodeId node, MeshNetwork network, void* message) {
            MeshPacket& p = *static_cast<MeshPacket*>(message);
            p.arrived = now;
            if (order != nullptr) order->push_back(static_cast<std::size_t>(&p - packets.data()));
            mesh.release(node, network);
            --left;
        });
    }
    return now;
}

/// The same with times reserved ahead, in order of time.
inline void run_reserved(MeshReservations& mesh, std::vector<MeshPacket>& packets) {
    for (MeshPacket& p : packets) {
        p.arrived = mesh.send(p.from, p.to, p.network, p.flits, p.at, p.at).arrived;
    }
}

}  // namespace tessera::test
