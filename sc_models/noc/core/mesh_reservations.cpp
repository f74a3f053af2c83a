#include "sc_models/noc/core/mesh_reservations.h"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::uint32_t kLinksOfNode = kMeshPorts + 1;  ///< outputs, and the link into the router
constexpr std::uint32_t kInjection = kMeshPorts;

std::uint32_t link_of(NodeId node, std::uint32_t port) {
    return node.value() * kLinksOfNode + port;
}

}  // namespace

MeshReservations::MeshReservations(const MeshConfig& config, const MeshTopology& topology)
    : topology_(topology),
      channels_(config.virtual_channels),
      buffer_(config.buffer_flits),
      in_router_(config.router_stages - 1),
      to_next_(config.router_stages + config.link_cycles),
      credit_(config.link_cycles),
      links_(std::size_t{topology.nodes()} * kLinksOfNode),
      sources_(std::size_t{2} * topology.nodes()),
      entrances_(links_.size() * channels_),
      stats_(topology) {}

/// Computes the path of a packet.
void MeshReservations::find_way(NodeId from, NodeId to, MeshNetwork network) {
    const std::uint32_t half = channels_ / 2;
    const std::uint32_t channel =
        (from.value() + to.value()) % half + (network == MeshNetwork::kReply ? half : 0);
    way_.clear();
    const auto add = [&](std::uint32_t link, std::uint32_t after, std::uint32_t hop) {
        way_.push_back({link, link * channels_ + channel, after, hop});
    };
    add(link_of(from, kInjection), 0, kNone);
    std::uint32_t after = in_router_;
    topology_.for_each_hop(from, to, [&](NodeId node, MeshDirection direction) {
        add(link_of(node, static_cast<std::uint32_t>(direction)), after,
            MeshStatistics::hop(node, direction));
        after = to_next_;
    });
    add(link_of(to, static_cast<std::uint32_t>(MeshDirection::kLocal)), after, kNone);
    way_.back().channel = kNone;
}

void MeshReservations::count_hops(std::uint32_t flits) {
    for (const Step& step : way_) {
        if (step.hop != kNone) stats_.count_hop(step.hop, flits);
    }
}

Cycle MeshReservations::reserve(std::uint32_t link, Cycle at, Cycle now) {
    Link& taken = links_[link];
    if (now != taken.advanced_to) {
        taken.advanced_to = now;
        taken.slots.advance(now);
    }
    return taken.slots.reserve(at);
}

MeshReservations::Transit MeshReservations::send(NodeId from, NodeId to, MeshNetwork network,
                                                 std::uint32_t flits, Cycle at, Cycle now) {
    find_way(from, to, network);
    count_hops(flits);
    const std::size_t steps = way_.size();
    taken_.resize(steps * flits);
    Source& source = sources_[from.value() * 2 + static_cast<unsigned>(network)];
    const bool in_order = at >= source.came;
    const Cycle first = in_order ? std::max(at, source.entered) : at;
    reserve_flit(0, flits, first, now);
    if (flits > 1 && !follow_head(flits)) {
        for (std::uint32_t flit = 1; flit < flits; ++flit) reserve_flit(flit, flits, first, now);
    }
    keep_channels(flits, now);
    const Transit transit{taken_[flits - 1], taken_[steps * flits - 1] + 1};
    if (in_order) source = {at, transit.entered + 1};
    ++stats_.packets_in;
    ++stats_.packets_out;
    stats_.flits_in += flits;
    stats_.flits_out += flits;
    stats_.router_flits += std::uint64_t{flits} * (steps - 1);
    stats_.injection_wait_cycles += taken_[0] - at;
    stats_.latency_cycles += transit.arrived - at;
    return transit;
}

/// Reserves all steps of one flit; the flits ahead must have been reserved.
void MeshReservations::reserve_flit(std::uint32_t flit, std::uint32_t flits, Cycle ready,
                                    Cycle now) {
    Cycle ahead_left = 0;  // leave cycle of the packet ahead in the current channel
    for (std::size_t step = 0; step < way_.size(); ++step) {
        Cycle* const taken = &taken_[step * flits];
        ready += way_[step].after;
        const Cycle in_turn =
            flit == 0 ? std::max(ready, ahead_left) : std::max(ready, taken[flit - 1] + 1);
        Cycle may = in_turn;
        if (way_[step].channel != kNone) {
            if (flit == 0) {
                const ChannelCalendar::Gap gap =
                    entrances_[way_[step].channel].first_free(may, flits);
                may = gap.at;
                ahead_left = gap.left + 1;
            } else if (flit >= buffer_) {
                may = std::max(may, taken[flits + flit - buffer_] + credit_);
            }
        }
        taken[flit] = reserve(way_[step].link, may, now);
        if (step > 0) {
            stats_.backpressure_cycles += may - in_turn;
            stats_.link_wait_cycles += taken[flit] - may;
        }
        ready = taken[flit];
    }
}

/// Fast path: reserves the other flits if each can take every link a cycle after the one ahead of
/// it. Returns false, without a reservation, if one of them would have to wait.
bool MeshReservations::follow_head(std::uint32_t flits) {
    const std::uint32_t behind = flits - 1;
    if (behind > ReservationTable::kMostFree) return false;
    for (std::size_t step = 0; step < way_.size(); ++step) {
        const Cycle head = taken_[step * flits];
        if (!links_[way_[step].link].slots.is_free(head + 1, behind)) return false;
        if (way_[step].channel == kNone || flits <= buffer_) continue;
        if (taken_[(step + 1) * flits] + credit_ > head + buffer_) return false;
    }
    for (std::size_t step = 0; step < way_.size(); ++step) {
        Cycle* const taken = &taken_[step * flits];
        links_[way_[step].link].slots.take_free(taken[0] + 1, behind);
        for (std::uint32_t flit = 1; flit < flits; ++flit) taken[flit] = taken[0] + flit;
    }
    return true;
}

/// Reserves the channels of the path. The next packet may enter a channel when the last flit of
/// this one is in, and enough of its flits have left for a whole packet of its kind, or for the
/// part of it that fits.
void MeshReservations::keep_channels(std::uint32_t flits, Cycle now) {
    for (std::size_t step = 0; step + 1 < way_.size(); ++step) {
        const Cycle* const in = &taken_[step * flits];
        const Cycle* const out = in + flits;
        Cycle left = out[flits < buffer_ ? 0 : flits - buffer_] + credit_;
        if (flits < buffer_) left -= std::min<Cycle>(left, buffer_ - flits);
        entrances_[way_[step].channel].take(in[0], std::max(in[flits - 1] + 1, left),
                                            out[flits - 1], now);
    }
}

}  // namespace tessera
