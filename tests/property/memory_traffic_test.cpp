// Under random traffic: is data right, does nothing get lost, and does the protocol hold?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tlm_utils/simple_target_socket.h>
#include <cstring>
#include <map>
#include <random>

#include "tests/support/in_child.h"
#include "tests/support/memory_rig.h"
#include "tests/support/prefetch_by.h"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Caches small enough that everything is replaced all the time.
RigConfig tiny() {
    RigConfig config;
    config.sms = 3;
    config.l1_bytes = 2048;
    config.l1.mshr_entries = 6;
    config.l1.mshr_targets = 3;
    config.l2.slices = 6;
    config.l2.sets_per_slice = 2;
    config.l2.ways = 2;
    config.l2.mshr_entries = 5;
    config.dram.channels = 3;
    return config;
}

struct Traffic {
    Address address;
    std::uint32_t bytes;
};

/// Bytes within one line; often the same lines, often whole sectors.
Traffic draw(std::mt19937_64& random) {
    const Address line = (random() % 3 == 0 ? random() % 4 : random() % 400) * 128 +
                         (random() % 8 == 0 ? Address{1} << 33U : 0);
    if (random() % 2 == 0) return {line + random() % 4 * 32, 32};
    const auto offset = static_cast<std::uint32_t>(random() % 128);
    return {line + offset, static_cast<std::uint32_t>(1 + random() % (128 - offset))};
}

/// Random reads and writes of all SMs, by time and by debug transport.
void expect_last_writes(MemoryRig& rig, std::uint32_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::map<Address, unsigned char> naive;
    const auto expected = [&](Address a) { return naive.count(a) != 0 ? naive[a] : 0; };
    std::vector<unsigned char> bytes(129);
    Cycle now = 0;
    for (int i = 0; i < 60'000; ++i) {
        if (random() % 8 == 0) rig.run_to(now += random() % 100);
        const auto sm = static_cast<std::uint32_t>(random() % 3);
        const Traffic t = draw(random);
        const bool debug = random() % 16 == 0;
        if (random() % 3 == 0) {
            for (std::uint32_t k = 0; k < t.bytes; ++k) {
                bytes[k] = naive[t.address + k] = static_cast<unsigned char>(random());
            }
            if (debug) {
                ASSERT_EQ(rig.drivers[sm]->debug(tlm::TLM_WRITE_COMMAND, t.address, bytes.data(),
                                                 t.bytes),
                          t.bytes);
            } else {
                const Access done = rig.drivers[sm]->send(tlm::TLM_WRITE_COMMAND, t.address,
                                                          bytes.data(), t.bytes, now);
                ASSERT_EQ(done.status, tlm::TLM_OK_RESPONSE);
            }
            continue;
        }
        std::fill(bytes.begin(), bytes.end(), 0xEE);
        if (debug) {
            ASSERT_EQ(
                rig.drivers[sm]->debug(tlm::TLM_READ_COMMAND, t.address, bytes.data(), t.bytes),
                t.bytes);
        } else {
            const Access done = rig.drivers[sm]->send(tlm::TLM_READ_COMMAND, t.address,
                                                      bytes.data(), t.bytes, now + random() % 300);
            ASSERT_EQ(done.status, tlm::TLM_OK_RESPONSE);
        }
        for (std::uint32_t k = 0; k < t.bytes; ++k) {
            ASSERT_EQ(bytes[k], expected(t.address + k)) << "operation " << i << ", byte " << k;
        }
        ASSERT_EQ(bytes[t.bytes], 0xEE) << "wrote past the end";
    }
    EXPECT_GT(rig.sum("memory.l2.write_backs_below"), 1000U) << "the traffic must be hard";
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

RigConfig with_values() {
    RigConfig config = tiny();
    config.values = true;
    return config;
}

TEST(MemoryTraffic, EveryReadReturnsTheLastWrite) {
    MemoryRig rig(with_values());
    expect_last_writes(rig, 1234);
}

/// Room enough for some of what is expected by chance to be there when it is read.
RigConfig roomy(RigConfig config) {
    config.l1_bytes = 16 * 1024;
    config.l1.mshr_entries = 200;
    config.l1.miss_queue_entries = 2;
    config.l2.mshr_entries = 64;
    return config;
}

/// Whatever is prefetched, of what is read and written as well.
void attach_prefetchers(MemoryRig& rig) {
    for (std::uint32_t sm = 0; sm < rig.l1.size(); ++sm) {
        rig.l1[sm]->attach(PrefetchBy::chance(sm, 400 * 128), rig.stats.instance("l1", sm));
    }
}

/// Each of these must happen, or the test shows nothing.
void expect_all_outcomes(const MemoryRig& rig) {
    for (const char* outcome : {"issued", "useful", "late", "useless", "dropped"}) {
        EXPECT_GT(rig.sum(std::string("l1.prefetch.") + outcome), 100U) << outcome;
    }
}

TEST(MemoryTraffic, PrefetchesLeaveTheDataAlone) {
    MemoryRig rig(roomy(with_values()));
    attach_prefetchers(rig);
    expect_last_writes(rig, 1235);
    expect_all_outcomes(rig);
}

/// The same without values, and with accesses that are ahead of time.
void expect_nothing_lost_or_early(MemoryRig& rig, const RigConfig& config, std::uint32_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Cycle now = 0;
    for (int i = 0; i < 200'000; ++i) {
        if (random() % 4 == 0) rig.run_to(now += random() % 60);
        const auto sm = static_cast<std::uint32_t>(random() % 3);
        const Traffic t = draw(random);
        const Cycle arrival = now + random() % 400;
        if (random() % 4 == 0) {
            const Access write = rig.write(sm, t.address, t.bytes, arrival);
            ASSERT_GE(write.accepted, arrival);
            ASSERT_GE(write.done, write.accepted + 20);
        } else {
            const Access read = rig.read(sm, t.address, t.bytes, arrival);
            ASSERT_GE(read.accepted, arrival);
            ASSERT_GE(read.done, read.accepted + config.l1.hit_latency_cycles);
        }
        ASSERT_LE(rig.l1[sm]->outstanding(), config.l1.mshr_entries);
        if (i % 20'000 == 0) {
            ASSERT_THAT(rig.violations(), testing::IsEmpty());
        }
        if (i % 50'000 == 0) rig.l1[sm]->invalidate();
    }
    EXPECT_THAT(rig.violations(), testing::IsEmpty());
}

TEST(MemoryTraffic, PrefetchesLoseNothing) {
    for (const L1Allocation allocation : {L1Allocation::kOnMiss, L1Allocation::kOnFill}) {
        const std::string outcome = in_child([allocation] {
            RigConfig config = roomy(tiny());
            config.l1.allocation = allocation;
            MemoryRig rig(config);
            attach_prefetchers(rig);
            expect_nothing_lost_or_early(rig, config, 99);
            expect_all_outcomes(rig);
            return std::string(testing::Test::HasFailure() ? "failed" : "good");
        });
        EXPECT_EQ(outcome, "good") << "on miss, then on fill";
    }
}

TEST(MemoryTraffic, NothingIsLostOrEarly) {
    const RigConfig config = tiny();
    MemoryRig rig(config);
    expect_nothing_lost_or_early(rig, config, 4321);
    for (const char* path :
         {"l1.read_hits", "l1.read_pending_hits", "l1.mshr_stall_cycles", "l1.target_stall_cycles",
          "l1.evictions", "memory.l2.read_hits", "memory.l2.read_pending_hits",
          "memory.l2.write_hits", "memory.l2.write_pending_hits", "memory.l2.write_fetches",
          "memory.l2.mshr_stall_cycles", "memory.dram.row_hits", "memory.dram.row_conflicts"}) {
        EXPECT_GT(rig.sum(path), 100U) << path << " was hardly exercised";
    }
}

TEST(MemoryTraffic, BandwidthOfAChannelIsTheLimit) {
    RigConfig config;
    config.sms = 1;
    config.l2.slices = config.dram.channels = 1;
    config.dram.bytes_per_clock = 8;  // 4 cycles a sector
    MemoryRig rig(config);
    Cycle last = 0, at = 0;
    constexpr Cycle kSectors = 4000;
    for (Cycle i = 0; i < kSectors; ++i) {
        const Access read = rig.read(0, i * 32, 32, at);
        at = std::max(at, read.accepted);
        rig.run_to(at);
        last = std::max(last, read.done);
    }
    EXPECT_GE(last, kSectors * 4);
    EXPECT_LE(last, kSectors * 4 * 11 / 10 + 400) << "the miss registers must cover the latency";
}

TEST(MemoryTraffic, WhatIsNotSupportedIsRefused) {
    MemoryRig rig;
    EXPECT_EQ(rig.read(0, 100, 32, 0).status, tlm::TLM_BURST_ERROR_RESPONSE) << "crosses a line";
    EXPECT_EQ(rig.read(0, 0, 0, 0).status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.drivers[0]->send(tlm::TLM_IGNORE_COMMAND, 0, nullptr, 32, 0).status,
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    unsigned char data[32] = {}, enables[1] = {0xFF};
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_data_ptr(data);
    payload.set_data_length(32);
    payload.set_streaming_width(32);
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(1);
    sc_core::sc_time delay;
    rig.drivers[0]->socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_streaming_width(4);
    rig.drivers[0]->socket->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(rig.sum("l1.reads") + rig.sum("l1.writes"), 0U);
}

/// An external memory without our extension and our reservation tables.
class ForeignMemory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<ForeignMemory> target;
    explicit ForeignMemory(const sc_core::sc_module_name& name)
        : sc_module(name), target("target") {
        target.register_b_transport(this, &ForeignMemory::b_transport);
        target.register_transport_dbg(this, &ForeignMemory::transport_dbg);
    }
    bool refuse = false;

private:
    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
        transport_dbg(transaction);
        if (refuse) transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        delay += sc_core::sc_time(200, sc_core::SC_NS);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction) {
        unsigned char* const place = &bytes_.at(transaction.get_address());
        if (transaction.is_read()) {
            std::memcpy(transaction.get_data_ptr(), place, transaction.get_data_length());
        } else {
            std::memcpy(place, transaction.get_data_ptr(), transaction.get_data_length());
        }
        transaction.set_response_status(tlm::TLM_OK_RESPONSE);
        return transaction.get_data_length();
    }
    std::vector<unsigned char> bytes_ = std::vector<unsigned char>(4096);
};

TEST(MemoryTraffic, ForeignMemoryCanStandInBehindTheL1) {
    const ClockDomain clock(1000);
    StatGroup stats("test");
    ForeignMemory memory("memory");
    L1Cache l1("l1", {L1Config{}, 32 * 1024, L2Config{}.line_bytes, true, stats}, clock, {});
    Driver driver("driver", clock);
    driver.socket.bind(l1.target);
    l1.initiator.bind(memory.target);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    std::uint32_t written = 0xC0FFEE, read = 0;
    EXPECT_EQ(driver.send(tlm::TLM_WRITE_COMMAND, 68, &written, 4, 10).accepted, 10U);
    EXPECT_EQ(driver.send(tlm::TLM_READ_COMMAND, 68, &read, 4, 20).done, 20U + 12 + 200);
    EXPECT_EQ(read, written);
    read = 0;
    EXPECT_EQ(driver.send(tlm::TLM_READ_COMMAND, 68, &read, 4, 500).done, 528U);
    EXPECT_EQ(read, written);
    memory.refuse = true;
    EXPECT_EQ(driver.send(tlm::TLM_READ_COMMAND, 1024, &read, 4, 600).status,
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

/// Keeps what blocks record.
class Recorder : public WaveRecorder {
public:
    Signal add(std::string_view scope, std::string_view name, std::uint32_t) override {
        names.push_back(std::string(scope) + "." + std::string(name));
        return static_cast<Signal>(names.size() - 1);
    }
    void set(Signal signal, Cycle at, std::uint64_t value) override {
        values[names.at(signal)][at] = value;
    }
    void pulse(Signal signal, Cycle at, Cycle cycles) override {
        pulses[names.at(signal)][at] = cycles;
    }

    std::vector<std::string> names;
    std::map<std::string, std::map<Cycle, std::uint64_t>> values;
    std::map<std::string, std::map<Cycle, Cycle>> pulses;  ///< length by beginning
};

TEST(MemoryTraffic, WavesShowAccessesAndOccupancy) {
    Recorder recorder;
    RigConfig config;
    config.observers.wave = &recorder;
    MemoryRig rig(config);
    const Cycle ready = rig.read(0, 0, 32, 10).done;
    rig.run_to(1000);
    rig.read(0, 0, 32, 1000);
    EXPECT_THAT(recorder.pulses["l1_0.accesses"], testing::SizeIs(2));
    EXPECT_EQ(recorder.pulses["l1_0.misses"].count(10), 1U);
    EXPECT_EQ(recorder.pulses["l1_0.hits"].count(1000), 1U);
    EXPECT_GE(ready, 300U);
    EXPECT_THAT(recorder.pulses["l1_0.mshr_occupancy"],
                testing::ElementsAre(testing::Pair(10U, ready - 10)));
}

}  // namespace
