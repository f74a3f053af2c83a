// Cycle-by-cycle model of a wormhole mesh of routers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/common/types.h"
#include "sc_models/noc/core/mesh_message.h"
#include "sc_models/noc/core/mesh_statistics.h"
#include "sc_models/noc/core/mesh_topology.h"

namespace tessera {

/// Mesh without SystemC (opportunistic computing, Table I). Each router has five ports; each input
/// has virtual channels of buffer_flits flits, half of them for requests, half for replies. Packets
/// use XY routing, and those of one source and destination one virtual channel all the way, so that
/// they arrive in order. A flit that is written into a buffer in cycle c may pass the switch from c
/// + router_stages - 1 on, one flit an input and an output a cycle, and is in the next buffer
/// link_cycles + 1 later; a head needs a virtual channel there that no other packet is entering,
/// every flit a buffer entry, whose credit returns link_cycles after it was vacated. A single
/// packet of f flits over h links thus takes
///
///     (h + 1) router_stages + h link_cycles + f - 1
///
/// cycles from its source's queue to its last flit's arrival, if the buffers cover the credits'
/// round trip of 2 link_cycles + router_stages.
///
/// A node sends a flit a cycle, alternating between requests and replies, from a queue for each. A
/// router delivers a flit a cycle to it; packets that are complete, or on their last hop, take an
/// entry of ejection_packets of their network, which the node frees with `release`.
class MeshCore {
public:
    /// Handle of a packet for the caller.
    using Message = void*;

    /// `topology` must outlive it. A node's queues hold `request_packets` and `reply_packets`.
    MeshCore(const MeshConfig& config, const MeshTopology& topology, std::uint32_t request_packets,
             std::uint32_t reply_packets);

    [[nodiscard]] bool full(NodeId node, MeshNetwork network) const {
        return source(node, network).queue.size() >=
               injection_packets_[static_cast<unsigned>(network)];
    }
    /// Puts a packet into its source's queue, which must have room, at `at` (not before `now`).
    void inject(NodeId from, NodeId to, MeshNetwork network, std::uint32_t flits, Message message,
                Cycle now, Cycle at);
    /// Moves the flits of cycle `now`; a second call in the same cycle moves no flits. Calls
    /// `deliver(node, network, message)` for each packet that is complete at its destination.
    template <class Deliver>
    void advance(Cycle now, Deliver&& deliver);
    /// Frees the entry of a delivered packet that the node has accepted.
    void release(NodeId node, MeshNetwork network) {
        ++ejection_room_[node.value() * 2 + static_cast<unsigned>(network)];
    }
    /// Returns when something may move; kNever: nothing is in flight.
    [[nodiscard]] Cycle next() const { return std::min(next_, arrivals_.next()); }

    [[nodiscard]] std::size_t queued(NodeId node, MeshNetwork network) const {
        return source(node, network).queue.size();
    }
    /// Returns the flits in the buffers of the node's router, including those on the link to them.
    [[nodiscard]] std::uint32_t buffered(NodeId node) const;
    /// Returns the cycle after the one in which the node sent, or received, its last flit; 0: none
    /// yet.
    [[nodiscard]] Cycle sent_until(NodeId node) const { return sent_until_[node.value()]; }
    [[nodiscard]] Cycle received_until(NodeId node) const { return received_until_[node.value()]; }
    /// Returns the number of packets in the mesh.
    [[nodiscard]] std::size_t size() const { return packets_.size() - free_packets_.size(); }
    [[nodiscard]] const MeshStatistics& statistics() const { return stats_; }

private:
    using PacketIndex = std::uint32_t;
    using LaneIndex = std::uint32_t;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    static constexpr auto kLocal = static_cast<std::uint32_t>(MeshDirection::kLocal);
    struct Packet {
        Message message = nullptr;
        NodeId from, to;
        MeshNetwork network = MeshNetwork::kRequest;
        std::uint32_t channel = 0, flits = 0;
        Cycle since = 0;
    };
    struct Flit {
        PacketIndex packet = 0;
        bool head = false, tail = false;
        Cycle ready = 0;  ///< earliest switch traversal
    };
    /// Virtual channel of an input; its flits and entries are in `flits_` and `places_`.
    struct Lane {
        std::uint32_t first = 0, size = 0;
        std::uint32_t writes = 0;      ///< entry of the next flit
        std::uint32_t output = 0;      ///< output of the packet in front
        LaneIndex target = kNone;      ///< lane behind that output; kNone: the node
        PacketIndex entering = kNone;  ///< packet whose tail has not been written yet
    };
    /// Queue of one network in a node.
    struct Source {
        RingQueue<PacketIndex> queue;
        std::uint32_t sent = 0;  ///< flits sent of the first packet
    };
    struct Router {
        std::uint64_t occupied = 0;                    ///< one bit for each lane
        std::array<std::uint32_t, kMeshPorts> last{};  ///< lane served last, by output
    };

    [[nodiscard]] const Source& source(NodeId node, MeshNetwork network) const {
        return sources_[node.value() * 2 + static_cast<unsigned>(network)];
    }
    [[nodiscard]] LaneIndex lane_of(std::uint32_t node, std::uint32_t port,
                                    std::uint32_t channel) const {
        return (node * kMeshPorts + port) * channels_ + channel;
    }
    [[nodiscard]] Flit& front(LaneIndex lane) {
        return flits_[lane * buffer_ + lanes_[lane].first];
    }
    [[nodiscard]] bool has_room(LaneIndex lane, Cycle now) const {
        return places_[lane * buffer_ + lanes_[lane].writes] <= now;
    }
    void send_from(std::uint32_t node, Cycle now);
    bool send_flit(std::uint32_t node, Source& source, Cycle now);
    void write(LaneIndex lane, const Flit& flit, Cycle now);
    void route_front(LaneIndex lane);
    [[nodiscard]] bool can_pass(LaneIndex lane, const Flit& flit, Cycle now);
    void step(std::uint32_t node, Cycle now);
    void pass(std::uint32_t node, LaneIndex lane, Cycle now);

    const MeshTopology& topology_;
    std::uint32_t channels_, buffer_;
    std::array<std::uint32_t, 2> injection_packets_;  ///< indexed by network
    Cycle in_router_, to_next_;  ///< write to switch, switch to the next buffer's switch
    Cycle credit_;
    std::vector<Lane> lanes_;  ///< by node, port, channel
    std::vector<Flit> flits_;  ///< by lane, buffer_ each: rings
    std::vector<Cycle>
        places_;  ///< cycle at which the sender has the credit of each entry; kNever: occupied
    std::vector<Router> routers_;
    std::vector<std::uint64_t> active_,
        sending_;                  ///< one bit a node: has flits, has queued packets
    std::vector<Source> sources_;  ///< by node, network
    std::vector<Cycle> sent_until_, received_until_;  ///< by node: cycle after its last flit
    std::vector<std::uint8_t> last_network_;          ///< indexed by node
    std::vector<std::uint32_t> ejection_room_;        ///< by node, network
    std::vector<Packet> packets_;
    std::vector<PacketIndex> free_packets_;
    DueQueue<PacketIndex> arrivals_;
    Cycle next_ = kNever, advanced_ = kNever;
    MeshStatistics stats_;
};

template <class Deliver>
void MeshCore::advance(Cycle now, Deliver&& deliver) {
    if (advanced_ != now) {
        advanced_ = now;
        next_ = kNever;
        for (std::size_t word = 0; word < sending_.size(); ++word) {
            for (std::uint64_t left = sending_[word]; left != 0; left &= left - 1) {
                send_from(static_cast<std::uint32_t>(word * 64) +
                              static_cast<std::uint32_t>(__builtin_ctzll(left)),
                          now);
            }
        }
        for (std::size_t word = 0; word < active_.size(); ++word) {
            for (std::uint64_t left = active_[word]; left != 0; left &= left - 1) {
                step(static_cast<std::uint32_t>(word * 64) +
                         static_cast<std::uint32_t>(__builtin_ctzll(left)),
                     now);
            }
        }
    }
    arrivals_.drain(now, [&](PacketIndex index) {
        const Packet packet = packets_[index];
        free_packets_.push_back(index);
        ++stats_.packets_out;
        stats_.latency_cycles += now - packet.since;
        deliver(packet.to, packet.network, packet.message);
    });
}

}  // namespace tessera
