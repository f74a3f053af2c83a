// Tests of approximately-timed memory blocks beside legal neighbours that behave unlike the model's
// own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sc_models/memory/at/dram_channel_at.h"
#include "sc_models/memory/at/l2_slice_at.h"
#include "sc_models/noc/at/crossbar_at.h"
#include "tests/support/memory_at_rig.h"
#include "tests/support/memory_rig.h"
#include "tests/support/rogue_sockets.h"

using namespace tessera;
using namespace tessera::test;

namespace {

const ClockDomain& clock_domain() {
    static const ClockDomain kClock(1000);
    return kClock;
}

/// A memory system's configuration with one slice and one channel.
RigConfig one_slice() {
    RigConfig config;
    config.l2.slices = config.dram.channels = 1;
    return config;
}

/// Also a response whose END_RESP is due, and those behind it.
TEST(DramChannelAtAlone, CountsWhatIsNotOver) {
    const RigConfig config = one_slice();
    const AddressMap map(config.l2, config.dram);
    CycleTicker ticker("ticker", clock_domain());
    PayloadPool pool;
    MemoryImage image;
    StatGroup stats("test");
    DramChannelAt channel("channel", {config.dram, 32, map, image, false, stats}, 1,
                          {ticker, pool, {}});
    RogueInitiator above("above");
    above.socket.bind(channel.targets[0]);
    std::vector<Payload*> answered;
    above.on_bw = [&answered](Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
        EXPECT_EQ(phase, tlm::BEGIN_RESP);
        answered.push_back(&payload);
        return tlm::TLM_ACCEPTED;
    };
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(channel.outstanding(), 0U);
    PooledPayload* const reads[] = {&pool.acquire(tlm::TLM_READ_COMMAND, 0, 32),
                                    &pool.acquire(tlm::TLM_READ_COMMAND, 32, 32)};
    for (PooledPayload* read : reads) {
        EXPECT_EQ(above.send(*read, tlm::BEGIN_REQ), tlm::TLM_UPDATED);
    }
    EXPECT_EQ(channel.outstanding(), 2U);
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(channel.outstanding(), 2U) << "one is answered, the other's answer behind it";
    ASSERT_THAT(answered, testing::ElementsAre(reads[0]));
    above.send(*reads[0], tlm::END_RESP);
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(channel.outstanding(), 1U);
    ASSERT_THAT(answered, testing::ElementsAre(reads[0], reads[1]));
    above.send(*reads[1], tlm::END_RESP);
    EXPECT_EQ(channel.outstanding(), 0U);
    EXPECT_TRUE(channel.idle());
    for (PooledPayload* read : reads) read->release();
}

/// A target may change a payload's address; the slice restores it for the initiator.
TEST(DebugAccess, KeepsItsAddress) {
    CycleTicker ticker("ticker", clock_domain());
    PayloadPool pool;
    StatGroup stats("test");
    const RigConfig config = one_slice();
    const AddressMap map(config.l2, config.dram);
    L2SliceAt slice("slice", {config.l2, 0, map, true, stats}, {ticker, pool, {}});
    RogueInitiator above("above");
    RogueTarget below("below");
    above.socket.bind(slice.target);
    slice.initiator.bind(below.socket);
    below.on_debug = [](Payload& payload) {
        payload.set_address(0);
        return payload.get_data_length();
    };
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    PooledPayload& payload = pool.acquire(tlm::TLM_READ_COMMAND, 4096, 32);
    EXPECT_EQ(above.socket->transport_dbg(payload), 32U);
    EXPECT_EQ(payload.get_address(), 4096U);
    payload.release();
}

/// An access without time sees a write that is on its way below the L1, and leaves its own data
/// alone if it writes.
TEST(DebugAccess, SeesWritesThatAreUnderWay) {
    RigConfig config;
    config.values = true;
    MemoryAtRig rig(config);
    unsigned char written[32], seen[32] = {}, other[32];
    std::fill_n(written, 32, static_cast<unsigned char>(7));
    std::fill_n(other, 32, static_cast<unsigned char>(9));
    rig.drivers[0]->issue(tlm::TLM_WRITE_COMMAND, 64, written, 32, 10);
    rig.run_through(12);
    rig.drivers[0]->debug(tlm::TLM_READ_COMMAND, 64, seen, 32);
    EXPECT_EQ(seen[0], 7);
    EXPECT_EQ(seen[31], 7);
    rig.drivers[0]->debug(tlm::TLM_WRITE_COMMAND, 64, other, 32);
    EXPECT_EQ(other[0], 9);
    MemoryAtRig::run();
    EXPECT_THAT(rig.violations_at_end(), testing::IsEmpty());
}

/// A memory that is ready for the next request only some time after one.
TEST(SlowMemory, GetsAllWriteBacksOneAfterTheOther) {
    CycleTicker ticker("ticker", clock_domain());
    PayloadPool pool;
    StatGroup stats("test");
    RigConfig config = one_slice();
    config.l2.sets_per_slice = config.l2.ways = 1;
    const AddressMap map(config.l2, config.dram);
    L2SliceAt slice("slice", {config.l2, 0, map, false, stats}, {ticker, pool, {}});
    AtDriver driver("driver", ticker, pool);
    RogueTarget below("below");
    driver.socket.bind(slice.target);
    slice.initiator.bind(below.socket);
    std::vector<Cycle> written;
    below.on_fw = [&written](Payload& payload, tlm::tlm_phase&, sc_core::sc_time& delay) {
        EXPECT_TRUE(payload.is_write());
        written.push_back(clock_domain().now());
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        delay += clock_domain().span(10);
        return tlm::TLM_COMPLETED;
    };
    unsigned char data[96] = {};
    driver.issue(tlm::TLM_WRITE_COMMAND, 0, data, 96, 0);
    driver.issue(tlm::TLM_WRITE_COMMAND, 128, data, 32, 100);
    sc_core::sc_start();
    EXPECT_THAT(written, testing::ElementsAre(100U, 110U, 120U));
    EXPECT_TRUE(slice.idle());
}

/// Payloads of an external initiator have no AccessInfo.
TEST(ForeignInitiator, WritesThroughACrossbarWithoutAccessInfo) {
    const RigConfig config = one_slice();
    const AddressMap map(config.l2, config.dram);
    CycleTicker ticker("ticker", clock_domain());
    StatGroup stats("test");
    CrossbarAt crossbar("crossbar", {config.noc, 1, 32, map, stats}, ticker, {});
    RogueInitiator above("above");
    RogueTarget below("below");
    above.socket.bind(crossbar.targets[0]);
    crossbar.initiators[0].bind(below.socket);
    below.on_fw = [](Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    };
    std::vector<Payload*> answered;
    above.on_bw = [&answered](Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::BEGIN_RESP) answered.push_back(&payload);
        return tlm::TLM_COMPLETED;
    };
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    struct Manager : tlm::tlm_mm_interface {
        void free(tlm::tlm_generic_payload* /*payload*/) override {}
    } manager;
    unsigned char data[32] = {};
    Payload payload(&manager);
    payload.acquire();
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(64);
    payload.set_data_ptr(data);
    payload.set_data_length(32);
    payload.set_streaming_width(32);
    EXPECT_EQ(above.send(payload, tlm::BEGIN_REQ), tlm::TLM_UPDATED);
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_THAT(answered, testing::ElementsAre(&payload));
    EXPECT_EQ(crossbar.traffic().write_acceptances, 1U);
}

}  // namespace
