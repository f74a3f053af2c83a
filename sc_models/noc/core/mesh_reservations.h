// The mesh, loosely timed: every link and virtual channel is reserved ahead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sc_models/common/ring_queue.h"
#include "sc_models/common/types.h"
#include "sc_models/noc/core/mesh_message.h"
#include "sc_models/noc/core/mesh_statistics.h"
#include "sc_models/noc/core/mesh_topology.h"
#include "sc_models/tlm/slot_calendar.h"

namespace tessera {

/// When a virtual channel's entrance is taken, by packets that callers reserve in any order of
/// time.
class ChannelCalendar {
public:
    struct Gap {
        Cycle at = 0;    ///< the entrance is free from then on
        Cycle left = 0;  ///< when the last flit of the packet ahead in the channel leaves it
    };
    /// The first cycle from `at` on with `cycles` free ones.
    [[nodiscard]] Gap first_free(Cycle at, Cycle cycles) const {
        // Most callers ask for a cycle behind nearly all spans: those are passed from the back.
        std::size_t i = spans_.size();
        while (i > 0 && spans_[i - 1].begin >= at + cycles) --i;
        Gap gap{at, 0};
        if (i > 0) gap = {std::max(at, spans_[i - 1].latest), spans_[i - 1].left};
        for (; i < spans_.size() && spans_[i].begin < gap.at + cycles; ++i) {
            gap.at = std::max(gap.at, spans_[i].end);
            gap.left = spans_[i].left;
        }
        return gap;
    }
    /// A packet enters in [begin, end) and its last flit leaves at `left`; nobody asks for cycles
    /// before `now` any more.
    void take(Cycle begin, Cycle end, Cycle left, Cycle now) {
        while (!spans_.empty() && std::max(spans_.front().end, spans_.front().left) < now) {
            spans_.pop();
        }
        std::size_t i = spans_.size();
        spans_.push({});
        for (; i > 0 && begin < spans_[i - 1].begin; --i) {
            spans_[i] = spans_[i - 1];
            spans_[i].latest = std::max(spans_[i].latest, end);
        }
        spans_[i] = {begin, end, left, i > 0 ? std::max(spans_[i - 1].latest, end) : end};
    }

private:
    struct Span {
        Cycle begin = 0, end = 0, left = 0;
        Cycle latest = 0;  ///< end of this span or one before it
    };
    RingQueue<Span> spans_;
};

/// The machine of MeshCore with its flits' times worked out at once, for one packet after the
/// other: on every link of its way, node's ends included, a flit takes the first free cycle
///
///  - one pass through the router (and link) after it took the one before;
///  - after the flit ahead of it;
///  - in which the virtual channel behind the link has room: not before the flit buffer_flits ahead
///    has left that again, and its credit is back; a head not before the packets ahead in the
///    channel have entered it and left it room, nor does it leave the channel before they have.
///
/// Packets that come to a source's queue in order of time leave it in order. Alone a packet takes
/// what it does in MeshCore. Approximated are the arbiters: packets get links and channels in the
/// order of the calls, those that come late to the call the gaps that others left, and a channel is
/// kept for whole packets; and ejection_packets has no bound.
class MeshReservations {
public:
    /// `topology` must outlive it.
    MeshReservations(const MeshConfig& config, const MeshTopology& topology);

    struct Transit {
        Cycle entered = 0;  ///< the last flit has left its source's queue
        Cycle arrived = 0;  ///< it is at its destination
    };
    /// Sends a packet that is in its source's queue at `at`. No later call is for a packet before
    /// `now`.
    Transit send(NodeId from, NodeId to, MeshNetwork network, std::uint32_t flits, Cycle at,
                 Cycle now);
    [[nodiscard]] const MeshStatistics& statistics() const { return stats_; }

private:
    struct Link {
        SlotCalendar slots{1, 1};
        Cycle advanced_to = 0;
    };
    /// Packet that came to a source's queue last.
    struct Source {
        Cycle came = 0, entered = 0;
    };
    /// One link of the way of the packet in hand.
    struct Step {
        std::uint32_t link = 0;
        std::uint32_t channel = 0;  ///< behind it; kNone: the node
        Cycle after = 0;            ///< cycles after the step before
    };
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    void find_way(NodeId from, NodeId to, std::uint32_t channel, std::uint32_t flits);
    Cycle reserve(std::uint32_t link, Cycle at, Cycle now);
    void reserve_flit(std::uint32_t flit, std::uint32_t flits, Cycle ready, Cycle now);
    [[nodiscard]] bool follow_head(std::uint32_t flits);
    void keep_channels(std::uint32_t flits, Cycle now);

    const MeshTopology& topology_;
    std::uint32_t channels_, buffer_;
    Cycle in_router_, to_next_, credit_;
    std::vector<Link> links_;                 ///< by node: router's outputs, then the node's own
    std::vector<Source> sources_;             ///< by node, network
    std::vector<ChannelCalendar> entrances_;  ///< by link, channel
    std::vector<Step> way_;
    std::vector<Cycle> taken_;  ///< by step, flit
    MeshStatistics stats_;
};

}  // namespace tessera
