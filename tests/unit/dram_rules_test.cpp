// Refresh, bank groups, activation windows and the turning of the bus: does each rule take what it
// says, and do both levels of timing keep it?
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "tests/unit/dram_streams.h"

namespace tessera::test {
namespace {

/// tRCD 12, tRP 12, tCL 12, tRAS 28, tCCD 1; 2 KiB rows, 16 banks; a sector takes 1 cycle of the
/// bus.
DramConfig plain() {
    DramConfig config;
    config.bytes_per_clock = 32;
    config.row_bytes = 2048;
    return config;
}
DramConfig with(const std::function<void(DramConfig&)>& change) {
    DramConfig config = plain();
    change(config);
    return config;
}
/// Channel-local address of a row of a bank, for rows below 16: undoes the bank hash.
constexpr Address at(std::uint64_t row, std::uint64_t bank, Address column = 0) {
    return (row * 16 + (bank ^ row)) * 2048 + column;
}

/// Both levels give the requests these answers.
void expect_answers(const DramConfig& config, const std::vector<DramRequest>& requests,
                    const std::vector<DramAnswer>& expected) {
    EXPECT_EQ(reserved(config, requests), expected) << "loosely timed";
    EXPECT_EQ(scheduled(config, requests), expected) << "approximately timed";
}

TEST(DramRules, RefreshStopsTheChannelAndClosesRows) {
    const DramConfig config = with([](DramConfig& c) {
        c.t_refi_cycles = 1000;
        c.t_rfc_cycles = 100;
    });
    // From 900 to 1000 nothing moves: the row open at 800 is gone, and a request at 950 waits.
    expect_answers(config, {{800, at(0, 0)}, {850, at(0, 0, 32)}, {950, at(0, 0, 64)}},
                   {{800 + 25, RowOutcome::kEmpty},
                    {850 + 13, RowOutcome::kHit},
                    {1000 + 25, RowOutcome::kEmpty}});
    // Data that is under way comes: its column command was in time, at 899.
    expect_answers(config, {{887, at(0, 0)}}, {{899 + 13, RowOutcome::kEmpty}});
    // The 20th refresh ends at 20000.
    expect_answers(config, {{19'950, at(3, 5)}}, {{20'000 + 25, RowOutcome::kEmpty}});
}

TEST(DramRules, ARefreshTakesItsShareOfAStream) {
    const DramConfig config = with([](DramConfig& c) {
        c.t_refi_cycles = 1000;
        c.t_rfc_cycles = 100;
    });
    std::vector<DramRequest> stream;
    for (Address a = 0; a < 32 * 50'000; a += 32) stream.push_back({0, a});
    for (const auto& level : {reserved(config, stream), scheduled(config, stream)}) {
        Cycle end = 0;
        for (const DramAnswer& answer : level) end = std::max(end, answer.data_end);
        // A tenth, and opening the rows again, 24 cycles of 900 without another row meanwhile.
        EXPECT_GE(end, 50'000U * 10 / 9);
        EXPECT_LE(end, 50'000U * 10 / 9 * 108 / 100);
    }
}

TEST(DramRules, ColumnsOfOneBankGroupKeepTheirDistance) {
    const DramConfig config = with([](DramConfig& c) {
        c.bank_groups = 4;
        c.t_ccd_l_cycles = 5;
    });
    // Banks 0 and 4 are of one group, bank 1 of another. The first column is at 15, where a slot of
    // the loosely-timed reservation table begins.
    expect_answers(config, {{3, at(0, 0)}, {3, at(0, 4)}},
                   {{28, RowOutcome::kEmpty}, {33, RowOutcome::kEmpty}});
    expect_answers(config, {{3, at(0, 0)}, {3, at(0, 1)}},
                   {{28, RowOutcome::kEmpty}, {29, RowOutcome::kEmpty}});
}

TEST(DramRules, ActivationsKeepTheirDistance) {
    const DramConfig config = with([](DramConfig& c) { c.t_rrd_cycles = 7; });
    expect_answers(config, {{0, at(0, 0)}, {0, at(0, 1)}, {0, at(0, 2)}},
                   {{25, RowOutcome::kEmpty}, {32, RowOutcome::kEmpty}, {39, RowOutcome::kEmpty}});
}

// The bank is precharged at 50, as soon as a request wants another row, and waits for its turn to
// be activated until 200. Its old row is gone meanwhile, and a second request to the new one does
// not bring the activation forward.
TEST(DramRules, ABankThatWaitsForItsActivationHasNoRow) {
    const DramConfig config = with([](DramConfig& c) { c.t_rrd_cycles = 200; });
    expect_answers(config,
                   {{0, at(0, 0)}, {50, at(1, 0)}, {100, at(0, 0, 32)}, {120, at(1, 0, 64)}},
                   {{25, RowOutcome::kEmpty},
                    {200 + 25, RowOutcome::kConflict},
                    {400 + 25, RowOutcome::kConflict},
                    {201 + 25, RowOutcome::kHit}});
}

TEST(DramRules, FourActivationsInAWindow) {
    const DramConfig config = with([](DramConfig& c) {
        c.t_rrd_cycles = 4;
        c.t_faw_cycles = 100;
    });
    std::vector<DramRequest> banks;
    for (std::uint64_t bank = 0; bank < 9; ++bank) banks.push_back({0, at(0, bank)});
    const auto loose = reserved(config, banks);
    const auto approximate = scheduled(config, banks);
    // In a burst of four, or evenly over the window: the fifth and the ninth come with the windows.
    const std::array<Cycle, 9> in_bursts = {0, 4, 8, 12, 100, 104, 108, 112, 200};
    for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(loose[i].data_end, i * 25 + 25) << i;
        EXPECT_EQ(approximate[i].data_end, in_bursts[i] + 25) << i;
    }
}

DramConfig turning() {
    return with([](DramConfig& c) {
        c.t_wtr_cycles = 6;
        c.t_cwl_cycles = 4;
        c.t_wr_cycles = 30;
        c.queue_entries = 8;
        c.write_drain_high = 4;
        c.write_drain_low = 2;
    });
}

TEST(DramRules, ABankThatWasWrittenIsPrechargedLater) {
    // Column at 12, its data at 16 and 17, tWR until 47; then precharge, activation and column.
    expect_answers(
        turning(), {{0, at(0, 0), true}, {20, at(1, 0), true}},
        {{12 + 4 + 1, RowOutcome::kEmpty}, {47 + 12 + 12 + 4 + 1, RowOutcome::kConflict}});
}

/// tWR begins where the write's data ends, however long its burst.
TEST(DramRules, WriteRecoveryBeginsBehindTheBurst) {
    // Half the bus: a sector takes two cycles of it. Column at 12, data from 16 until 18, tWR until
    // 48; then precharge, activation and column.
    DramConfig config = turning();
    config.bytes_per_clock = 16;
    expect_answers(
        config, {{0, at(0, 0), true}, {20, at(1, 0), true}},
        {{12 + 4 + 2, RowOutcome::kEmpty}, {48 + 12 + 12 + 4 + 2, RowOutcome::kConflict}});
    config.t_ccd_cycles = 3;  // more than the bus needs: data for three cycles
    expect_answers(
        config, {{0, at(0, 0), true}, {20, at(1, 0), true}},
        {{12 + 4 + 3, RowOutcome::kEmpty}, {49 + 12 + 12 + 4 + 3, RowOutcome::kConflict}});
}

TEST(DramRules, TheBusTakesTimeToTurn) {
    // A write's column at 12; a read's 4 + 1 + 6 later; and a write's again, when the read's data,
    // at 35, and two cycles are over, 4 before its data.
    DramScheduler scheduler(turning(), 32);
    const std::vector<DramRequest> requests = {
        {0, at(0, 0), true}, {1, at(0, 0, 32)}, {24, at(0, 0, 64), true}};
    std::vector<Cycle> ends;
    Cycle now = 0;
    for (std::size_t id = 0; id < requests.size(); ++id) {
        scheduler.push(id, requests[id].address, requests[id].write);
        const std::size_t before = ends.size();
        while (ends.size() == before) {
            now = scheduler.next(now);
            scheduler.step(now, [&](const auto& served) { ends.push_back(served.data_end); });
        }
    }
    EXPECT_EQ(ends, (std::vector<Cycle>{12 + 5, 23 + 13, 23 + 12 + 1 + 2 - 4 + 5}));
    EXPECT_EQ(scheduler.turnarounds(), 3U) << "the first write turns it, too";
}

TEST(DramRules, WritesGoInBatches) {
    DramScheduler scheduler(turning(), 32);
    // Four reads and, after the first, four writes, all of one open row: reads go first until four
    // writes wait, and come again when two are left.
    std::string order;
    for (std::uint64_t id = 0; id < 3; ++id) scheduler.push(id, at(0, 0, 32 * id));
    Cycle now = 0;
    const auto serve_one = [&] {
        const std::size_t before = order.size();
        while (order.size() == before) {
            now = scheduler.next(now);
            scheduler.step(now, [&](const auto& served) { order += served.id < 10 ? 'r' : 'w'; });
        }
    };
    serve_one();
    for (std::uint64_t id = 10; id < 14; ++id) scheduler.push(id, at(0, 0, 32 * id), true);
    scheduler.push(3, at(0, 0, 512));
    while (scheduler.size() != 0) serve_one();
    EXPECT_EQ(order, "rwwrrrww");
}

TEST(DramRules, WritesThatWaitTakeNoPlaceOfReads) {
    // Four writes of one bank, a row each, then a read of another bank.
    const auto read_after_writes = [](DramConfig config) {
        config.queue_entries = 4;
        DramScheduler scheduler(config, 32);
        DramCore core(config, 32);
        for (std::uint64_t id = 0; id < 4; ++id) {
            scheduler.push(id, at(id, 0), true);
            (void)core.access(at(id, 0), 0, true);
        }
        EXPECT_TRUE(scheduler.full(true));
        return std::pair(!scheduler.full(false), core.access(at(0, 1), 0).data_end);
    };
    // One queue: the read enters with the first write's column command, at 12.
    EXPECT_EQ(read_after_writes(plain()), std::pair(false, Cycle{12 + 25}));
    // Two: at once.
    DramConfig config = turning();
    config.write_drain_high = 4;
    const auto [room, end] = read_after_writes(config);
    EXPECT_TRUE(room);
    EXPECT_EQ(end, 25U);
}

TEST(DramRules, ABatchOfWritesTakesTheTimeOfTwoTurns) {
    // Reads of one row back to back, and two writes among them, which make a batch: the bus is lost
    // for tWTR + tCL and two cycles.
    DramConfig config = turning();
    config.t_cwl_cycles = 12;  // so that all data comes in turn
    DramCore core(config, 32);
    Cycle end = 0;
    for (Address i = 0; i < 20; ++i) {
        const bool write = i == 5 || i == 6;
        const auto service = core.access(at(0, 0, 32 * i), 0, write);
        EXPECT_EQ(service.turned, i == 6);
        end = std::max(end, service.data_end);
    }
    EXPECT_EQ(end, 12 + 12 + 20 + (6 + 12) + 2);
}

/// Every rule at once, as HBM2 has them.
DramConfig hbm2() {
    DramConfig config;
    config.bytes_per_clock = 32;
    config.bank_groups = 4;
    config.t_ccd_l_cycles = 2;
    config.t_rrd_cycles = 4;
    config.t_faw_cycles = 26;
    config.t_wtr_cycles = 6;
    config.t_refi_cycles = 3315;
    config.t_rfc_cycles = 221;
    return config;
}

std::vector<DramRequest> random_requests(std::mt19937_64& random, std::uint32_t cycles_between,
                                         std::size_t count) {
    std::vector<DramRequest> requests;
    std::array<Address, 8> streams{};
    Cycle now = 0;
    while (requests.size() < count) {
        now += random() % (2 * cycles_between + 1);
        const std::size_t stream = random() % streams.size();
        Address& address = streams[stream];
        address = random() % 8 == 0 ? random() % (1U << 20U) * 32 : address + 32;
        requests.push_back({now, address, stream % 4 == 0});
    }
    return requests;
}

TEST(DramRules, AreKeptUnderRandomTraffic) {
    const DramConfig config = hbm2();
    const DramTiming timing(config, 32);
    const RefreshClock clock(timing);
    const DramAddressMap map(config);
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937_64 random(seed);
        const auto requests = random_requests(random, seed, 30'000);
        const auto served = scheduled(config, requests);
        // In the order of their column commands.
        std::vector<std::pair<Cycle, std::size_t>> commands;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            commands.emplace_back(served[i].data_end - timing.to_data_end(requests[i].write), i);
        }
        std::sort(commands.begin(), commands.end());
        std::array<Cycle, 4> group_last{};
        std::vector<Cycle> opened;
        for (std::size_t k = 0; k < commands.size(); ++k) {
            const auto [at, i] = commands[k];
            ASSERT_GE(at, requests[i].arrival);
            ASSERT_FALSE(clock.refreshes_at(at)) << at;
            const std::uint32_t group = map.locate(requests[i].address).bank % 4;
            if (group_last[group] != 0) {
                ASSERT_GE(at, group_last[group] + timing.t_ccd_l);
            }
            group_last[group] = at;
            if (served[i].row != RowOutcome::kHit) opened.push_back(at);
            if (k == 0) continue;
            const auto [before, j] = commands[k - 1];
            if (requests[i].write == requests[j].write) {
                ASSERT_GE(at, before + timing.burst);
            } else {
                ASSERT_GE(
                    at, before + (requests[j].write ? timing.write_to_read : timing.read_to_write));
            }
        }
        EXPECT_GT(opened.size(), 1000U);
        EXPECT_LE(opened.size(), 4 * (opened.back() / config.t_faw_cycles + 1));
    }
}

// Same check as TheLooselyTimedChannelFollowsIt in the scheduler's tests, with all rules on.
TEST(DramRules, BothLevelsTakeAboutTheSameTime) {
    for (const std::uint32_t cycles_between : {8U, 5U}) {
        SCOPED_TRACE("every " + std::to_string(cycles_between) + " cycles");
        std::mt19937_64 random(cycles_between);
        const auto requests = random_requests(random, cycles_between, 50'000);
        const std::array levels = {reserved(hbm2(), requests), scheduled(hbm2(), requests)};
        std::array<double, 2> latency{};
        for (std::size_t level = 0; level < 2; ++level) {
            double reads = 0;
            for (std::size_t i = 0; i < requests.size(); ++i) {
                if (requests[i].write) continue;
                ++reads;
                latency[level] +=
                    static_cast<double>(levels[level][i].data_end - requests[i].arrival);
            }
            latency[level] /= reads;
        }
        EXPECT_NEAR(latency[0] / latency[1], 1, 0.15) << latency[0] << " and " << latency[1];
    }
}

TEST(DramRules, WhatCannotBeIsRefused) {
    const auto refused = [](const std::function<void(DramConfig&)>& change) {
        try {
            DramTiming(with(change), 32);
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    EXPECT_EQ(refused([](DramConfig& c) { c.bank_groups = 3; }),
              "dram.bank_groups: got 3, expected a power of two of at most dram.banks = 16");
    EXPECT_EQ(refused([](DramConfig& c) { c.bank_groups = 32; }),
              "dram.bank_groups: got 32, expected a power of two of at most dram.banks = 16");
    EXPECT_EQ(
        refused([](DramConfig& c) { c.t_refi_cycles = 246; }),
        "dram.t_refi_cycles: got 246, expected more than a refresh and an access take (tRFC + "
        "tRCD + tRP + tRRD or tFAW + burst = 246)");
    EXPECT_EQ(refused([](DramConfig& c) { c.t_refi_cycles = 247; }), "taken");
    const auto drains = [&](std::uint32_t high, std::uint32_t low) {
        return refused([&](DramConfig& c) {
            c.t_wtr_cycles = 6;
            c.write_drain_high = high;
            c.write_drain_low = low;
        });
    };
    EXPECT_EQ(drains(65, 1),
              "dram.write_drain_high: got 65, expected at most dram.queue_entries = 64");
    EXPECT_EQ(drains(8, 8),
              "dram.write_drain_low: got 8, expected less than dram.write_drain_high = 8");
    EXPECT_EQ(drains(64, 63), "taken");
}

}  // namespace
}  // namespace tessera::test
