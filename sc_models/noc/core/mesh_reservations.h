// Loosely-timed model of the mesh: reservations of every link and virtual channel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sc_models/common/host_memory.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/common/types.h"
#include "sc_models/noc/core/mesh_message.h"
#include "sc_models/noc/core/mesh_statistics.h"
#include "sc_models/noc/core/mesh_topology.h"
#include "sc_models/tlm/lt/reservation_table.h"

namespace tessera {

/// Reservation table of a virtual channel's entrance, for packets reserved in any order of time.
/// Most come after all others; those read only one line of the host's caches.
class alignas(kHostLine) ChannelCalendar {
public:
    struct Gap {
        Cycle at = 0;    ///< first cycle at which the entrance is free
        Cycle left = 0;  ///< leave cycle of the last flit of the packet ahead in the channel
    };
    /// Returns the first gap from `at` on with `cycles` free cycles.
    [[nodiscard]] Gap first_free(Cycle at, Cycle cycles) const {
        if (last_.begin < at + cycles) return {std::max(at, last_.latest), last_.left};
        std::size_t i = spans_.size();
        while (i > 0 && spans_[i - 1].begin >= at + cycles) --i;
        Gap gap{at, 0};
        if (i > 0) gap = {std::max(at, spans_[i - 1].latest), spans_[i - 1].left};
        for (; i < spans_.size() && spans_[i].begin < gap.at + cycles; ++i) {
            gap = {std::max(at, spans_[i].latest), spans_[i].left};
        }
        return gap;
    }
    /// Reserves [begin, end) for a packet whose last flit leaves at `left`; no later call is for
    /// cycles before `now`.
    void take(Cycle begin, Cycle end, Cycle left, Cycle now) {
        while (first_over_ < now) pop();
        std::size_t i = spans_.size();
        spans_.push({});
        for (; i > 0 && begin < spans_[i - 1].begin; --i) {
            spans_[i] = spans_[i - 1];
            spans_[i].latest = std::max(spans_[i].latest, end);
        }
        const Span span{begin, left, i > 0 ? std::max(spans_[i - 1].latest, end) : end};
        spans_[i] = span;
        if (i == 0) first_over_ = over(span);
        if (i + 1 == spans_.size()) {
            last_ = span;
        } else {
            last_.latest = std::max(last_.latest, end);
        }
    }

private:
    struct Span {
        Cycle begin = 0, left = 0;
        Cycle latest = 0;  ///< latest end of this and all earlier spans
    };

    void pop() {
        spans_.pop();
        first_over_ = spans_.empty() ? kNever : over(spans_.front());
    }
    [[nodiscard]] static Cycle over(const Span& span) { return std::max(span.left, span.latest); }

    Span last_;                  ///< the one that begins last; zeros if none
    Cycle first_over_ = kNever;  ///< end of the span that begins first
    RingQueue<Span> spans_;      ///< ordered by begin
};

/// Model of MeshCore that computes the times of all flits at once, packet by packet: on every link
/// of its path, including those of the nodes, a flit takes the first free cycle
///
/// - one pass through the router (and link) after it took the one before;
/// - after the flit ahead of it;
/// - in which the virtual channel behind the link has room: not before the flit buffer_flits ahead
///   has left it and its credit has returned; a head not before the packets ahead in the channel
///   have entered it and left it room, and it does not leave the channel before they have.
///
/// Packets that enter a source's queue in order of time leave it in order. A single packet takes
/// the same time as in MeshCore. Approximations: packets get links and channels in the order of the
/// calls, later calls use the gaps left by earlier ones, and a channel is reserved for whole
/// packets; ejection_packets is not limited.
class MeshReservations {
public:
    /// `topology` must outlive it.
    MeshReservations(const MeshConfig& config, const MeshTopology& topology);

    struct Transit {
        Cycle entered = 0;  ///< the last flit has left its source's queue
        Cycle arrived = 0;  ///< the last flit is at its destination
    };
    /// Sends a packet that is in its source's queue at `at`. No later call is for a packet before
    /// `now`.
    Transit send(NodeId from, NodeId to, MeshNetwork network, std::uint32_t flits, Cycle at,
                 Cycle now);
    /// Returns when flit `flit` of the packet sent last left its source's queue, and when it was
    /// delivered at its destination.
    [[nodiscard]] Cycle entered(std::uint32_t flit) const { return taken_[flit]; }
    [[nodiscard]] Cycle handed_over(std::uint32_t flit) const {
        return taken_[taken_.size() - taken_.size() / way_.size() + flit];
    }
    [[nodiscard]] const MeshStatistics& statistics() const { return stats_; }

private:
    struct alignas(kHostLine) Link {
        Cycle advanced_to = 0;
        ReservationTable slots{1, 1};
    };
    /// Times of the packet that entered a source's queue last.
    struct Source {
        Cycle came = 0, entered = 0;
    };
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    /// One link of a packet's path.
    struct Step {
        std::uint32_t link = 0;
        std::uint32_t channel = 0;  ///< channel behind the link; kNone: the node
        std::uint32_t after = 0;    ///< cycles after the previous step
        std::uint32_t hop = kNone;  ///< index in MeshStatistics::link_flits
    };

    void find_way(NodeId from, NodeId to, MeshNetwork network);
    void count_hops(std::uint32_t flits);
    Cycle reserve(std::uint32_t link, Cycle at, Cycle now);
    void reserve_flit(std::uint32_t flit, std::uint32_t flits, Cycle ready, Cycle now);
    [[nodiscard]] bool follow_head(std::uint32_t flits);
    void keep_channels(std::uint32_t flits, Cycle now);

    const MeshTopology& topology_;
    std::uint32_t channels_, buffer_, in_router_, to_next_;
    Cycle credit_;
    std::vector<Link> links_;                 ///< by node: router outputs, then the node's own link
    std::vector<Source> sources_;             ///< by node, network
    std::vector<ChannelCalendar> entrances_;  ///< by link, channel
    std::vector<Step> way_;                   ///< path of the current packet
    std::vector<Cycle> taken_;                ///< by step, flit
    MeshStatistics stats_;
};

}  // namespace tessera
