// Memory traffic and messages together over a mesh: is nothing lost, is data right, do messages
// stay in order, does every link keep the protocol?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

#include "tests/support/in_child.h"
#include "tests/support/mesh_rig.h"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Queues and buffers small enough that everything is full all the time.
RigConfig tiny_mesh(std::mt19937_64& random) {
    const auto among = [&random](std::initializer_list<std::uint32_t> of) {
        return *(of.begin() + static_cast<std::ptrdiff_t>(random() % of.size()));
    };
    RigConfig config = mesh_config(among({2, 3, 4}), among({1, 2, 3}));
    config.l2.slices = config.dram.channels * among({1, 2});
    config.noc.mesh.controllers =
        among({0, 1}) == 0 ? ControllerPlacement::kLastColumn : ControllerPlacement::kDiagonal;
    config.noc.mesh.buffer_flits = among({1, 2, 4});
    config.noc.mesh.virtual_channels = among({2, 4});
    config.noc.mesh.ejection_packets = among({1, 4});
    config.noc.mesh.flit_bytes = among({8, 16});
    config.noc.mesh.router_stages = among({2, 4});
    config.noc.request_queue_entries = among({1, 8});
    config.noc.response_queue_entries = among({1, 8});
    config.l1_bytes = 2048;
    config.l1.mshr_entries = among({6, 64});
    config.l1.miss_queue_entries = 4;
    config.l2.sets_per_slice = 2;
    config.l2.ways = 2;
    config.l2.mshr_entries = 5;
    config.l2.request_queue_entries = among({1, 4});
    config.l2.response_queue_entries = 8;
    config.l2.miss_queue_entries = 8;
    config.dram.queue_entries = 2;
    return config;
}

/// Random reads and writes of every SM, each a message now and then.
std::string traffic(std::uint32_t seed) {
    constexpr int kAccesses = 1500;
    std::mt19937_64 random(seed);
    MemoryAtRig rig(tiny_mesh(random));
    const auto ends = mesh_ends(rig, rig.l1.size(), &rig.ticker);
    std::size_t sent = 0;
    for (auto& driver : rig.drivers) {
        driver->response_stall = [&random](Cycle) -> Cycle {
            return random() % 3 != 0 ? 0 : 1 + random() % 6;
        };
    }
    for (int i = 0; i < kAccesses; ++i) {
        for (std::uint32_t sm = 0; sm < ends.size(); ++sm) {
            const Cycle at = static_cast<Cycle>(i) * 4;
            const Address address = random() % 64 * 128 + random() % 4 * 32;
            random() % 3 == 0 ? rig.plan_write(sm, address, 32, at)
                              : rig.plan_read(sm, address, 32, at);
            if (random() % 2 == 0) continue;
            MeshMessage message = message_to(static_cast<std::uint32_t>(random() % ends.size()),
                                             MeshMessageKind::kAssign, 1 + random() % 3 % 2, sent);
            message.network = random() % 2 == 0 ? MeshNetwork::kRequest : MeshNetwork::kReply;
            ends[sm]->port.send(message, at);
            ++sent;
        }
    }
    MemoryAtRig::run();
    std::string found;
    for (const std::string& line : rig.violations_at_end()) found += line + "\n";
    std::size_t received = 0;
    for (const auto& end : ends) {
        std::map<std::pair<std::uint32_t, MeshNetwork>, std::uint64_t> last;
        for (const Received& r : end->received) {
            const auto key = std::make_pair(r.message.source.value(), r.message.network);
            const auto before = last.find(key);
            if (before != last.end() && before->second >= r.message.id) {
                found += "message " + std::to_string(r.message.id) + " came late\n";
            }
            last[key] = r.message.id;
        }
        received += end->received.size();
        if (end->port.unsent() != 0) found += "a message was not sent\n";
    }
    if (received != sent) found += std::to_string(sent - received) + " messages lost\n";
    for (const auto& driver : rig.drivers) {
        if (driver->finished != kAccesses) found += "an access did not finish\n";
    }
    if (!found.empty()) return found;
    return rig.sum("memory.mesh.request_wait_cycles") > 0 ? "full" : "never full";
}

TEST(MeshTraffic, NothingIsLostAndMessagesStayInOrder) {
    int full = 0;
    for (std::uint32_t seed = 1; seed <= 16; ++seed) {
        const std::string outcome = in_child([seed] { return traffic(seed); });
        EXPECT_THAT(outcome, testing::AnyOf("full", "never full")) << "seed " << seed;
        full += outcome == "full" ? 1 : 0;
    }
    EXPECT_GT(full, 10) << "queues were hardly ever full";
}

TEST(MeshTraffic, ReadsReturnWhatTheirSmWrote) {
    constexpr std::uint32_t kSeed = 9;
    std::mt19937_64 random(kSeed);
    RigConfig config = tiny_mesh(random);
    config.values = true;
    MemoryAtRig rig(config);
    constexpr std::uint32_t kLines = 40;  // of each SM
    std::vector<std::vector<unsigned char>> data;
    struct Expected {
        std::uint32_t sm;
        std::size_t index;
        unsigned char value;
    };
    std::vector<Expected> expected;
    std::map<Address, unsigned char> naive;
    data.reserve(std::size_t{3000} * config.sms);
    for (int i = 0; i < 3000; ++i) {
        for (std::uint32_t sm = 0; sm < config.sms; ++sm) {
            const Address address = (Address{sm} * kLines + random() % kLines) * 128;
            const bool write = random() % 3 == 0;
            const auto value = static_cast<unsigned char>(random());
            data.emplace_back(32, value);
            if (write) naive[address] = value;
            const std::size_t index =
                rig.drivers[sm]->issue(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                       address, data.back().data(), 32, static_cast<Cycle>(i) * 3);
            if (!write) expected.push_back({sm, index, naive[address]});
        }
    }
    MemoryAtRig::run();
    for (const Expected& e : expected) {
        const testbench::Request& read = rig.result(e.sm, e.index);
        ASSERT_TRUE(read.finished);
        ASSERT_EQ(read.data[0], e.value) << "seed " << kSeed << ", SM " << e.sm << ", " << e.index;
    }
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

}  // namespace
