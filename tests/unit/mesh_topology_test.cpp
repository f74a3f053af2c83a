// Tests of node placement, routing and packet sizes in a mesh.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/noc/core/mesh_format.h"
#include "sc_models/noc/core/mesh_reservations.h"
#include "sc_models/noc/core/mesh_topology.h"
#include "tests/unit/config_test_support.h"

namespace tessera {
namespace {

TEST(MeshTopology, ARowIsAClusterAndItsController) {
    const MeshTopology mesh(MeshConfig{}, 56, 8);
    for (std::uint32_t sm = 0; sm < 56; ++sm) {
        const NodeId node = mesh.of_sm(SmId(sm));
        EXPECT_EQ(mesh.row(node), sm / 7);
        EXPECT_EQ(mesh.column(node), sm % 7);
    }
    for (std::uint32_t i = 0; i < 8; ++i) {
        EXPECT_EQ(mesh.of_controller(i), NodeId(i * 8 + 7));
    }
}

TEST(MeshTopology, EveryNodeHasOneOwner) {
    struct Shape {
        std::uint32_t width, height, sms, controllers;
    };
    for (const Shape& s : {Shape{8, 8, 56, 8}, {16, 8, 80, 48}, {4, 4, 14, 2}, {3, 1, 1, 2}}) {
        for (const auto placement :
             {ControllerPlacement::kLastColumn, ControllerPlacement::kDiagonal}) {
            MeshConfig config;
            config.width = s.width;
            config.height = s.height;
            config.controllers = placement;
            const MeshTopology mesh(config, s.sms, s.controllers);
            std::set<std::uint32_t> owned;
            for (std::uint32_t i = 0; i < s.sms; ++i) owned.insert(mesh.of_sm(SmId(i)).value());
            for (std::uint32_t i = 0; i < s.controllers; ++i) {
                owned.insert(mesh.of_controller(i).value());
            }
            EXPECT_EQ(owned.size(), s.sms + s.controllers) << s.width << " x " << s.height;
            EXPECT_LT(*owned.rbegin(), mesh.nodes());
        }
    }
}

TEST(MeshTopology, PacketsGoAlongTheRowFirstAndArrive) {
    MeshConfig config;
    config.width = 5;
    config.height = 3;
    const MeshTopology mesh(config, 12, 3);
    for (std::uint32_t from = 0; from < mesh.nodes(); ++from) {
        for (std::uint32_t to = 0; to < mesh.nodes(); ++to) {
            NodeId at(from);
            std::uint32_t links = 0;
            bool turned = false;
            std::vector<std::pair<NodeId, MeshDirection>> hops;
            mesh.for_each_hop(NodeId(from), NodeId(to), [&](NodeId node, MeshDirection port) {
                hops.emplace_back(node, port);
            });
            while (at != NodeId(to)) {
                const MeshDirection next = mesh.next(at, NodeId(to));
                const bool vertical =
                    next == MeshDirection::kNorth || next == MeshDirection::kSouth;
                EXPECT_FALSE(turned && !vertical) << from << " to " << to;
                turned = vertical;
                ASSERT_LT(links, hops.size());
                EXPECT_EQ(hops[links], std::pair(at, next)) << from << " to " << to;
                at = mesh.neighbour(at, next);
                ASSERT_TRUE(at.valid());
                ASSERT_LE(++links, 6U);
            }
            EXPECT_EQ(links, mesh.hops(NodeId(from), NodeId(to)));
            EXPECT_EQ(links, hops.size());
            EXPECT_EQ(mesh.next(at, NodeId(to)), MeshDirection::kLocal);
        }
    }
    EXPECT_FALSE(mesh.neighbour(NodeId(0), MeshDirection::kWest).valid());
    EXPECT_FALSE(mesh.neighbour(NodeId(14), MeshDirection::kSouth).valid());
}

TEST(MeshTopology, RefusesWhatDoesNotFit) {
    MeshConfig config;
    EXPECT_EQ(test::error_of([&] { MeshTopology(config, 60, 8); }),
              "noc.mesh.width: a mesh of 8 x 8 has fewer nodes than gpu.sms (60) and dram.channels "
              "(8) need together");
    EXPECT_EQ(test::error_of([&] { MeshTopology(config, 10, 3); }),
              "noc.mesh.height: 8 rows cannot share dram.channels (3) evenly");
}

TEST(MeshFormat, AHeaderAndTheData) {
    const MeshFormat format(16);
    EXPECT_EQ(format.flits(0), 1U);
    EXPECT_EQ(format.flits(4), 2U);
    EXPECT_EQ(format.flits(128), 9U) << "a line";
    tlm::tlm_generic_payload payload;
    AccessInfo info;
    payload.set_extension(&info);
    payload.set_data_length(96);  // 24 words
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    payload.set_read();
    EXPECT_EQ(format.request(payload), 1U);
    EXPECT_EQ(format.reply(payload), 7U);
    payload.set_write();
    EXPECT_EQ(format.request(payload), 7U) << "1 + ceil(4 x 24 / 16)";
    EXPECT_EQ(format.reply(payload), 1U);
    info.atomic = AtomicKind::kAdd;
    EXPECT_EQ(format.reply(payload), 1U);
    info.atomic = AtomicKind::kFetchAdd;
    EXPECT_EQ(format.reply(payload), 7U);
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(format.reply(payload), 1U);
    payload.clear_extension(&info);
}

TEST(ChannelCalendar, FillsGapsAndKeepsWholeSpans) {
    ChannelCalendar channel;
    channel.take(10, 20, 25, 0);
    channel.take(40, 50, 60, 0);
    EXPECT_EQ(channel.first_free(0, 10).at, 0U);
    EXPECT_EQ(channel.first_free(0, 11).at, 20U) << "ten cycles are too few";
    EXPECT_EQ(channel.first_free(5, 5).at, 5U);
    EXPECT_EQ(channel.first_free(15, 5).at, 20U);
    EXPECT_EQ(channel.first_free(15, 5).left, 25U) << "of the packet ahead";
    EXPECT_EQ(channel.first_free(15, 21).at, 50U);
    EXPECT_EQ(channel.first_free(70, 5).left, 60U);
    channel.take(70, 71, 72, 61);  // forgets cycles that no request can reach
    EXPECT_EQ(channel.first_free(65, 5).left, 0U);
}

/// Spans that overlap too, as a busy link makes them, or few, long ones, as a quiet one does:
/// whatever is passed over at once must be what a walk through all of them passes.
void compare_with_walk(Cycle step, Cycle longest) {
    struct Span {
        Cycle begin, end, left;
    };
    std::mt19937_64 random(20261122);
    const auto up_to = [&random](Cycle most) { return random() % (most + 1); };
    ChannelCalendar channel;
    std::vector<Span> spans;
    Cycle now = 0;
    for (int i = 0; i < 20000; ++i) {
        now += up_to(step);
        const Cycle at = now + up_to(200);
        const Cycle cycles = 1 + up_to(9);
        ChannelCalendar::Gap walk{at, 0};
        for (const Span& span : spans) {
            if (span.begin >= walk.at + cycles) break;
            walk = {std::max(walk.at, span.end), span.left};
        }
        const ChannelCalendar::Gap gap = channel.first_free(at, cycles);
        ASSERT_EQ(gap.at, walk.at) << "call " << i;
        ASSERT_EQ(gap.left, walk.left) << "call " << i;
        const Cycle begin = gap.at + up_to(3);
        const Span taken{begin, begin + cycles + up_to(longest), begin + cycles + up_to(40)};
        while (!spans.empty() && std::max(spans.front().end, spans.front().left) < now) {
            spans.erase(spans.begin());
        }
        spans.insert(
            std::upper_bound(spans.begin(), spans.end(), taken,
                             [](const Span& a, const Span& b) { return a.begin < b.begin; }),
            taken);
        channel.take(taken.begin, taken.end, taken.left, now);
    }
}

TEST(ChannelCalendar, FindsWhatAWalkThroughAllSpansFinds) {
    compare_with_walk(12, 20);
}

TEST(ChannelCalendar, FindsTheSameInAQuietOne) {
    compare_with_walk(200, 100);
}

}  // namespace
}  // namespace tessera
