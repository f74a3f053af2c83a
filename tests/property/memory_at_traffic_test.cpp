// Approximately timed, under random traffic: is data right, does nothing get lost, does every link
// keep the protocol, and how far is the loosely-timed hierarchy?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>

#include "tests/support/in_child.h"
#include "tests/support/memory_at_rig.h"
#include "tests/support/prefetch_by.h"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Caches and queues small enough that everything is full and replaced all the time.
RigConfig tiny() {
    RigConfig config;
    config.sms = 3;
    config.l1_bytes = 2048;
    config.l1.mshr_entries = 6;
    config.l1.mshr_targets = 3;
    config.l1.request_queue_entries = 2;
    config.l1.miss_queue_entries = 4;
    config.noc.request_queue_entries = 3;
    config.noc.response_queue_entries = 3;
    config.l2.slices = 6;
    config.l2.sets_per_slice = 2;
    config.l2.ways = 2;
    config.l2.mshr_entries = 5;
    config.l2.request_queue_entries = 2;
    config.l2.response_queue_entries = 8;
    config.l2.miss_queue_entries = 8;
    config.dram.channels = 3;
    config.dram.queue_entries = 2;
    config.dram.controller_latency_cycles = 4;
    config.dram.row_hit_cap = 3;
    return config;
}

/// Random traffic of `count` accesses an SM, with END_RESP withheld at random.
void expect_nothing_lost(MemoryAtRig& rig, std::mt19937_64& random, int count) {
    for (auto& driver : rig.drivers) {
        driver->response_stall = [&random](Cycle) -> Cycle {
            return random() % 3 != 0 ? 0 : 1 + random() % 6;
        };
    }
    Cycle at = 0;
    for (int i = 0; i < count; ++i) {
        if (random() % 8 == 0) at += random() % 100;
        for (std::uint32_t sm = 0; sm < rig.drivers.size(); ++sm) {
            const Address line = (random() % 3 == 0 ? random() % 4 : random() % 400) * 128 +
                                 (random() % 8 == 0 ? Address{1} << 33U : 0);
            const bool sector = random() % 2 == 0;
            const auto offset = static_cast<std::uint32_t>(random() % 128);
            const Address address = line + (sector ? offset / 32 * 32 : offset);
            const auto bytes =
                sector ? 32 : static_cast<std::uint32_t>(1 + random() % (128 - offset));
            if (random() % 3 == 0) {
                rig.plan_write(sm, address, bytes, at);
            } else {
                rig.plan_read(sm, address, bytes, at);
                rig.drivers[sm]->plan.back().bypass_l1 = random() % 8 == 0;
            }
        }
    }
    MemoryAtRig::run();
    for (const auto& driver : rig.drivers) {
        EXPECT_EQ(driver->finished, static_cast<std::size_t>(count));
    }
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

/// Room enough for some of what is expected by chance to be there when it is read.
RigConfig roomy(RigConfig config) {
    config.l1_bytes = 16 * 1024;
    config.l1.mshr_entries = 200;
    config.l2.mshr_entries = 64;
    config.l1.miss_queue_entries = 16;
    return config;
}

/// Whatever is prefetched, of what is read and written as well.
void attach_prefetchers(MemoryAtRig& rig, Address end = 400 * 128) {
    for (std::uint32_t sm = 0; sm < rig.l1.size(); ++sm) {
        rig.l1[sm]->attach(PrefetchBy::chance(sm, end), rig.stats.instance("l1", sm));
    }
}

TEST(MemoryAtTraffic, PrefetchesLoseNothing) {
    constexpr std::uint32_t kSeed = 99;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    MemoryAtRig rig(roomy(tiny()));
    attach_prefetchers(rig);
    expect_nothing_lost(rig, random, 20'000);
    for (const char* outcome : {"issued", "useful", "late", "useless", "dropped"}) {
        EXPECT_GT(rig.sum(std::string("l1.prefetch.") + outcome), 100U) << outcome;
    }
}

TEST(MemoryAtTraffic, NothingIsLostAndEveryLinkKeepsTheProtocol) {
    constexpr std::uint32_t kSeed = 4321;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    MemoryAtRig rig(tiny());
    expect_nothing_lost(rig, random, 20'000);
    EXPECT_GT(rig.checked_calls(), 500'000U);
    for (const char* path :
         {"l1.read_hits", "l1.read_pending_hits", "l1.mshr_stall_cycles", "l1.target_stall_cycles",
          "l1.queue_stall_cycles", "l1.held_cycles", "l1.evictions", "memory.crossbar.held_cycles",
          "memory.l2.read_hits", "memory.l2.read_pending_hits", "memory.l2.write_hits",
          "memory.l2.write_pending_hits", "memory.l2.write_fetches", "memory.l2.write_backs_below",
          "memory.l2.mshr_stall_cycles", "memory.l2.held_cycles", "memory.dram.held_cycles",
          "memory.dram.row_hits", "memory.dram.row_conflicts"}) {
        EXPECT_GT(rig.sum(path), 100U) << path << " was hardly exercised";
    }
}

TEST(MemoryAtTraffic, OtherShapesOfTheMachineLoseNothingEither) {
    for (std::uint32_t seed = 1; seed <= 12; ++seed) {
        const std::string outcome = in_child([seed] {
            std::mt19937_64 random(seed);
            const auto among = [&random](std::initializer_list<std::uint32_t> of) {
                return *(of.begin() + static_cast<std::ptrdiff_t>(random() % of.size()));
            };
            RigConfig config = tiny();
            config.sms = among({1, 4});
            config.l1.allocation =
                among({0, 1}) == 0 ? L1Allocation::kOnMiss : L1Allocation::kOnFill;
            config.l1.mshr_entries = among({1, 6, 100});
            config.l1.request_queue_entries = among({1, 8});
            config.l1.miss_latency_cycles = among({1, 12});
            config.l1.returns_per_cycle = among({L1Config::kUnlimited, 1, 2});
            config.l1.miss_queue_entries = among({1, 32});
            config.noc.request_bytes_per_cycle = among({8, 24, 32, 64});
            config.noc.response_bytes_per_cycle = among({8, 32, 64});
            config.noc.slice_bytes_per_cycle = among({8, 32, 64});
            config.noc.request_queue_entries = among({1, 32});
            config.noc.response_queue_entries = among({1, 32});
            config.noc.latency_cycles = among({1, 14});
            config.l2.hit_latency_cycles = among({1, 80});
            config.l2.mshr_entries = among({1, 5, 64});
            config.l2.request_queue_entries = among({1, 16});
            config.l2.response_queue_entries = among({1, 64});
            config.dram.queue_entries = among({1, 16});
            config.dram.clock_mhz = among({700, 1000, 3000});
            config.dram.t_rp_cycles = among({0, 12});
            config.dram.t_rcd_cycles = among({0, 12});
            config.dram.controller_latency_cycles = among({0, 196});
            MemoryAtRig rig(config);
            if (seed % 2 == 0) attach_prefetchers(rig);
            expect_nothing_lost(rig, random, 1500);
            std::string found;
            for (const std::string& line : rig.violations_at_end()) found += line + "\n";
            return testing::Test::HasFailure() ? "failed: " + found : std::string("good");
        });
        EXPECT_EQ(outcome, "good") << "seed " << seed;
    }
}

RigConfig with_values() {
    RigConfig config = tiny();
    config.values = true;
    return config;
}

/// Random reads and writes of all SMs, each in regions of its own.
void expect_own_writes(MemoryAtRig& rig, const RigConfig& config, std::uint32_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    constexpr std::size_t kBytes = std::size_t{48} * 128;  // of one region
    constexpr int kRounds = 6;
    constexpr int kAccesses = 3000;
    std::vector<unsigned char> naive(kBytes * (config.sms + 1));
    std::vector<std::vector<unsigned char>> data;
    struct Expected {
        std::uint32_t sm;
        std::size_t index;
        std::vector<unsigned char> bytes;
    };
    for (std::uint32_t i = 0; i < kBytes; ++i) {  // the last region is only read
        naive[config.sms * kBytes + i] = static_cast<unsigned char>(random());
    }
    ASSERT_EQ(rig.drivers[0]->debug(tlm::TLM_WRITE_COMMAND, config.sms * kBytes,
                                    &naive[config.sms * kBytes], kBytes),
              kBytes);
    for (int round = 0; round < kRounds; ++round) {
        // In each round a region belongs to another SM; L1s are not coherent, so they start empty.
        for (const auto& l1 : rig.l1) l1->invalidate();
        std::vector<Expected> expected;
        const Cycle start = rig.clock.now();
        data.clear();
        data.reserve(static_cast<std::size_t>(kAccesses) * config.sms);
        for (int i = 0; i < kAccesses; ++i) {
            for (std::uint32_t sm = 0; sm < config.sms; ++sm) {
                const bool write = random() % 3 == 0;
                const std::uint32_t region =
                    !write && random() % 4 == 0
                        ? config.sms
                        : (sm + static_cast<std::uint32_t>(round)) % config.sms;
                const auto offset = static_cast<std::uint32_t>(random() % 128);
                const auto bytes = static_cast<std::uint32_t>(1 + random() % (128 - offset));
                const Address address =
                    Address{region} * kBytes + random() % (kBytes / 128) * 128 + offset;
                const Cycle at = start + static_cast<Cycle>(i) * 3;
                data.emplace_back(bytes, static_cast<unsigned char>(0xEE));
                std::vector<unsigned char>& own = data.back();
                if (write) {
                    for (unsigned char& byte : own) byte = static_cast<unsigned char>(random());
                    std::copy(own.begin(), own.end(),
                              naive.begin() + static_cast<std::ptrdiff_t>(address));
                }
                const std::size_t index =
                    rig.drivers[sm]->issue(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                           address, own.data(), bytes, at);
                if (write) continue;
                const auto begin = naive.begin() + static_cast<std::ptrdiff_t>(address);
                expected.push_back(
                    {sm, index, {begin, begin + static_cast<std::ptrdiff_t>(bytes)}});
            }
        }
        MemoryAtRig::run();
        for (const Expected& e : expected) {
            const testbench::Request& read = rig.result(e.sm, e.index);
            ASSERT_TRUE(read.finished);
            ASSERT_EQ(std::vector<unsigned char>(read.data, read.data + read.bytes), e.bytes)
                << "round " << round << ", SM " << e.sm << ", access " << e.index << ", address "
                << read.address;
        }
        ASSERT_THAT(rig.violations_at_end(), testing::IsEmpty());
        std::vector<unsigned char> all(naive.size());
        rig.drivers[0]->debug(tlm::TLM_READ_COMMAND, 0, all.data(),
                              static_cast<std::uint32_t>(all.size()));
        ASSERT_EQ(all, naive) << "round " << round;
    }
    EXPECT_GT(rig.sum("memory.l2.write_backs_below"), 500U) << "the traffic must be hard";
}

TEST(MemoryAtTraffic, EveryReadReturnsWhatItsSmWroteLast) {
    const RigConfig config = with_values();
    MemoryAtRig rig(config);
    expect_own_writes(rig, config, 77);
}

TEST(MemoryAtTraffic, PrefetchesLeaveTheDataAlone) {
    const RigConfig config = roomy(with_values());
    MemoryAtRig rig(config);
    attach_prefetchers(rig, 4 * 48 * 128);  // what is read and written
    expect_own_writes(rig, config, 78);
    EXPECT_GT(rig.sum("l1.prefetch.useful"), 100U);
    EXPECT_GT(rig.sum("l1.prefetch.late"), 100U);
}

/// Reads of the SMs of a Titan V-like machine, one after the other, as fast as they are taken.
using Pattern = std::function<Address(std::uint32_t sm, std::uint64_t i, std::mt19937_64&)>;
constexpr std::uint32_t kReads = 2000;

RigConfig whole_machine() {
    RigConfig config;
    config.sms = 16;
    config.core_clock_mhz = 1200;
    config.dram = DramConfig{};
    config.dram.channels = 12;
    config.l2.slices = 12;
    return config;
}

/// Cycles until the last read is done.
Cycle cycles_at(const Pattern& pattern) {
    MemoryAtRig rig(whole_machine(), false);
    std::mt19937_64 random(5);
    for (std::uint64_t i = 0; i < kReads; ++i) {
        for (std::uint32_t sm = 0; sm < rig.drivers.size(); ++sm) {
            rig.plan_read(sm, pattern(sm, i, random), 32, i / 4);  // four a cycle at most
        }
    }
    MemoryAtRig::run();
    Cycle last = 0;
    for (const auto& driver : rig.drivers) last = std::max(last, driver->last_done);
    if (!rig.violations_at_end().empty()) throw std::runtime_error("violations");
    return last;
}

Cycle cycles_lt(const Pattern& pattern) {
    const RigConfig config = whole_machine();
    MemoryRig rig(config);
    std::mt19937_64 random(5);
    std::vector<Cycle> at(config.sms);
    Cycle last = 0;
    for (std::uint64_t i = 0; i < kReads; ++i) {
        for (std::uint32_t sm = 0; sm < config.sms; ++sm) {
            at[sm] = std::max(at[sm], Cycle{i / 4});
            const Access read = rig.read(sm, pattern(sm, i, random), 32, at[sm]);
            at[sm] = std::max(at[sm], read.accepted);
            last = std::max(last, read.done);
        }
        rig.run_to(*std::min_element(at.begin(), at.end()));
    }
    return last;
}

TEST(MemoryAtTraffic, LooselyTimedIsNotFarOff) {
    struct Case {
        const char* name;
        double lowest, highest;  ///< AT cycles / LT cycles
        Pattern pattern;
    };
    const std::vector<Case> cases = {
        {"streaming", 0.85, 1.2,
         [](std::uint32_t sm, std::uint64_t i, std::mt19937_64&) {
             return (Address{sm} << 24U) + i * 32;
         }},
        {"random", 0.85, 1.2,
         [](std::uint32_t, std::uint64_t, std::mt19937_64& random) {
             return random() % (Address{1} << 28U) & ~Address{31};
         }},
        {"hot spot", 0.85, 1.2,
         [](std::uint32_t, std::uint64_t i, std::mt19937_64& random) {
             // One read of four is within one slice's 256 bytes of a few rounds.
             return i % 4 == 0 ? random() % 8 * 32 + (random() % 64) * 12 * 256
                               : (random() % (Address{1} << 20U) & ~Address{31});
         }},
    };
    for (const Case& c : cases) {
        const auto at = std::stod(in_child([&] { return std::to_string(cycles_at(c.pattern)); }));
        const auto lt = std::stod(in_child([&] { return std::to_string(cycles_lt(c.pattern)); }));
        std::printf("%s: AT %.0f cycles, LT %.0f cycles, AT/LT %.3f\n", c.name, at, lt, at / lt);
        EXPECT_GE(at / lt, c.lowest) << c.name;
        EXPECT_LE(at / lt, c.highest) << c.name;
    }
}

}  // namespace
