// Do the cores of the approximately-timed hierarchy keep their rules?
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <set>

#include "sc_models/common/error.h"
#include "sc_models/memory/core/dram_core.h"
#include "sc_models/memory/core/dram_scheduler.h"
#include "sc_models/memory/core/mshr_table_at.h"
#include "sc_models/noc/core/switch_core.h"
#include "tests/unit/dram_streams.h"

using namespace tessera;

namespace {

TEST(MshrTableAt, AgreesWithAMap) {
    std::mt19937_64 random(2);
    MshrTableAt table(24);
    struct Naive {
        MshrTableAt::Index index = MshrTableAt::kNone;
        std::vector<std::uint32_t> targets;
        bool dirty = false;
    };
    std::map<std::uint64_t, Naive> naive;
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t sector = random() % 40 + (random() % 2 << 40U);
        const MshrTableAt::Index found = table.find(sector);
        const auto expected = naive.find(sector);
        ASSERT_EQ(found, expected == naive.end() ? MshrTableAt::kNone : expected->second.index);
        ASSERT_EQ(table.size(), naive.size());
        ASSERT_EQ(table.full(), naive.size() == 24);
        if (expected == naive.end()) {
            if (!table.full()) naive[sector].index = table.allocate(sector);
            continue;
        }
        Naive& entry = expected->second;
        ASSERT_EQ(table.sector(found), sector);
        ASSERT_EQ(table.dirty(found), entry.dirty);
        ASSERT_EQ(table.targets(found), entry.targets.size());
        if (random() % 3 != 0) {
            const auto target = static_cast<std::uint32_t>(random());
            table.add_target(found, target);
            entry.targets.push_back(target);
            if (random() % 8 == 0) {
                table.mark_dirty(found);
                entry.dirty = true;
            }
            continue;
        }
        std::vector<std::uint32_t> served;
        table.release(found, [&](std::uint32_t target) { served.push_back(target); });
        ASSERT_EQ(served, entry.targets) << "first come, first served";
        naive.erase(expected);
    }
}

TEST(MshrTableAt, RefusesWhatCannotBe) {
    EXPECT_THROW(MshrTableAt(0), std::logic_error);
    MshrTableAt table(2);
    table.allocate(7);
    EXPECT_THROW(table.allocate(7), std::logic_error);
    table.allocate(8);
    EXPECT_THROW(table.allocate(9), std::logic_error);
}

struct Message {
    std::uint32_t input = 0, output = 0;
    Cycle taken = 0;
};

TEST(SwitchCore, LosesNothingAndKeepsOrderAndLatencyAndBandwidth) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        SwitchCore::Shape shape{};
        shape.inputs = 1 + random() % 70;
        shape.outputs = 1 + random() % 70;
        shape.input_bytes_per_cycle = 16U << random() % 3;
        shape.output_bytes_per_cycle = 16U << random() % 3;
        shape.piece_bytes = 32;
        shape.queue_entries = 1 + random() % 8;
        shape.latency = 1 + random() % 20;
        SwitchCore core(shape);
        std::deque<Message> messages;
        std::vector<std::deque<Message*>> inside(shape.inputs);
        std::vector<std::uint64_t> pieces_out(shape.outputs);
        std::vector<bool> closed(shape.outputs);
        std::size_t delivered = 0;
        for (Cycle now = 0; now < 600 || core.size() > 0; ++now) {
            for (std::uint32_t i = 0; now < 600 && i < shape.inputs; ++i) {
                if (core.full(i) || random() % 3 == 0) continue;
                messages.push_back({i, static_cast<std::uint32_t>(random() % shape.outputs), 0});
                Message& message = messages.back();
                message.taken =
                    core.enter(i, message.output, &message, random() % 2 == 0 ? 0 : 32, now, now);
                ASSERT_GE(message.taken, now);
                inside[i].push_back(&message);
                ASSERT_LE(inside[i].size(), shape.queue_entries);
            }
            for (std::uint32_t o = 0; o < shape.outputs; ++o) {
                if (closed[o] && random() % 4 == 0) {
                    closed[o] = false;
                    core.open(o, now, now);
                }
            }
            ASSERT_GE(core.next(now), now);
            core.advance(now, [&](std::uint32_t input, std::uint32_t output, void* raw) -> Cycle {
                auto* const message = static_cast<Message*>(raw);
                EXPECT_EQ(inside[input].front(), message) << "the queues are first in, first out";
                inside[input].pop_front();
                EXPECT_EQ(message->input, input);
                EXPECT_EQ(message->output, output);
                EXPECT_FALSE(closed[output]);
                EXPECT_GE(now, message->taken + shape.latency);
                ++pieces_out[output];
                EXPECT_LE((pieces_out[output] - 1) * 32, (now + 1) * shape.output_bytes_per_cycle);
                ++delivered;
                if (random() % 5 != 0) return now;
                closed[output] = true;
                return kNever;
            });
            ASSERT_GT(core.next(now), now) << "what could get through has";
            ASSERT_LT(now, 100'000U) << "seed " << seed;
        }
        EXPECT_EQ(delivered, messages.size());
        EXPECT_GT(delivered, 100U);
    }
}

TEST(SwitchCore, InputsTakeTurns) {
    SwitchCore core({3, 1, 32, 32, 32, 8, 1});
    Message messages[9];
    for (std::uint32_t i = 0; i < 9; ++i) core.enter(i % 3, 0, &messages[i], 32, 0, 0);
    std::vector<std::uint32_t> order;
    for (Cycle now = 0; now < 20; ++now) {
        core.advance(now, [&](std::uint32_t input, std::uint32_t, void*) {
            order.push_back(input);
            return now;
        });
    }
    EXPECT_THAT(order, testing::ElementsAre(1, 2, 0, 1, 2, 0, 1, 2, 0));
}

/// The numbers of inputs are at and around multiples of a word's 64 bits.
TEST(SwitchCore, AnyNumberOfInputsTakesTurns) {
    for (const std::uint32_t inputs : {63U, 64U, 65U, 128U, 129U}) {
        SwitchCore core({inputs, 1, 32, 32, 32, 8, 1});
        Message message;
        for (std::uint32_t i = 0; i < 2 * inputs; ++i) {
            core.enter(i % inputs, 0, &message, 32, 0, 0);
        }
        std::vector<std::uint32_t> order, expected;
        for (Cycle now = 0; now < 3 * inputs; ++now) {
            core.advance(now, [&](std::uint32_t input, std::uint32_t, void*) {
                order.push_back(input);
                return now;
            });
        }
        for (std::uint32_t i = 1; i <= 2 * inputs; ++i) expected.push_back(i % inputs);
        EXPECT_EQ(order, expected) << inputs << " inputs";
        // None but the last.
        order.clear();
        core.enter(inputs - 1, 0, &message, 32, 1000, 1000);
        core.advance(1001, [&](std::uint32_t input, std::uint32_t, void*) {
            order.push_back(input);
            return Cycle{1001};
        });
        EXPECT_THAT(order, testing::ElementsAre(inputs - 1));
    }
}

/// Messages of 70 inputs wait for an output that opens when all are there.
TEST(SwitchCore, TheOldestGoesFirst) {
    constexpr std::uint32_t kInputs = 70;
    for (const bool virtual_queues : {false, true}) {
        SwitchCore::Shape shape{kInputs, 1, 32, 32, 32, 8, 1, virtual_queues};
        shape.oldest_first = true;
        SwitchCore core(shape);
        Message message;
        std::vector<std::uint32_t> expected;
        core.open(0, 0, kNever);
        for (std::uint32_t i = 0; i < kInputs; ++i) {
            expected.push_back(i * 31 % kInputs);
            core.enter(expected.back(), 0, &message, 32, i, i);
        }
        for (const std::uint32_t input : {5U, 9U, 3U}) {  // of one age: in turn
            core.enter(input, 0, &message, 32, kInputs, 2 * kInputs);
        }
        expected.insert(expected.end(), {3, 5, 9});
        std::vector<std::uint32_t> order;
        core.advance(200, [](auto...) { return Cycle{0}; });
        core.open(0, 200, 200);
        for (Cycle now = 200; now < 300; ++now) {
            core.advance(now, [&](std::uint32_t input, std::uint32_t, void*) {
                order.push_back(input);
                return now;
            });
        }
        // The last before those was 69 * 31 % 70 = 39, and 3 comes next after it.
        EXPECT_EQ(order, expected);
    }
}

TEST(SwitchCore, AMessageOfSeveralPiecesHoldsItsPorts) {
    SwitchCore core({2, 1, 32, 32, 32, 8, 10});
    Message wide;
    Message narrow;
    EXPECT_EQ(core.enter(0, 0, &wide, 128, 0, 0), 3U) << "four pieces: 0, 1, 2, 3";
    EXPECT_EQ(core.enter(1, 0, &narrow, 32, 0, 4), 4U);
    std::vector<std::pair<Cycle, void*>> out;
    for (Cycle now = 0; now < 40; ++now) {
        core.advance(now, [&](std::uint32_t, std::uint32_t, void* message) {
            out.emplace_back(now, message);
            return now;
        });
    }
    EXPECT_THAT(out, testing::ElementsAre(testing::Pair(16U, &wide), testing::Pair(17U, &narrow)))
        << "13 to 16, then the next";
}

DramConfig small_dram() {
    DramConfig config;
    config.banks = 4;
    config.row_bytes = 256;
    config.queue_entries = 12;
    config.row_hit_cap = 4;
    return config;
}

TEST(DramScheduler, KeepsTheTimingOfBanksAndBus) {
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        std::mt19937 random(seed);
        const DramConfig config = small_dram();
        DramScheduler scheduler(config, 32);
        const DramAddressMap map(config);
        struct Row {
            bool used = false;
            std::uint64_t row = 0;
            Cycle activated = 0, last_column = 0;
        };
        std::vector<Row> rows(config.banks);
        std::vector<Address> addresses;
        std::set<std::uint64_t> waiting;
        Cycle now = 0;
        Cycle bus_free = 0;
        std::size_t hits = 0;
        for (int i = 0; i < 20'000; ++i) {
            while (!scheduler.full(false) && random() % 2 == 0) {
                waiting.insert(addresses.size());
                addresses.push_back(random() % 512 * 32);
                scheduler.push(addresses.size() - 1, addresses.back());
            }
            const Cycle next = scheduler.next(now);
            if (next == kNever) continue;
            now = next;
            scheduler.step(now, [&](const DramScheduler::Served& served) {
                ASSERT_EQ(waiting.erase(served.id), 1U);
                const auto place = map.locate(addresses[served.id]);
                Row& row = rows[place.bank];
                ASSERT_EQ(served.data_end, now + config.t_cl_cycles + scheduler.burst_cycles());
                ASSERT_GE(served.data_end - scheduler.burst_cycles(), bus_free);
                bus_free = served.data_end;
                if (served.row == RowOutcome::kHit) {
                    ASSERT_TRUE(row.used);
                    ASSERT_EQ(row.row, place.row) << "a hit of a row that is not open";
                    ++hits;
                } else {
                    ASSERT_EQ(served.row == RowOutcome::kEmpty, !row.used);
                    if (row.used) {
                        // Precharge after tRAS and the last column; then tRP and tRCD.
                        const Cycle closable = std::max(row.activated + config.t_ras_cycles,
                                                        row.last_column + config.t_ccd_cycles);
                        ASSERT_GE(now, closable + config.t_rp_cycles + config.t_rcd_cycles);
                    }
                    // It was activated tRCD ago at the latest; not earlier than the row before let.
                    row.activated = row.used ? std::max(row.activated + config.t_ras_cycles,
                                                        row.last_column + config.t_ccd_cycles) +
                                                   config.t_rp_cycles
                                             : 0;
                    row.used = true;
                    row.row = place.row;
                }
                row.last_column = now;
            });
        }
        EXPECT_GT(hits, 1000U) << "row hits go first: one request of 16 is of the open row";
        EXPECT_LE(waiting.size(), config.queue_entries);
    }
}

TEST(DramScheduler, EfficiencyLimitsTheDataBus) {
    for (const std::uint32_t percent : {100U, 82U, 50U, 7U}) {
        DramConfig config = small_dram();
        config.efficiency_percent = percent;
        DramScheduler scheduler(config, 32);
        Cycle now = 0;
        Cycle last = 0;
        constexpr std::uint64_t kRequests = 2000;  // all to one row
        for (std::uint64_t served = 0, id = 0; served < kRequests;) {
            for (; !scheduler.full(false); ++id) scheduler.push(id, id % 8 * 32);
            now = scheduler.next(now);
            scheduler.step(now, [&](const DramScheduler::Served& s) {
                ++served;
                last = s.data_end;
            });
        }
        const auto bursts = static_cast<double>(kRequests * scheduler.burst_cycles());
        EXPECT_NEAR(static_cast<double>(last), bursts * 100 / percent, 60) << percent;
    }
}

struct Channel {
    double hits = 0;          ///< share of the requests
    double mean_latency = 0;  ///< arrival to end of data, DRAM cycles
};

Channel summary(const std::vector<test::DramRequest>& stream,
                const std::vector<test::DramAnswer>& answers) {
    Channel channel;
    const auto count = static_cast<double>(stream.size());
    for (std::size_t i = 0; i < stream.size(); ++i) {
        channel.hits += answers[i].row == RowOutcome::kHit ? 1 / count : 0;
        channel.mean_latency +=
            static_cast<double>(answers[i].data_end - stream[i].arrival) / count;
    }
    return channel;
}

// The loosely-timed channel returns the time of each request at once; it must come out as the
// scheduler, which sees what comes later, has it: from an idle channel to one that is hardly ever
// idle.
TEST(DramScheduler, TheLooselyTimedChannelFollowsIt) {
    DramConfig config;
    config.banks = 16;
    config.row_bytes = 1024;
    config.bytes_per_clock = 16;
    for (const std::uint32_t cycles_between : {8U, 4U, 3U}) {
        for (const std::uint32_t run : {1U, 4U, 16U}) {  // neighbouring sectors, of several readers
            SCOPED_TRACE(fmt::format("every {} cycles, runs of {}", cycles_between, run));
            std::mt19937_64 random(cycles_between * 100 + run);
            constexpr std::size_t kReaders = 8;
            std::array<Address, kReaders> next{};
            std::vector<test::DramRequest> stream;
            Cycle now = 0;
            for (int i = 0; i < 50'000; ++i) {
                now += random() % (2 * cycles_between + 1);
                Address& address = next[random() % kReaders];
                address = random() % run == 0 ? random() % (1U << 20U) * 32 : address + 32;
                stream.push_back({now, address});
            }
            const Channel expected = summary(stream, test::scheduled(config, stream));
            const Channel measured = summary(stream, test::reserved(config, stream));
            EXPECT_NEAR(measured.hits, expected.hits, 0.01);
            EXPECT_NEAR(measured.mean_latency / expected.mean_latency, 1, 0.1);
        }
    }
}

TEST(DramScheduler, NoRequestStarves) {
    const DramConfig config = small_dram();
    DramScheduler scheduler(config, 32);
    // Requests to one row without end, and one to another row of the same bank.
    const DramAddressMap map(config);
    Address other = 0;
    while (map.locate(other).bank != map.locate(0).bank ||
           map.locate(other).row == map.locate(0).row) {
        other += config.row_bytes;
    }
    Cycle now = 0;
    scheduler.push(0, 0);
    std::uint64_t served_before = 0;
    bool done = false;
    for (std::uint64_t id = 2; !done && id < 1000; ++id) {
        if (id == 10) scheduler.push(1, other);
        if (!scheduler.full(false)) scheduler.push(id, id % 8 * 32);
        now = scheduler.next(now);
        scheduler.step(now, [&](const DramScheduler::Served& served) {
            done = served.id == 1;
            served_before += id > 10 ? 1 : 0;
        });
    }
    EXPECT_TRUE(done);
    EXPECT_LE(served_before, config.queue_entries + config.row_hit_cap + 1);
}

TEST(DramScheduler, PlacesAddressesAsDramCoreDoes) {
    // Whether the second of two lone requests hits, conflicts or opens a bank shows the mapping.
    std::mt19937_64 random(6);
    for (int i = 0; i < 5000; ++i) {
        const Address first = random() % (1U << 20U) / 32 * 32;
        const Address second = random() % (1U << 14U) / 32 * 32;
        DramCore core(small_dram(), 32);
        DramScheduler scheduler(small_dram(), 32);
        std::vector<DramScheduler::Served> served;
        Cycle now = 0;
        std::vector<DramCore::Service> expected = {core.access(first, 0),
                                                   core.access(second, 1000)};
        for (const Address address : {first, second}) {
            scheduler.push(served.size(), address);
            const std::size_t before = served.size();
            while (served.size() == before) {
                now = scheduler.next(now);
                scheduler.step(now, [&](const auto& s) { served.push_back(s); });
            }
            now = 1000;
        }
        for (std::size_t k = 0; k < 2; ++k) {
            ASSERT_EQ(served[k].row, expected[k].row) << first << " " << second;
            ASSERT_EQ(served[k].data_end, expected[k].data_end);
        }
    }
}

TEST(DramScheduler, RefusesWhatCannotBe) {
    DramConfig config;
    config.banks = 3;
    EXPECT_THROW(DramScheduler(config, 32), ConfigError);
}

}  // namespace
