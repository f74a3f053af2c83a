// When exactly is what went over the mesh there? Both clocks run at 1 GHz. Over h links a packet of
// f flits takes 2 (h + 1) + h + f - 1 cycles; an L1 adds 6 before and 6 after, an L2 hit 80.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/in_child.h"
#include "tests/support/mesh_rig.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr Cycle way(Cycle links, Cycle flits) {
    return 2 * (links + 1) + links + flits - 1;
}
/// A request of one flit, a reply of a header and a sector.
constexpr Cycle l2_hit(Cycle links) {
    return 6 + way(links, 1) + 80 + way(links, 3) + 6;
}

TEST(MeshTiming, L2Hit) {
    MemoryRig rig(mesh_config(3, 2));
    // SM 0 sits at the left, SM 1 beside the controller of row 0, SM 2 left in row 1.
    rig.read(0, 0, 32, 0);
    EXPECT_EQ(rig.read(1, 0, 32, 1000).done, 1000 + l2_hit(1));
    EXPECT_EQ(rig.read(2, 0, 32, 2000).done, 2000 + l2_hit(3));
    rig.l1[0]->invalidate();
    EXPECT_EQ(rig.read(0, 0, 32, 3000).done, 3000 + l2_hit(2));
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MeshTiming, L2HitApproximatelyTimedAndNotACycleBefore) {
    MemoryAtRig rig(mesh_config(3, 2));
    rig.read(0, 0, 32, 0);
    for (const auto& [sm, links] : {std::pair<std::uint32_t, Cycle>{1, 1}, {2, 3}}) {
        const Cycle at = 1000 * (sm + 1);
        const std::size_t index = rig.plan_read(sm, 0, 32, at);
        rig.run_through(at + l2_hit(links) - 1);
        EXPECT_FALSE(rig.result(sm, index).finished) << "SM " << sm << " at n-1";
        rig.run_through(at + l2_hit(links));
        EXPECT_TRUE(rig.result(sm, index).finished) << "SM " << sm << " at n";
    }
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

TEST(MeshTiming, AWriteIsOverWhenItsAcknowledgementIsBack) {
    // A header and 2 flits there, where it is accepted at once, and a header back.
    const Cycle expected = 6 + way(2, 3) + way(2, 1);
    EXPECT_EQ(in_child([] {
                  MemoryRig rig(mesh_config(3, 2));
                  return std::to_string(rig.write(0, 0, 32, 100).done - 100);
              }),
              std::to_string(expected));
    MemoryAtRig rig(mesh_config(3, 2));
    EXPECT_EQ(rig.write(0, 0, 32, 100).done, 100 + expected);
}

/// Slices sit at their controllers in turn, at either level: each is as far away as the other says.
TEST(MeshTiming, EverySliceIsAtItsController) {
    RigConfig config = mesh_config(3, 2);
    config.l2.slices = 4;
    const AddressMap map(config.l2, config.dram);
    std::set<std::uint32_t> slices;
    for (Address address = 0; slices.size() < 4; address += map.interleave_bytes()) {
        if (!slices.insert(map.slice(address)).second) continue;
        // SM 0 sits two links from the controller in its row and three from the other.
        const Cycle expected = l2_hit(map.slice(address) % 2 == 0 ? 2 : 3);
        const auto hit = [&](auto&& rig) {
            rig.read(1, address, 32, 0);
            return std::to_string(rig.read(0, address, 32, 5000).done - 5000);
        };
        EXPECT_EQ(in_child([&] { return hit(MemoryRig(config)); }), std::to_string(expected))
            << "slice " << map.slice(address);
        EXPECT_EQ(in_child([&] { return hit(MemoryAtRig(config)); }), std::to_string(expected))
            << "slice " << map.slice(address);
    }
}

/// Replies that find no room in their controller's queue wait for as long whenever it happens.
TEST(MeshTiming, WaitsForRoomAreCountedFromWhenTheyBegin) {
    const auto waits = [](Cycle start) {
        return in_child([start] {
            RigConfig config = mesh_config(2, 1);
            config.noc.response_queue_entries = 1;
            config.noc.request_queue_entries = 1;
            MemoryAtRig rig(config);
            rig.read(0, 0, 128, 0);
            rig.l1[0]->invalidate();
            for (Address i = 0; i < 8; ++i)
                rig.plan_read(0, 32 * (i % 4) + 128 * (i / 4), 32, start);
            MemoryAtRig::run();
            return std::to_string(rig.sum("memory.mesh.request_wait_cycles")) + " and " +
                   std::to_string(rig.sum("memory.mesh.reply_wait_cycles"));
        });
    };
    const std::string early = waits(2000);
    EXPECT_THAT(early,
                testing::Not(testing::AnyOf(testing::StartsWith("0 "), testing::EndsWith(" 0"))));
    EXPECT_EQ(waits(100'000), early);
}

TEST(MeshTiming, EveryParameterCounts) {
    struct Change {
        const char* what;
        std::function<void(MeshConfig&)> make;
        int cycles;
    };
    constexpr int kLinks = 2;
    const std::vector<Change> changes = {
        {"nothing", [](MeshConfig&) {}, 0},
        {"a stage more", [](MeshConfig& m) { ++m.router_stages; }, 2 * (kLinks + 1)},
        {"links of 2 cycles", [](MeshConfig& m) { ++m.link_cycles; }, 2 * kLinks},
        {"flits of 8 bytes",
         [](MeshConfig& m) {
             m.flit_bytes = 8;
             m.buffer_flits = 8;
         },
         2},
        {"flits of 32 bytes", [](MeshConfig& m) { m.flit_bytes = 32; }, -1},
        // The third of three flits waits for the first's place: 2 links + 2 stages, minus the 2
        // cycles it would have taken.
        {"buffers of 2 flits", [](MeshConfig& m) { m.buffer_flits = 2; }, 2},
    };
    for (const Change& change : changes) {
        RigConfig config = mesh_config(3, 2);
        change.make(config.noc.mesh);
        const auto expected = std::to_string(static_cast<int>(l2_hit(kLinks)) + change.cycles);
        EXPECT_EQ(in_child([&] {
                      MemoryRig rig(config);
                      rig.read(1, 0, 32, 0);
                      return std::to_string(rig.read(0, 0, 32, 1000).done - 1000);
                  }),
                  expected)
            << change.what << ", lt";
        EXPECT_EQ(in_child([&] {
                      MemoryAtRig rig(config);
                      rig.read(1, 0, 32, 0);
                      return std::to_string(rig.read(0, 0, 32, 1000).done - 1000);
                  }),
                  expected)
            << change.what << ", at";
    }
}

/// In which cycles the links between nodes and their routers are busy, by node and direction; once
/// for each flit.
class LinkCycles : public WaveRecorder {
public:
    Signal add(std::string_view scope, std::string_view name, std::uint32_t /*bits*/) override {
        const std::size_t node = scope.rfind("node_");
        names_.push_back(node == std::string_view::npos
                             ? "other"
                             : std::string(scope.substr(node)) + "." + std::string(name));
        return static_cast<Signal>(names_.size() - 1);
    }
    void set(Signal /*signal*/, Cycle /*at*/, std::uint64_t /*value*/) override {}
    void pulse(Signal signal, Cycle at, Cycle cycles) override {
        for (Cycle cycle = at; cycle < at + cycles; ++cycle) busy[names_.at(signal)].insert(cycle);
    }
    std::map<std::string, std::multiset<Cycle>> busy;

private:
    std::vector<std::string> names_;
};

/// A loosely-timed mesh with the message ports of its SMs; one a process.
struct MessageRig {
    explicit MessageRig(const RigConfig& config)
        : clock(config.core_clock_mhz),
          memory("memory",
                 {config.sms, config.noc, config.l2, config.dram, false, stats.child("memory"),
                  config.observers},
                 clock),
          ends(mesh_ends(*this, config.sms, nullptr)) {
        for (std::uint32_t sm = 0; sm < config.sms; ++sm) {
            drivers.push_back(
                std::make_unique<Driver>(("driver_" + std::to_string(sm)).c_str(), clock));
            drivers.back()->socket.bind(memory.socket(SmId(sm)));
        }
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    ClockDomain clock;
    StatGroup stats{"mesh"};
    MemorySystemLt memory;
    std::vector<std::unique_ptr<MeshEnd>> ends;
    std::vector<std::unique_ptr<Driver>> drivers;
};

/// Also of flits between which another packet has the link.
TEST(MeshTiming, WavesShowEveryFlitInItsCycle) {
    RigConfig config = mesh_config(4, 2);
    LinkCycles waves;
    config.observers.wave = &waves;
    MessageRig rig(config);
    MeshPort& port = rig.ends[0]->port;
    MeshMessage reply = message_to(1, MeshMessageKind::kLookupReply, 1);
    reply.network = MeshNetwork::kReply;
    EXPECT_EQ(port.send(reply, 12), 12 + way(1, 1));
    // Its third flit would leave in cycle 12.
    EXPECT_EQ(port.send(message_to(1, MeshMessageKind::kAssign, 4), 10), 10 + way(1, 4) + 1);
    EXPECT_THAT(waves.busy["node_0.sending"], testing::ElementsAre(10, 11, 12, 13, 14));
    EXPECT_THAT(waves.busy["node_1.receiving"], testing::ElementsAre(14, 15, 16, 17, 18));
    // No other traffic: they are spread.
    reply.destination = SmId(2);
    for (const Cycle at : {101, 103, 105}) port.send(reply, at);
    EXPECT_EQ(port.send(message_to(1, MeshMessageKind::kAssign, 4), 100), 100 + way(1, 4) + 3);
    EXPECT_THAT(waves.busy["node_1.receiving"],
                testing::ElementsAre(14, 15, 16, 17, 18, 104, 106, 108, 110));
}

TEST(MeshTiming, MessagesBetweenSms) {
    MessageRig rig(mesh_config(4, 2));
    const auto& ends = rig.ends;
    StatGroup& stats = rig.stats;
    // SMs 0 to 2 are row 0, 3 to 5 row 1.
    EXPECT_EQ(ends[0]->port.send(message_to(5, MeshMessageKind::kAssign, 2, 77), 100),
              100 + way(3, 2));
    ASSERT_EQ(ends[5]->received.size(), 1U);
    EXPECT_EQ(ends[5]->received[0].at, 100 + way(3, 2));
    EXPECT_EQ(ends[5]->received[0].message.id, 77U);
    EXPECT_EQ(ends[5]->received[0].message.source, SmId(0));
    EXPECT_EQ(ends[1]->port.send(message_to(1, MeshMessageKind::kInsert, 1), 300), 300 + way(0, 1))
        << "to itself: one router";
    // A question and its answer, one within the other.
    ends[2]->answers = true;
    EXPECT_EQ(ends[0]->port.send(message_to(2, MeshMessageKind::kLookup, 1), 500), 500 + way(2, 1));
    ASSERT_EQ(ends[0]->received.size(), 1U);
    EXPECT_EQ(ends[0]->received[0].at, 500 + 2 * way(2, 1));
    EXPECT_EQ(ends[0]->received[0].message.holder, SmId(2));
    EXPECT_EQ(stats.sum("port.sent_lookup"), 1U);
    EXPECT_EQ(stats.sum("port.received_lookup_reply"), 1U);
    EXPECT_EQ(stats.sum("memory.mesh.messages"), 4U);
}

TEST(MeshTiming, MessagesBetweenSmsApproximatelyTimed) {
    MemoryAtRig rig(mesh_config(4, 2));
    const auto ends = mesh_ends(rig, rig.l1.size(), &rig.ticker);
    ends[2]->answers = true;
    EXPECT_EQ(ends[0]->port.unsent(), 0U);
    EXPECT_EQ(ends[0]->port.send(message_to(5, MeshMessageKind::kAssign, 2, 77), 100), kNever);
    EXPECT_EQ(ends[0]->port.unsent(), 1U);
    ends[1]->port.send(message_to(1, MeshMessageKind::kInsert, 1), 300);
    ends[0]->port.send(message_to(2, MeshMessageKind::kLookup, 1), 500);
    rig.run_through(100 + way(3, 2) - 1);
    EXPECT_TRUE(ends[5]->received.empty()) << "at n-1";
    rig.run_through(100 + way(3, 2));
    ASSERT_EQ(ends[5]->received.size(), 1U) << "at n";
    EXPECT_EQ(ends[5]->received[0].message.id, 77U);
    MemoryAtRig::run();
    ASSERT_EQ(ends[1]->received.size(), 1U);
    EXPECT_EQ(ends[1]->received[0].at, 300 + way(0, 1));
    ASSERT_EQ(ends[0]->received.size(), 1U);
    EXPECT_EQ(ends[0]->received[0].at, 500 + 2 * way(2, 1));
    EXPECT_EQ(ends[0]->port.unsent(), 0U);
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

}  // namespace
