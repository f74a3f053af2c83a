#include "sc_models/noc/core/mesh_core.h"

namespace tessera {

namespace {

constexpr std::size_t kWord = 64;

void set_bit(std::vector<std::uint64_t>& words, std::uint32_t index) {
    words[index / kWord] |= std::uint64_t{1} << (index % kWord);
}

void clear_bit(std::vector<std::uint64_t>& words, std::uint32_t index) {
    words[index / kWord] &= ~(std::uint64_t{1} << (index % kWord));
}

/// Returns the port at the other end of a link.
std::uint32_t opposite(std::uint32_t port) {
    return port ^ 1U;  // west and east, north and south are neighbours in MeshDirection
}

}  // namespace

MeshCore::MeshCore(const MeshConfig& config, const MeshTopology& topology,
                   std::uint32_t request_packets, std::uint32_t reply_packets)
    : topology_(topology),
      channels_(config.virtual_channels),
      buffer_(config.buffer_flits),
      injection_packets_{request_packets, reply_packets},
      in_router_(config.router_stages - 1),
      to_next_(Cycle{config.router_stages} + config.link_cycles),
      credit_(config.link_cycles),
      lanes_(std::size_t{topology.nodes()} * kMeshPorts * channels_),
      flits_(lanes_.size() * buffer_),
      places_(lanes_.size() * buffer_, 0),
      routers_(topology.nodes()),
      active_(ceil_div<std::size_t>(topology.nodes(), kWord)),
      sending_(active_.size()),
      sources_(std::size_t{2} * topology.nodes()),
      sent_until_(topology.nodes(), 0),
      received_until_(topology.nodes(), 0),
      last_network_(topology.nodes(), 0),
      ejection_room_(std::size_t{2} * topology.nodes(), config.ejection_packets),
      stats_(topology) {}

void MeshCore::inject(NodeId from, NodeId to, MeshNetwork network, std::uint32_t flits,
                      Message message, Cycle now, Cycle at) {
    if (free_packets_.empty()) {
        free_packets_.push_back(static_cast<PacketIndex>(packets_.size()));
        packets_.emplace_back();
    }
    const PacketIndex index = free_packets_.back();
    free_packets_.pop_back();
    const std::uint32_t half = channels_ / 2;
    const std::uint32_t channel =
        (from.value() + to.value()) % half + (network == MeshNetwork::kReply ? half : 0);
    packets_[index] = {message, from, to, network, channel, flits, at};
    ++stats_.packets_in;
    const std::uint32_t node = from.value();
    sources_[node * 2 + static_cast<unsigned>(network)].queue.push(index);
    set_bit(sending_, node);
    if (at > now) {
        next_ = std::min(next_, at);
    } else {
        send_from(node, now);
    }
}

/// Sends the node's flit of this cycle, unless it has been sent.
void MeshCore::send_from(std::uint32_t node, Cycle now) {
    if (sent_until_[node] > now) {
        next_ = std::min(next_, now + 1);
        return;
    }
    const std::uint32_t first = last_network_[node] ^ 1U;
    for (const std::uint32_t network : {first, first ^ 1U}) {
        if (!send_flit(node, sources_[node * 2 + network], now)) continue;
        last_network_[node] = static_cast<std::uint8_t>(network);
        sent_until_[node] = now + 1;
        break;
    }
    if (sources_[node * 2].queue.empty() && sources_[node * 2 + 1].queue.empty()) {
        clear_bit(sending_, node);
    }
}

bool MeshCore::send_flit(std::uint32_t node, Source& source, Cycle now) {
    if (source.queue.empty()) return false;
    const PacketIndex index = source.queue.front();
    const Packet& packet = packets_[index];
    if (packet.since > now) {
        next_ = std::min(next_, packet.since);
        return false;
    }
    next_ = std::min(next_, now + 1);
    const LaneIndex lane = lane_of(node, kLocal, packet.channel);
    if (!has_room(lane, now)) return false;
    if (source.sent == 0) stats_.injection_wait_cycles += now - packet.since;
    const bool tail = ++source.sent == packet.flits;
    write(lane, {index, source.sent == 1, tail, now + in_router_}, now);
    ++stats_.flits_in;
    if (tail) {
        source.queue.pop();
        source.sent = 0;
    }
    return true;
}

void MeshCore::write(LaneIndex index, const Flit& flit, Cycle now) {
    Lane& lane = lanes_[index];
    places_[index * buffer_ + lane.writes] = kNever;
    flits_[index * buffer_ + lane.writes] = flit;
    lane.writes = lane.writes + 1 == buffer_ ? 0 : lane.writes + 1;
    lane.entering = flit.tail ? kNone : flit.packet;
    if (++lane.size == 1) {
        const std::uint32_t per_router = kMeshPorts * channels_;
        const std::uint32_t node = index / per_router;
        routers_[node].occupied |= std::uint64_t{1} << (index % per_router);
        set_bit(active_, node);
        if (flit.head) route_front(index);
    }
    next_ = std::min(next_, std::max(flit.ready, now + 1));
}

/// Computes the output and target of the packet whose head is in front.
void MeshCore::route_front(LaneIndex index) {
    Lane& lane = lanes_[index];
    const Packet& packet = packets_[front(index).packet];
    const NodeId node(index / (kMeshPorts * channels_));
    const MeshDirection direction = topology_.next(node, packet.to);
    lane.output = static_cast<std::uint32_t>(direction);
    lane.target = kNone;
    if (direction == MeshDirection::kLocal) return;
    lane.target = lane_of(topology_.neighbour(node, direction).value(), opposite(lane.output),
                          packet.channel);
}

/// Returns whether the flit in front has room, behind its link or in its node.
bool MeshCore::can_pass(LaneIndex index, const Flit& flit, Cycle now) {
    const Lane& lane = lanes_[index];
    if (lane.target != kNone) {
        const PacketIndex entering = lanes_[lane.target].entering;
        return (flit.head ? entering == kNone : true) && has_room(lane.target, now);
    }
    if (!flit.head) return true;
    const Packet& packet = packets_[flit.packet];
    return ejection_room_[packet.to.value() * 2 + static_cast<unsigned>(packet.network)] > 0;
}

void MeshCore::step(std::uint32_t node, Cycle now) {
    Router& router = routers_[node];
    const LaneIndex base = lane_of(node, 0, 0);
    std::array<std::uint64_t, kMeshPorts> wanting{};
    std::uint64_t waiting = 0;
    for (std::uint64_t left = router.occupied; left != 0; left &= left - 1) {
        const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(left));
        const Flit& flit = front(base + bit);
        if (flit.ready > now) {
            next_ = std::min(next_, flit.ready);
            continue;
        }
        next_ = std::min(next_, now + 1);
        if (can_pass(base + bit, flit, now)) {
            wanting[lanes_[base + bit].output] |= std::uint64_t{1} << bit;
            ++waiting;
        } else {
            ++stats_.backpressure_cycles;
        }
    }
    if (waiting == 0) return;
    const std::uint64_t input_lanes = (std::uint64_t{1} << channels_) - 1;
    std::uint64_t free_inputs = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < kMeshPorts; ++i) {
        const auto output = static_cast<std::uint32_t>((now + i) % kMeshPorts);
        const std::uint64_t candidates = wanting[output] & free_inputs;
        if (candidates == 0) continue;
        // The next lane in round-robin order after the one served last.
        const std::uint64_t later = candidates & ~std::uint64_t{0} << router.last[output] << 1U;
        const auto bit =
            static_cast<std::uint32_t>(__builtin_ctzll(later != 0 ? later : candidates));
        router.last[output] = bit;
        free_inputs &= ~(input_lanes << (bit / channels_ * channels_));
        pass(node, base + bit, now);
        --waiting;
    }
    stats_.link_wait_cycles += waiting;
}

/// Moves the flit in front of the lane through the switch.
void MeshCore::pass(std::uint32_t node, LaneIndex index, Cycle now) {
    Lane& lane = lanes_[index];
    const Flit flit = front(index);
    places_[index * buffer_ + lane.first] = now + credit_;
    lane.first = lane.first + 1 == buffer_ ? 0 : lane.first + 1;
    ++stats_.router_flits;
    if (lane.target != kNone) {
        stats_.count_hop(MeshStatistics::hop(NodeId(node), static_cast<MeshDirection>(lane.output)),
                         1);
        write(lane.target, {flit.packet, flit.head, flit.tail, now + to_next_}, now);
    } else {
        ++stats_.flits_out;
        received_until_[node] = now + 1;
        const Packet& packet = packets_[flit.packet];
        if (flit.head) {
            --ejection_room_[packet.to.value() * 2 + static_cast<unsigned>(packet.network)];
        }
        if (flit.tail) arrivals_.push(now + 1, flit.packet);
    }
    if (--lane.size == 0) {
        Router& router = routers_[node];
        router.occupied &= ~(std::uint64_t{1} << (index - lane_of(node, 0, 0)));
        if (router.occupied == 0) clear_bit(active_, node);
    } else if (front(index).head) {
        route_front(index);
    }
}

std::uint32_t MeshCore::buffered(NodeId node) const {
    std::uint32_t flits = 0;
    const LaneIndex base = lane_of(node.value(), 0, 0);
    for (std::uint32_t lane = 0; lane < kMeshPorts * channels_; ++lane) {
        flits += lanes_[base + lane].size;
    }
    return flits;
}

}  // namespace tessera
