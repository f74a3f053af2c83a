// Tests of memory blocks whose neighbours stall, or violate the base protocol.
#define SC_INCLUDE_DYNAMIC_PROCESSES  // for sc_spawn

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "sc_models/memory/at/l1_cache_at.h"
#include "sc_models/memory/at/l2_slice_at.h"
#include "sc_models/memory/lt/dram_channel.h"
#include "sc_models/noc/at/crossbar_at.h"
#include "sc_models/noc/at/mesh_at.h"
#include "sc_models/noc/lt/crossbar.h"
#include "sc_models/noc/lt/mesh.h"
#include "testbenches/foreign_target/foreign_memory.h"
#include "tests/support/in_child.h"
#include "tests/support/memory_at_rig.h"
#include "tests/support/memory_rig.h"
#include "tests/support/rogue_sockets.h"

using namespace tessera;
using namespace tessera::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

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

/// The message of the fatal report that `action` causes.
template <class Action>
std::string fatal(Action&& action) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    try {
        action();
    } catch (const sc_core::sc_report& report) {
        return report.what();
    }
    return "no fatal report";
}

/// Sees the status of a request as it comes, and leaves it as it is.
void forget(RogueTarget& target, std::vector<tlm::tlm_response_status>& seen) {
    target.on_blocking = [&seen](Payload& payload, sc_core::sc_time&) {
        seen.push_back(payload.get_response_status());
    };
}

auto names_the_link(const char* link) {
    return AllOf(HasSubstr(link), HasSubstr("read of 32 bytes at 0x40"),
                 HasSubstr("TLM_INCOMPLETE_RESPONSE"));
}

TEST(ForgottenStatus, IsNoSuccessBelowACrossbar) {
    const RigConfig config = one_slice();
    const AddressMap map(config.l2, config.dram);
    StatGroup stats("test");
    Crossbar crossbar("crossbar", {config.noc, 1, 32, map, stats}, clock_domain(), {});
    Driver driver("driver", clock_domain());
    RogueTarget slice("slice");
    driver.socket.bind(crossbar.targets[0]);
    crossbar.initiators[0].bind(slice.socket);
    std::vector<tlm::tlm_response_status> seen;
    forget(slice, seen);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    unsigned char data[32];
    EXPECT_THAT(fatal([&] { driver.send(tlm::TLM_READ_COMMAND, 64, data, 32, 10); }),
                names_the_link("crossbar.initiator_0"));
    EXPECT_THAT(seen, testing::ElementsAre(tlm::TLM_INCOMPLETE_RESPONSE));
}

TEST(ForgottenStatus, IsNoSuccessBelowAMesh) {
    RigConfig config = one_slice();
    config.noc.mesh.width = 2;
    config.noc.mesh.height = 1;
    const AddressMap map(config.l2, config.dram);
    StatGroup stats("test");
    Mesh mesh("mesh", {config.noc, 1, 1, map, stats}, clock_domain(), {});
    Driver driver("driver", clock_domain());
    RogueTarget slice("slice");
    driver.socket.bind(mesh.targets[0]);
    mesh.initiators[0].bind(slice.socket);
    std::vector<tlm::tlm_response_status> seen;
    forget(slice, seen);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    unsigned char data[32];
    EXPECT_THAT(fatal([&] { driver.send(tlm::TLM_READ_COMMAND, 64, data, 32, 10); }),
                names_the_link("mesh.initiator_0"));
    EXPECT_THAT(seen, testing::ElementsAre(tlm::TLM_INCOMPLETE_RESPONSE));
}

/// The checker has said what is wrong before the cache gives up.
TEST(ForgottenStatus, IsNoSuccessBelowAnL1AndSeenByTheChecker) {
    StatGroup stats("test");
    L1Cache l1("l1", {L1Config{}, 32 * 1024, 128, false, stats}, clock_domain(), {});
    Driver driver("driver", clock_domain());
    ProtocolChecker checker("checker");
    RogueTarget below("below");
    driver.socket.bind(l1.target);
    l1.initiator.bind(checker.target);
    checker.initiator.bind(below.socket);
    std::vector<tlm::tlm_response_status> seen;
    forget(below, seen);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    unsigned char data[32];
    EXPECT_THAT(fatal([&] { driver.send(tlm::TLM_READ_COMMAND, 64, data, 32, 10); }),
                names_the_link("l1.initiator"));
    ASSERT_EQ(checker.violations().size(), 1U);
    EXPECT_EQ(checker.violations().front().rule, ProtocolRule::kResponseStatus);
}

TEST(ForgottenStatus, IsNoSuccessApproximatelyTimed) {
    const ClockDomain& clock = clock_domain();
    CycleTicker ticker("ticker", clock);
    PayloadPool pool;
    StatGroup stats("test");
    L1CacheAt l1("l1", {L1Config{}, 32 * 1024, 128, false, stats}, {ticker, pool, {}});
    AtDriver driver("driver", ticker, pool);
    RogueTarget below("below");
    driver.socket.bind(l1.target);
    l1.initiator.bind(below.socket);
    below.on_fw = [](Payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_COMPLETED; };
    unsigned char data[32];
    driver.issue(tlm::TLM_READ_COMMAND, 64, data, 32, 0);
    EXPECT_THAT(fatal([] { sc_core::sc_start(); }), names_the_link("l1.initiator"));
}

/// Below `block`, whose sockets are `target` and `initiator`, every request comes back at once,
/// with `status`. What a fatal report says of a read; if there is none, the status the read came
/// back with.
template <class Target, class Initiator>
std::string read_by_way_of(Target& target, Initiator& initiator, CycleTicker& ticker,
                           PayloadPool& pool, tlm::tlm_response_status status) {
    AtDriver driver("driver", ticker, pool);
    RogueTarget below("below");
    driver.socket.bind(target);
    initiator.bind(below.socket);
    below.on_fw = [status](Payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
        payload.set_response_status(status);
        return tlm::TLM_COMPLETED;
    };
    unsigned char data[32];
    driver.issue(tlm::TLM_READ_COMMAND, 64, data, 32, 0);
    std::string said = fatal([] { sc_core::sc_start(); });
    if (said != "no fatal report") return said;
    return driver.plan[0].finished ? std::to_string(driver.plan[0].result.status) : "lost";
}

/// A block that is approximately timed, and how it takes the status.
template <class Make>
std::string read_below(Make&& make, tlm::tlm_response_status status) {
    return in_child([&] {
        CycleTicker ticker("ticker", clock_domain());
        PayloadPool pool;
        StatGroup stats("test");
        RigConfig config = one_slice();
        config.noc.mesh.width = 2;
        config.noc.mesh.height = 1;
        const AddressMap map(config.l2, config.dram);
        return make(config, map, ticker, pool, stats, status);
    });
}

std::string below_crossbar_at(const RigConfig& config, const AddressMap& map, CycleTicker& ticker,
                              PayloadPool& pool, StatGroup& stats,
                              tlm::tlm_response_status status) {
    CrossbarAt crossbar("crossbar", {config.noc, 1, 32, map, stats}, ticker, {});
    const std::string said =
        read_by_way_of(crossbar.targets[0], crossbar.initiators[0], ticker, pool, status);
    return said + ", errors: " + std::to_string(crossbar.traffic().error_responses);
}

std::string below_mesh_at(const RigConfig& config, const AddressMap& map, CycleTicker& ticker,
                          PayloadPool& pool, StatGroup& stats, tlm::tlm_response_status status) {
    MeshAt mesh("mesh", {config.noc, 1, 1, map, stats}, ticker, {});
    const std::string said =
        read_by_way_of(mesh.targets[0], mesh.initiators[0], ticker, pool, status);
    return said + ", errors: " + std::to_string(mesh.traffic().error_responses);
}

std::string below_l2_slice_at(const RigConfig& config, const AddressMap& map, CycleTicker& ticker,
                              PayloadPool& pool, StatGroup& stats,
                              tlm::tlm_response_status status) {
    L2SliceAt slice("slice", {config.l2, 0, map, false, stats}, {ticker, pool, {}});
    return read_by_way_of(slice.target, slice.initiator, ticker, pool, status);
}

TEST(ForgottenStatus, IsNoSuccessBelowAnyApproximatelyTimedBlock) {
    constexpr auto kForgotten = tlm::TLM_INCOMPLETE_RESPONSE;
    EXPECT_THAT(read_below(below_crossbar_at, kForgotten), names_the_link("crossbar.initiator_0"));
    EXPECT_THAT(read_below(below_mesh_at, kForgotten), names_the_link("mesh.initiator_0"));
    EXPECT_THAT(read_below(below_l2_slice_at, kForgotten), names_the_link("slice.initiator"));
}

TEST(RefusedRead, ComesBackAsAnErrorAndIsCounted) {
    constexpr auto kRefused = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    const std::string status = std::to_string(kRefused);
    EXPECT_EQ(read_below(below_crossbar_at, kRefused), status + ", errors: 1");
    EXPECT_EQ(read_below(below_mesh_at, kRefused), status + ", errors: 1");
    EXPECT_EQ(read_below(below_l2_slice_at, kRefused), status);
}

TEST(DramChannelAlone, ReportsThatItServed) {
    const RigConfig config = one_slice();
    const AddressMap map(config.l2, config.dram);
    MemoryImage image;
    StatGroup stats("test");
    DramChannel channel("channel", {config.dram, 32, map, image, false, stats}, clock_domain(), {});
    Driver driver("driver", clock_domain());
    driver.socket.bind(channel.target);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    unsigned char data[32];
    EXPECT_EQ(driver.send(tlm::TLM_READ_COMMAND, 64, data, 32, 10).served_by, ServedBy::kDram);
    EXPECT_EQ(driver.send(tlm::TLM_WRITE_COMMAND, 64, data, 32, 10).served_by, ServedBy::kDram);
}

TEST(UnknownPhase, IsFatalOnEitherPath) {
    CycleTicker ticker("ticker", clock_domain());
    PayloadPool pool;
    StatGroup stats("test");
    L1CacheAt l1("l1", {L1Config{}, 32 * 1024, 128, false, stats}, {ticker, pool, {}});
    RogueInitiator above("above");
    RogueTarget below("below");
    above.socket.bind(l1.target);
    l1.initiator.bind(below.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    PooledPayload& payload = pool.acquire(tlm::TLM_READ_COMMAND, 64, 32);
    EXPECT_THAT(fatal([&] { above.send(payload, tlm::END_REQ); }),
                AllOf(HasSubstr("l1.target"), HasSubstr("unknown phase on the forward path")));
    EXPECT_THAT(fatal([&] { below.send(payload, tlm::BEGIN_REQ); }),
                AllOf(HasSubstr("l1.initiator"), HasSubstr("unknown phase on the backward path")));
    payload.release();
}

TEST(LooselyTimedChecker, CatchesAnInitiatorThatIsAMethod) {
    MemoryRig rig;
    unsigned char data[32];
    sc_core::sc_spawn_options options;
    options.spawn_method();
    sc_core::sc_spawn([&] { rig.drivers[0]->send(tlm::TLM_READ_COMMAND, 0, data, 32, 0); },
                      "method", &options);
    sc_core::sc_start(1, sc_core::SC_US);
    // From the driver down to DRAM.
    EXPECT_THAT(rig.violations(),
                testing::AllOf(testing::SizeIs(4),
                               testing::Each(HasSubstr("b_transport from an SC_METHOD"))));
}

/// SMs above a crossbar and one L2 slice, with an external DRAM, which waits, below.
TEST(WaitingMemory, StandsBelowAnL2SliceThatSeveralSmsUse) {
    constexpr std::uint32_t kSms = 3, kRegion = 4096;
    RigConfig config = one_slice();
    config.l2.sets_per_slice = 2;  // writes back all the time
    config.l2.ways = 2;
    config.l2.mshr_entries = 4;
    const AddressMap map(config.l2, config.dram);
    StatGroup stats("test");
    Crossbar crossbar("crossbar", {config.noc, kSms, 32, map, stats.child("noc")}, clock_domain(),
                      {});
    L2Slice slice("slice", {config.l2, 0, map, true, stats.child("l2")}, clock_domain(), {});
    ProtocolChecker checker("checker");
    vendor::Memory memory("memory", 1, kSms * kRegion, {50, sc_core::SC_NS}, true);
    crossbar.initiators[0].bind(slice.target);
    slice.initiator.bind(checker.target);
    checker.initiator.bind(memory.sockets[0]);
    std::vector<std::unique_ptr<Driver>> drivers;
    std::uint32_t finished = 0, wrong = 0;
    for (std::uint32_t sm = 0; sm < kSms; ++sm) {
        drivers.push_back(
            std::make_unique<Driver>(("driver_" + std::to_string(sm)).c_str(), clock_domain()));
        drivers.back()->socket.bind(crossbar.targets[sm]);
    }
    for (std::uint32_t sm = 0; sm < kSms; ++sm) {
        sc_core::sc_spawn([&, sm] {
            std::mt19937 random(sm + 1);
            std::vector<unsigned char> expected(kRegion);
            for (int i = 0; i < 500; ++i) {
                const auto bytes = 1 + static_cast<std::uint32_t>(random() % 32);
                const auto place = static_cast<std::uint32_t>(random() % (kRegion / 32) * 32);
                unsigned char data[32];
                for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
                const bool write = random() % 2 == 0;
                if (write) std::copy_n(data, bytes, expected.begin() + place);
                const Cycle now = clock_domain().now();
                const Access access =
                    drivers[sm]->send(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                      sm * kRegion + place, data, bytes, now);
                wrong += access.done < now || access.status != tlm::TLM_OK_RESPONSE ||
                         std::memcmp(data, expected.data() + place, bytes) != 0;
                sc_core::wait(clock_domain().span(access.done) - sc_core::sc_time_stamp());
            }
            ++finished;
        });
    }
    sc_core::sc_start();
    EXPECT_EQ(finished, kSms);
    EXPECT_EQ(wrong, 0U);
    EXPECT_GT(memory.reads(), 100U);
    EXPECT_GT(memory.writes(), 100U);
    std::vector<std::string> found;
    checker.check(found);
    slice.check(found);
    crossbar.check(found);
    EXPECT_THAT(found, IsEmpty());
}

/// Reads below an approximately-timed L1 have bytes of their own, and what a target puts there is
/// what the access gets, even if the target has no transport_dbg.
TEST(OutstandingReads, BringTheirOwnData) {
    CycleTicker ticker("ticker", clock_domain());
    PayloadPool pool;
    StatGroup stats("test");
    L1CacheAt l1("l1", {L1Config{}, 32 * 1024, 128, true, stats}, {ticker, pool, {}});
    AtDriver driver("driver", ticker, pool);
    RogueTarget below("below");
    driver.socket.bind(l1.target);
    l1.initiator.bind(below.socket);
    std::vector<Payload*> asked;
    below.on_fw = [&asked](Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
        if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
        asked.push_back(&payload);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    };
    unsigned char first[64] = {}, second[4] = {};
    driver.issue(tlm::TLM_READ_COMMAND, 0, first, sizeof first, 0);
    driver.issue(tlm::TLM_READ_COMMAND, 4096 + 8, second, sizeof second, 0);
    sc_core::sc_start(100, sc_core::SC_NS);
    ASSERT_GE(asked.size(), 2U);
    for (Payload* read : asked) {
        for (Payload* other : asked) {
            const auto* const begin = read->get_data_ptr();
            EXPECT_TRUE(read == other || other->get_data_ptr() >= begin + read->get_data_length() ||
                        other->get_data_ptr() + other->get_data_length() <= begin)
                << "two reads share bytes";
        }
        for (std::uint32_t i = 0; i < read->get_data_length(); ++i) {
            read->get_data_ptr()[i] = static_cast<unsigned char>(read->get_address() / 64 + i + 1);
        }
    }
    for (Payload* read : asked) below.respond(*read);
    sc_core::sc_start();
    ASSERT_EQ(driver.finished, 2U);
    EXPECT_EQ(first[0], 1);
    EXPECT_NE(first[63], 0);
    EXPECT_EQ(second[0], static_cast<unsigned char>(4096 / 64 + 8 + 1));
    EXPECT_EQ(second[3], static_cast<unsigned char>(4096 / 64 + 11 + 1));
}

}  // namespace
