// The mesh without SystemC: does every flit that goes in come out, in order, whatever the load; is
// an idle mesh as fast as it should be; and how far are reserved times from the cycle-level
// routers?
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <tuple>

#include "tests/support/mesh_load.h"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Flits over each link by walking every packet's way, columns first.
std::uint64_t hops_of(const std::vector<MeshPacket>& packets, const MeshConfig& config) {
    std::uint64_t hops = 0;
    for (const MeshPacket& p : packets) {
        const int dx = static_cast<int>(p.to.value() % config.width) -
                       static_cast<int>(p.from.value() % config.width);
        const int dy = static_cast<int>(p.to.value() / config.width) -
                       static_cast<int>(p.from.value() / config.width);
        hops += std::uint64_t{p.flits} * static_cast<unsigned>(std::abs(dx) + std::abs(dy));
    }
    return hops;
}

/// Meshes of all shapes, those whose buffers do not cover the credits' way included.
MeshConfig shape(std::mt19937_64& random) {
    const auto among = [&random](std::initializer_list<std::uint32_t> of) {
        return *(of.begin() + static_cast<std::ptrdiff_t>(random() % of.size()));
    };
    MeshConfig config;
    config.width = among({1, 2, 5, 8, 13});
    config.height = among({1, 3, 8});
    config.router_stages = among({2, 3, 5});
    config.link_cycles = among({1, 2});
    config.buffer_flits = among({1, 2, 4, 9});
    config.virtual_channels = among({2, 4, 8});
    config.ejection_packets = among({1, 4});
    return config;
}

MeshTopology topology_of(const MeshConfig& config) {
    return {config, config.width * config.height, 0};
}

TEST(Mesh, ALonePacketTakesTheTimeOfTheFormula) {
    constexpr std::uint32_t kSeed = 11;
    std::mt19937_64 random(kSeed);
    for (int round = 0; round < 60; ++round) {
        const MeshConfig config = round == 0 ? MeshConfig{} : shape(random);
        const MeshTopology topology = topology_of(config);
        const std::uint32_t nodes = topology.nodes();
        MeshCore core(config, topology, 4, 4);
        MeshReservations reserved(config, topology);
        Cycle start = 0;
        for (int i = 0; i < 50; ++i) {
            MeshPacket packet;
            packet.from = NodeId(static_cast<std::uint32_t>(random() % nodes));
            packet.to = NodeId(static_cast<std::uint32_t>(random() % nodes));
            packet.network = random() % 2 == 0 ? MeshNetwork::kRequest : MeshNetwork::kReply;
            packet.flits = static_cast<std::uint32_t>(1 + random() % 12);
            packet.at = start;
            core.inject(packet.from, packet.to, packet.network, packet.flits, &packet, start,
                        start);
            Cycle now = start;
            while (packet.arrived == kNever) {
                core.advance(now, [&](NodeId node, MeshNetwork network, void* /*message*/) {
                    packet.arrived = now;
                    core.release(node, network);
                });
                ++now;
            }
            const std::uint32_t hops = topology.hops(packet.from, packet.to);
            const Cycle expected = alone(config, hops, packet.flits);
            ASSERT_EQ(packet.arrived - start, expected)
                << "seed " << kSeed << ", round " << round << ": " << hops << " links, "
                << packet.flits << " flits";
            const auto transit =
                reserved.send(packet.from, packet.to, packet.network, packet.flits, start, start);
            ASSERT_EQ(transit.arrived - start, expected)
                << "reserved; seed " << kSeed << ", round " << round << ": " << hops << " links, "
                << packet.flits << " flits, buffers of " << config.buffer_flits;
            start = now + 20;
        }
        ASSERT_EQ(core.statistics().link_wait_cycles, 0U) << "nobody else wants its links";
    }
}

/// Two flits that want the same link in the same cycle: one waits, for one cycle.
TEST(Mesh, OfTwoFlitsForALinkOneWaits) {
    MeshConfig config;
    config.width = 3;
    config.height = 1;
    const MeshTopology topology = topology_of(config);
    MeshCore mesh(config, topology, 4, 4);
    const Cycle hop = config.router_stages + config.link_cycles;
    mesh.inject(NodeId(0), NodeId(2), MeshNetwork::kRequest, 1, &mesh, 0, 0);
    std::vector<Cycle> arrivals;
    for (Cycle now = 0; now < 50; ++now) {
        if (now == hop) {
            mesh.inject(NodeId(1), NodeId(2), MeshNetwork::kReply, 1, &mesh, now, now);
        }
        mesh.advance(now, [&](NodeId node, MeshNetwork network, void*) {
            arrivals.push_back(now);
            mesh.release(node, network);
        });
    }
    const Cycle first = alone(config, 2, 1);
    EXPECT_EQ(arrivals, (std::vector<Cycle>{first, first + 1}));
    EXPECT_EQ(mesh.statistics().link_wait_cycles, 1U);
}

/// Flits of all neighbours for one node in the same cycle go in the order of their ports: west,
/// east, north, south.
TEST(Mesh, NeighboursAreServedInTheOrderOfTheirPorts) {
    MeshConfig config;
    config.width = config.height = 3;
    config.ejection_packets = 4;
    const MeshTopology topology = topology_of(config);
    MeshCore mesh(config, topology, 4, 4);
    constexpr std::uint32_t kWest = 3, kEast = 5, kNorth = 1, kSouth = 7, kCentre = 4;
    std::array<NodeId, 4> senders = {NodeId(kNorth), NodeId(kSouth), NodeId(kWest), NodeId(kEast)};
    for (NodeId& sender : senders) {
        mesh.inject(sender, NodeId(kCentre), MeshNetwork::kReply, 1, &sender, 0, 0);
    }
    std::vector<std::uint32_t> arrived;
    for (Cycle now = 0; now < 50; ++now) {
        mesh.advance(now, [&](NodeId node, MeshNetwork network, void* sender) {
            arrived.push_back(static_cast<NodeId*>(sender)->value());
            mesh.release(node, network);
        });
    }
    EXPECT_EQ(arrived, (std::vector<std::uint32_t>{kWest, kEast, kNorth, kSouth}));
    EXPECT_EQ(mesh.statistics().link_wait_cycles, 3U + 2U + 1U);
}

/// However long the packets are: the second follows the first, flit by flit.
TEST(Mesh, PacketsReservedOnALinkDoNotOverlap) {
    MeshConfig config;
    config.width = 2;
    config.height = 1;
    config.buffer_flits = 128;
    const MeshTopology topology = topology_of(config);
    for (const std::uint32_t flits : {1U, 9U, 64U, 65U, 66U, 67U, 100U}) {
        MeshReservations mesh(config, topology);
        const auto send = [&](MeshNetwork network) {
            return mesh.send(NodeId(0), NodeId(1), network, flits, 100, 100).arrived;
        };
        const Cycle first = send(MeshNetwork::kRequest);
        EXPECT_EQ(first, 100 + alone(config, 1, flits));
        EXPECT_EQ(send(MeshNetwork::kReply), first + flits) << flits << " flits";
    }
}

/// A packet that fills a buffer enters behind another of its channel as that one's flits leave:
/// both together take what one of twice the length does.
TEST(Mesh, OneBehindTheOtherInAChannelTheyAreAsOneLongPacket) {
    for (std::uint32_t flits = 1; flits <= 6; ++flits) {
        MeshConfig config;
        config.width = 4;
        config.height = 1;
        config.buffer_flits = flits;
        const MeshTopology topology = topology_of(config);
        const Cycle first = 100 + alone(config, 3, flits);
        const Cycle second = 100 + alone(config, 3, 2 * flits);
        MeshReservations reserved(config, topology);
        MeshCore core(config, topology, 4, 4);
        std::vector<MeshPacket> packets(2);
        for (MeshPacket& p : packets) {
            p.arrived =
                reserved.send(NodeId(0), NodeId(3), MeshNetwork::kReply, flits, 100, 100).arrived;
        }
        EXPECT_EQ(packets[0].arrived, first) << flits << " flits, reserved";
        EXPECT_EQ(packets[1].arrived, second) << flits << " flits, reserved";
        const Cycle both = first - 100 + (second - 100);
        EXPECT_EQ(reserved.statistics().latency_cycles, both);
        for (MeshPacket& p : packets) {
            core.inject(NodeId(0), NodeId(3), MeshNetwork::kReply, flits, &p, 100, 100);
        }
        for (Cycle now = 100; core.size() > 0; ++now) {
            core.advance(now, [&](NodeId node, MeshNetwork network, void* message) {
                static_cast<MeshPacket*>(message)->arrived = now;
                core.release(node, network);
            });
        }
        EXPECT_EQ(packets[0].arrived, first) << flits << " flits";
        EXPECT_EQ(packets[1].arrived, second) << flits << " flits";
        EXPECT_EQ(core.statistics().latency_cycles, both);
    }
}

TEST(Mesh, TableOnesMeshTakesThreeCyclesALink) {
    const MeshConfig config;
    const MeshTopology topology(config, 56, 8);
    const NodeId sm = topology.of_sm(SmId(0)), controller = topology.of_controller(7);
    ASSERT_EQ(topology.hops(sm, controller), 14U) << "from one corner to the other";
    MeshReservations mesh(config, topology);
    EXPECT_EQ(mesh.send(sm, controller, MeshNetwork::kRequest, 1, 100, 100).arrived,
              100U + 14 * 3 + 2);
    EXPECT_EQ(mesh.send(controller, sm, MeshNetwork::kReply, 9, 500, 500).arrived,
              500U + 14 * 3 + 2 + 8);
}

void expect_conserved(const MeshStatistics& stats, const std::vector<MeshPacket>& packets,
                      const MeshConfig& config) {
    std::uint64_t flits = 0;
    for (const MeshPacket& p : packets) flits += p.flits;
    EXPECT_EQ(stats.packets_in, packets.size());
    EXPECT_EQ(stats.flits_in, flits);
    EXPECT_EQ(stats.flits_out, flits);
    EXPECT_EQ(stats.flit_hops, hops_of(packets, config));
    std::vector<std::string> violations;
    stats.check("mesh", violations);
    EXPECT_TRUE(violations.empty()) << violations.front();
}

/// Packets of one source, destination and network arrive in the order in which they were sent, the
/// later not before the earlier.
void expect_order(const std::vector<MeshPacket>& packets) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, MeshNetwork>, Cycle> last;
    for (const MeshPacket& p : packets) {
        Cycle& before = last[{p.from.value(), p.to.value(), p.network}];
        ASSERT_GT(p.arrived, before) << "from " << p.from.value() << " to " << p.to.value();
        before = p.arrived;
    }
}

TEST(Mesh, WhatGoesInComesOutInOrder) {
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const MeshConfig config = seed == 1 ? MeshConfig{} : shape(random);
        const MeshTopology topology = topology_of(config);
        const double rate = std::array<double, 3>{0.02, 0.2, 1.0}[random() % 3];
        const auto hot = static_cast<std::uint32_t>(random() % 4);
        std::vector<MeshPacket> packets =
            random_packets(random, topology.nodes(), 4000, rate, [&](MeshPacket& p) {
                const bool to_hot = hot == 0 && random() % 2 == 0;
                p.to = NodeId(to_hot ? 0 : static_cast<std::uint32_t>(random() % topology.nodes()));
                p.network = random() % 2 == 0 ? MeshNetwork::kRequest : MeshNetwork::kReply;
                p.flits = static_cast<std::uint32_t>(1 + random() % 10);
            });
        const auto queue = 1 + static_cast<std::uint32_t>(random() % 8);
        MeshCore core(config, topology, queue, queue);
        run_cycle_level(core, topology.nodes(), packets);
        EXPECT_EQ(core.size(), 0U);
        expect_conserved(core.statistics(), packets, config);
        expect_order(packets);
        MeshReservations reserved(config, topology);
        run_reserved(reserved, packets);
        expect_conserved(reserved.statistics(), packets, config);
        expect_order(packets);
    }
}

/// Each request is answered by a packet that must find room in its node's queue of replies before
/// the request gives up its place; all queues are as small as they can be.
TEST(Mesh, RequestsAndRepliesDoNotDeadlock) {
    constexpr std::size_t kRequests = 20'000;
    MeshConfig config;
    config.ejection_packets = 1;
    config.virtual_channels = 2;
    const MeshTopology topology(config, 56, 8);
    std::mt19937_64 random(5);
    MeshCore mesh(config, topology, 1, 1);
    std::vector<std::deque<MeshPacket*>> unanswered(8);
    std::vector<MeshPacket> packets(kRequests);
    std::size_t sent = 0, answered = 0;
    Cycle quiet = 0;
    for (Cycle now = 0; answered < kRequests; ++now) {
        ASSERT_LT(++quiet, 2000U) << "nothing arrives any more at cycle " << now << ": "
                                  << mesh.size() << " packets inside";
        for (std::uint32_t sm = 0; sm < 56 && sent < kRequests; ++sm) {
            const NodeId node = topology.of_sm(SmId(sm));
            if (mesh.full(node, MeshNetwork::kRequest)) continue;
            MeshPacket& p = packets[sent++];
            p.from = node;
            p.to = topology.of_controller(static_cast<std::uint32_t>(random() % 8));
            p.flits = random() % 2 == 0 ? 1 : 9;
            mesh.inject(p.from, p.to, MeshNetwork::kRequest, p.flits, &p, now, now);
        }
        for (std::uint32_t i = 0; i < 8; ++i) {
            const NodeId node = topology.of_controller(i);
            if (unanswered[i].empty() || mesh.full(node, MeshNetwork::kReply)) continue;
            MeshPacket& p = *unanswered[i].front();
            unanswered[i].pop_front();
            mesh.release(node, MeshNetwork::kRequest);
            mesh.inject(node, p.from, MeshNetwork::kReply, 10 - p.flits, &p, now, now);
        }
        mesh.advance(now, [&](NodeId node, MeshNetwork network, void* message) {
            quiet = 0;
            MeshPacket& p = *static_cast<MeshPacket*>(message);
            if (network == MeshNetwork::kReply) {
                ++answered;
                mesh.release(node, network);
                return;
            }
            for (std::uint32_t i = 0; i < 8; ++i) {
                if (topology.of_controller(i) == node) unanswered[i].push_back(&p);
            }
        });
    }
    EXPECT_EQ(mesh.statistics().packets_out, 2 * kRequests);
    EXPECT_EQ(mesh.next(), kNever) << "an empty mesh has nothing to do";
}

/// Packets take the virtual channel of the sum of their nodes' numbers. One that enters a link
/// while another holds the channel waits for its last flit; in another channel both take turns.
TEST(Mesh, TheSumOfThePlacesChoosesTheVirtualChannel) {
    MeshConfig config;
    config.width = 8;
    config.height = 1;
    config.virtual_channels = 8;
    const MeshTopology topology = topology_of(config);
    constexpr std::uint32_t kFlits = 9;
    // From 0 to 5, and, as its head has come to node 1, another from there to `to`.
    const auto send = [&](std::uint32_t to) {
        MeshCore mesh(config, topology, 4, 4);
        const Cycle second = 6;
        MeshPacket packets[2];
        mesh.inject(NodeId(0), NodeId(5), MeshNetwork::kRequest, kFlits, &packets[0], 0, 0);
        for (Cycle now = 0; mesh.size() > 0 || now <= second; ++now) {
            if (now == second) {
                mesh.inject(NodeId(1), NodeId(to), MeshNetwork::kRequest, kFlits, &packets[1], now,
                            now);
            }
            mesh.advance(now, [&](NodeId node, MeshNetwork network, void* message) {
                static_cast<MeshPacket*>(message)->arrived = now;
                mesh.release(node, network);
            });
        }
        return std::make_pair(packets[0].arrived, packets[1].arrived - second);
    };
    const Cycle first = alone(config, 5, kFlits);
    const auto [ahead, behind] = send(4);  // 1 + 4 is 0 + 5
    EXPECT_EQ(ahead, first) << "nobody is in its channel";
    EXPECT_GE(behind, alone(config, 3, kFlits) + 4) << "it lets the first pass";
    const auto [shared, beside] = send(3);
    EXPECT_GT(shared, first) << "the link is shared flit by flit";
    EXPECT_LT(beside, alone(config, 2, kFlits) + 9);
}

/// A node whose queues of requests and replies are never empty sends a flit of each in turn.
TEST(Mesh, ANodeSendsRequestsAndRepliesInTurn) {
    MeshConfig config;
    config.width = 4;
    config.height = 1;
    const MeshTopology topology = topology_of(config);
    MeshCore mesh(config, topology, 4, 4);
    constexpr std::array<MeshNetwork, 2> kNetworks = {MeshNetwork::kRequest, MeshNetwork::kReply};
    std::array<std::uint64_t, 2> delivered{};
    constexpr Cycle kCycles = 1000;
    for (Cycle now = 0; now < kCycles; ++now) {
        for (const MeshNetwork network : kNetworks) {
            if (mesh.full(NodeId(0), network)) continue;
            mesh.inject(NodeId(0), NodeId(3), network, 1, &mesh, now, now);
        }
        mesh.advance(now, [&](NodeId node, MeshNetwork network, void*) {
            ++delivered[static_cast<std::size_t>(network)];
            mesh.release(node, network);
            // Never two more of one than of the other.
            ASSERT_LE(std::max(delivered[0], delivered[1]),
                      std::min(delivered[0], delivered[1]) + 1);
        });
    }
    // All cycles but those of the way, half of them each.
    EXPECT_EQ(delivered[0] + delivered[1], kCycles - alone(config, 3, 1));
}

/// Packets wait where they are if the next place is full; the destination keeps all it received.
TEST(Mesh, ANodeThatTakesNothingStopsTheMeshAndLosesNothing) {
    MeshConfig config;
    config.width = 4;
    config.height = 1;
    const MeshTopology topology = topology_of(config);
    MeshCore mesh(config, topology, 1, 1);
    std::size_t sent = 0, delivered = 0;
    for (Cycle now = 0; now < 500; ++now) {
        if (!mesh.full(NodeId(0), MeshNetwork::kRequest)) {
            mesh.inject(NodeId(0), NodeId(3), MeshNetwork::kRequest, 4, &mesh, now, now);
            ++sent;
        }
        mesh.advance(now, [&](NodeId, MeshNetwork, void*) { ++delivered; });
    }
    EXPECT_EQ(delivered, config.ejection_packets);
    // Four buffers of four flits and the source's queue are full.
    EXPECT_EQ(sent, delivered + 4 + 1);
    EXPECT_EQ(mesh.buffered(NodeId(1)), config.buffer_flits);
    for (Cycle now = 500; mesh.size() > 0; ++now) {
        ASSERT_LT(now, 2000U);
        for (; delivered > 0; --delivered) mesh.release(NodeId(3), MeshNetwork::kRequest);
        mesh.advance(now, [&](NodeId, MeshNetwork, void*) { ++delivered; });
    }
    EXPECT_EQ(mesh.statistics().flits_out, sent * 4);
}

struct Load {
    double flits_per_node = 0;
    double cycle_level = 0, reserved = 0;  ///< mean latency, cycles
};

Load measure(double flits_per_node, std::uint32_t flits) {
    const MeshConfig config;
    const MeshTopology topology = topology_of(config);
    std::mt19937_64 random(99);
    std::vector<MeshPacket> packets = random_packets(
        random, topology.nodes(), 40'000, flits_per_node / flits, [&](MeshPacket& p) {
            p.to = NodeId(static_cast<std::uint32_t>(random() % topology.nodes()));
            p.network = random() % 2 == 0 ? MeshNetwork::kRequest : MeshNetwork::kReply;
            p.flits = flits;
        });
    const auto mean = [&] {
        double sum = 0;
        for (const MeshPacket& p : packets) sum += static_cast<double>(p.arrived - p.at);
        return sum / static_cast<double>(packets.size());
    };
    Load load;
    load.flits_per_node = flits_per_node;
    MeshCore core(config, topology, 32, 32);
    run_cycle_level(core, topology.nodes(), packets);
    load.cycle_level = mean();
    MeshReservations reserved(config, topology);
    run_reserved(reserved, packets);
    load.reserved = mean();
    return load;
}

/// Up to 0.3 flits a node and cycle, where cycle-level routers wait a little, reserved times are
/// within a quarter, on the low side: no arbiter is in the way. At 0.5, which 5 and 9-flit packets
/// cannot get through, both say so.
TEST(Mesh, ReservedTimesFollowTheRoutersUnderUniformRandomLoad) {
    for (const std::uint32_t flits : {1U, 5U, 9U}) {
        std::printf("%u-flit packets: load (flits a node and cycle), latency at, lt\n", flits);
        for (const double rate : {0.02, 0.1, 0.2, 0.3, 0.4, 0.5}) {
            const Load load = measure(rate, flits);
            std::printf("  %.2f %8.1f %8.1f\n", load.flits_per_node, load.cycle_level,
                        load.reserved);
            EXPECT_LT(load.reserved, load.cycle_level * 1.01) << flits << " flits, " << rate;
            if (rate < 0.35) {
                EXPECT_GT(load.reserved, load.cycle_level * 0.75) << flits << " flits, " << rate;
            }
            if (rate > 0.45 && flits > 1) {
                EXPECT_GT(load.reserved, 200) << flits << " flits, " << rate;
                EXPECT_GT(load.cycle_level, 200) << flits << " flits, " << rate;
            }
        }
    }
}

}  // namespace
