// Whole runs on a memory from outside, in each place and at both levels of timing: do they finish,
// conserve, keep to the base protocol and compute exactly?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <tuple>

#include "sc_models/common/error.h"
#include "sc_models/run/simulation.h"
#include "tests/support/awkward_memory.h"
#include "tests/support/small_runs.h"

namespace tessera {
namespace {

using test::AwkwardHabits;
using test::AwkwardMemory;
using testing::HasSubstr;
using testing::IsEmpty;

Config machine(Timing timing) {
    Config config = test::small_machine(test::small_workloads()[0]);
    config.timing = timing;
    config.protocol_check = true;
    // The L2 is so small that sectors are fetched again while their write-backs are in flight.
    config.l2.sets_per_slice = 1;
    config.l2.ways = 2;
    return config;
}

/// A run on an AwkwardMemory, and the memory.
struct ForeignRun {
    std::unique_ptr<AwkwardMemory> memory;
    RunReport report;

    ForeignRun(const Config& config, MemoryPlace place, const AwkwardHabits& habits) {
        MachineSeams seams;
        seams.memory.place = place;
        seams.memory.make = [this, &habits](std::uint32_t links) {
            memory = std::make_unique<AwkwardMemory>("awkward", links, habits);
            ForeignMemory::Sockets sockets;
            for (auto& socket : memory->sockets) sockets.push_back(&socket);
            return sockets;
        };
        Simulation simulation(config, {}, nullptr, seams);
        report = simulation.run();
    }
    void expect_good() const {
        EXPECT_TRUE(report.complete);
        EXPECT_THAT(report.violations, IsEmpty());
        EXPECT_TRUE(report.verification.checked);
        EXPECT_EQ(report.verification.mismatches, 0U) << report.verification.first_mismatch;
        EXPECT_GT(memory->served, 0U);
    }
};

struct NamedHabits {
    const char* name;
    AwkwardHabits habits;
};
constexpr NamedHabits kHabits[] = {{"plain", {}},
                                   {"waiting", {true, false, false, false, false}},
                                   {"endless", {false, true, false, false, false}},
                                   {"moving", {false, false, true, false, false}}};

using Case = std::tuple<Timing, MemoryPlace, NamedHabits>;
class ForeignMemoryRun : public testing::TestWithParam<Case> {};

TEST_P(ForeignMemoryRun, IsExact) {
    const auto& [timing, place, habits] = GetParam();
    Config config = machine(timing);
    config.protocol_check = !habits.habits.moves;  // the checker wants addresses unchanged
    const ForeignRun run(config, place, habits.habits);
    run.expect_good();
    // Blocks that the memory stands in place of are not there.
    const auto& statistics = run.report.kernels.back().statistics;
    const auto memory = statistics.value("memory", nlohmann::ordered_json::object());
    EXPECT_EQ(memory.contains("crossbar"), place != MemoryPlace::kBelowL1);
    EXPECT_EQ(memory.contains("l2"), place == MemoryPlace::kBelowL2);
    EXPECT_FALSE(memory.contains("dram"));
}

/// Without checkers our own blocks call each other's sockets, and time goes on in the midst of
/// them, too.
TEST_P(ForeignMemoryRun, IsExactWithNothingInBetween) {
    const auto& [timing, place, habits] = GetParam();
    Config config = machine(timing);
    config.protocol_check = false;
    ForeignRun(config, place, habits.habits).expect_good();
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
    constexpr const char* kPlaces[] = {"BelowL1", "BelowNoc", "BelowL2"};
    const auto& [timing, place, habits] = info.param;
    return std::string(timing == Timing::kLooselyTimed ? "lt" : "at") +
           kPlaces[static_cast<std::size_t>(place)] + "_" + habits.name;
}

INSTANTIATE_TEST_SUITE_P(
    All, ForeignMemoryRun,
    testing::Combine(testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                     testing::Values(MemoryPlace::kBelowL1, MemoryPlace::kBelowNoc,
                                     MemoryPlace::kBelowL2),
                     testing::ValuesIn(kHabits)),
    name_of);

class ForeignMemoryAt : public testing::TestWithParam<Timing> {};

TEST_P(ForeignMemoryAt, MayStandBelowAMesh) {
    Config config = machine(GetParam());
    config.gpu.sms = 6;
    config.l2.slices = config.dram.channels = 2;
    config.noc.kind = NocKind::kMesh;
    config.noc.mesh.width = 4;
    config.noc.mesh.height = 2;
    ForeignRun(config, MemoryPlace::kBelowNoc, {}).expect_good();
}

TEST_P(ForeignMemoryAt, ThatCorruptsDataIsFound) {
    AwkwardHabits habits;
    habits.corrupts = true;
    const ForeignRun run(machine(GetParam()), MemoryPlace::kBelowL1, habits);
    EXPECT_TRUE(run.report.complete);
    EXPECT_GT(run.report.verification.mismatches, 0U);
    EXPECT_FALSE(run.report.good());
}

TEST_P(ForeignMemoryAt, ThatIgnoresAtomicAddsIsFoundOut) {
    Config config = machine(GetParam());
    config.workload.kind = WorkloadKind::kDirectConvolution;
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    try {
        const ForeignRun run(config, MemoryPlace::kBelowNoc, {});
        FAIL() << "nobody noticed";
    } catch (const sc_core::sc_report& report) {
        EXPECT_THAT(report.get_msg(), HasSubstr("has not carried out the atomic add"));
    }
}

TEST_P(ForeignMemoryAt, LeavesAtomicAddsToOurL2) {
    Config config = machine(GetParam());
    config.workload.kind = WorkloadKind::kDirectConvolution;
    const ForeignRun run(config, MemoryPlace::kBelowL2, {});
    EXPECT_TRUE(run.report.complete);
    EXPECT_THAT(run.report.violations, IsEmpty());
    EXPECT_TRUE(run.report.verification.passed()) << run.report.verification.first_mismatch;
}

TEST_P(ForeignMemoryAt, ThatNeverAnswersIsADeadlockEvenIfItHasEventsForEver) {
    AwkwardHabits habits;
    habits.deaf = habits.endless = true;
    EXPECT_THROW(ForeignRun(machine(GetParam()), MemoryPlace::kBelowL2, habits), DeadlockError);
}

INSTANTIATE_TEST_SUITE_P(BothTimings, ForeignMemoryAt,
                         testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                         [](const auto& named) {
                             return named.param == Timing::kLooselyTimed ? "lt" : "at";
                         });

/// The error for a memory of `sockets` sockets; with `one_missing`, the last is null.
std::string refusal(MemoryPlace place, std::uint32_t sockets, bool one_missing = false,
                    NocKind noc = NocKind::kCrossbar) {
    AwkwardMemory memory("awkward", sockets, {});
    MachineSeams seams;
    seams.memory.place = place;
    seams.memory.make = [&](std::uint32_t /*links*/) {
        ForeignMemory::Sockets given;
        for (auto& socket : memory.sockets) given.push_back(&socket);
        if (one_missing) given.back() = nullptr;
        return given;
    };
    Config config = machine(Timing::kLooselyTimed);
    config.noc.kind = noc;
    try {
        const Simulation simulation(config, {}, nullptr, seams);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "nothing";
}

TEST(ForeignMemoryRefused, SocketsForOtherThanAllSms) {
    EXPECT_THAT(refusal(MemoryPlace::kBelowL1, 4),
                HasSubstr("the foreign memory below the L1 caches gave 4 target sockets, expected "
                          "2: one for each SM"));
}

TEST(ForeignMemoryRefused, SocketsForOtherThanAllSlices) {
    EXPECT_THAT(refusal(MemoryPlace::kBelowNoc, 3),
                HasSubstr("the foreign memory below the network gave 3 target sockets, expected 4: "
                          "one for each L2 slice"));
}

TEST(ForeignMemoryRefused, ASocketThatIsMissing) {
    EXPECT_THAT(refusal(MemoryPlace::kBelowL2, 4, true),
                HasSubstr("the foreign memory below the L2 slices gave 3 target sockets, expected "
                          "4: one for each L2 slice"));
}

TEST(ForeignMemoryRefused, BelowL1sOfAMachineWithAMesh) {
    EXPECT_THAT(refusal(MemoryPlace::kBelowL1, 2, false, NocKind::kMesh),
                HasSubstr("noc.kind: got 'mesh', expected 'crossbar'"));
}

}  // namespace
}  // namespace tessera
