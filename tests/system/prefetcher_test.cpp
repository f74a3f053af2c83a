// Does an external prefetcher plug into the L1s, at both levels of timing, and does it see each
// warp's loads as streams?
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>

#include "sc_models/gpu/machine_parts.h"
#include "sc_models/run/simulation.h"
#include "tests/support/in_child.h"
#include "tests/support/prefetch_by.h"
#include "tests/support/small_runs.h"

namespace tessera {
namespace {

using testing::IsEmpty;

/// The machine as configured, with a prefetcher in every SM.
PartsFactory with_prefetcher(std::function<std::unique_ptr<Prefetcher>()> make) {
    class Parts : public MachineParts {
    public:
        Parts(const Config& config, StatGroup& statistics,
              std::function<std::unique_ptr<Prefetcher>()> make)
            : MachineParts(config, statistics), make_(std::move(make)) {}
        [[nodiscard]] std::unique_ptr<Prefetcher> make_prefetcher() override { return make_(); }

    private:
        std::function<std::unique_ptr<Prefetcher>()> make_;
    };
    return [make = std::move(make)](const Config& config, StatGroup& statistics) {
        return std::make_unique<Parts>(config, statistics, make);
    };
}

/// A product whose fragments lie in rows that each step of k reads 32 bytes further on.
Config product(Timing timing) {
    Config config = test::small_machine({"product", [](WorkloadConfig& w) {
                                             w.kind = WorkloadKind::kGemm;
                                             w.gemm = {64, 32, 256};
                                         }});
    config.timing = timing;
    config.protocol_check = true;
    return config;
}

std::uint64_t number(const nlohmann::ordered_json& statistics, const char* path) {
    return statistics.at(nlohmann::ordered_json::json_pointer(path)).get<std::uint64_t>();
}

const auto kTimings = testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed);
std::string timing_name(const testing::TestParamInfo<Timing>& info) {
    return info.param == Timing::kLooselyTimed ? "lt" : "at";
}

class PrefetcherOfAProgram : public testing::TestWithParam<Timing> {};

TEST_P(PrefetcherOfAProgram, TurnsMissesIntoHitsAndLeavesTheValues) {
    const Config config = product(GetParam());
    const auto without = nlohmann::ordered_json::parse(test::in_child([&config] {
        const RunReport report = Simulation(config, {}).run();
        if (!report.good()) return std::string("not good");
        nlohmann::ordered_json found = report.kernels.back().statistics;
        found["cycles"] = report.kernels.back().result.cycles;
        return found.dump();
    }));
    EXPECT_FALSE(without.at("sm").at("l1").contains("prefetch"));

    const RunReport report =
        Simulation(config, {}, nullptr,
                   {with_prefetcher([] { return test::PrefetchBy::distance(32); }), {}})
            .run();
    EXPECT_TRUE(report.complete);
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_TRUE(report.verification.checked);
    EXPECT_EQ(report.verification.mismatches, 0U) << report.verification.first_mismatch;

    const auto& with = report.kernels.back().statistics;
    const auto of = [&with](const char* counter) {
        return number(with, (std::string("/sm/l1/prefetch/") + counter).c_str());
    };
    EXPECT_EQ(number(with, "/sm/l1/reads"), number(without, "/sm/l1/reads"));
    EXPECT_LT(number(with, "/sm/l1/read_misses"), number(without, "/sm/l1/read_misses"));
    EXPECT_LT(report.kernels.back().result.cycles, number(without, "/cycles"));
    EXPECT_GT(of("useful") + of("late"), of("issued") * 3 / 4);
    EXPECT_EQ(number(with, "/sm/l1/read_misses") + of("issued"),
              number(with, "/sm/l1/read_sectors_below"));
}

INSTANTIATE_TEST_SUITE_P(Timings, PrefetcherOfAProgram, kTimings, timing_name);

/// The report of a program with its own prefetcher, on `threads` host threads. Many loads hit as a
/// whole while their prefetches miss: a hit must not wait for them.
std::string report_on(std::uint32_t threads) {
    Config config = product(Timing::kLooselyTimed);
    config.protocol_check = false;
    config.values = false;
    config.workload.gemm = {256, 256, 64};  // in the end all of it is in the caches
    config.l1.mshr_entries = 256;
    config.l1.hit_latency_cycles = 5;  // far below a quantum
    config.host.threads = threads;
    const RunReport report =
        Simulation(config, {}, nullptr,
                   {with_prefetcher([] { return test::PrefetchBy::distance(4096); }), {}})
            .run();
    return fmt::format("{} cycles on {} threads\n{}", report.kernels.back().result.cycles,
                       report.host_threads, report.kernels.back().statistics_text);
}

TEST(Prefetcher, IsTheSameOnSeveralThreads) {
    setenv("TESSERA_TAKE_ALL_TURNS", "1", 1);
    std::string several = test::in_child([] { return report_on(3); });
    const std::size_t at = several.find("on 3 threads");
    ASSERT_NE(at, std::string::npos) << several.substr(0, 60);
    several[at + 3] = '1';
    EXPECT_EQ(test::in_child([] { return report_on(1); }), several);
}

/// Addresses that each stream of the only busy SM reads, in order, as text.
std::string streams(Timing timing) {
    std::map<std::uint32_t, std::vector<Address>> seen;
    Config config = product(timing);
    config.gpu.sms = 1;
    const auto watch = [&seen](std::uint32_t stream, Address address, std::vector<Address>&) {
        seen[stream].push_back(address);
    };
    const RunReport report =
        Simulation(
            config, {}, nullptr,
            {with_prefetcher([&watch] { return std::make_unique<test::PrefetchBy>(watch); }), {}})
            .run();
    std::string text = report.good() ? "" : "not good\n";
    for (const auto& [stream, addresses] : seen) {
        text += std::to_string(stream) + ":";
        for (const Address address : addresses) text += " " + std::to_string(address);
        text += "\n";
    }
    return text;
}

TEST(Streams, AreTheSameAtBothLevelsOfTiming) {
    const std::string lt = test::in_child([] { return streams(Timing::kLooselyTimed); });
    const std::string at = test::in_child([] { return streams(Timing::kApproximatelyTimed); });
    EXPECT_EQ(lt, at);
}

/// A warp comes back to the register of a fragment every second step of k, 64 bytes further on in
/// each row of A.
TEST(Streams, AreThoseOfTheRowsOfAWarpsFragments) {
    std::istringstream lines(test::in_child([] { return streams(Timing::kLooselyTimed); }));
    std::size_t steady = 0, others = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(line.find(':') + 1));
        std::vector<Address> addresses;
        for (Address address = 0; words >> address;) addresses.push_back(address);
        std::size_t same = 0;
        for (std::size_t i = 2; i < addresses.size(); ++i) {
            same += addresses[i] - addresses[i - 1] == addresses[1] - addresses[0] ? 1 : 0;
        }
        ++(addresses.size() > 2 && same + 2 == addresses.size() ? steady : others);
    }
    EXPECT_GT(steady, 100U);
    EXPECT_LT(others, steady / 4);
}

}  // namespace
}  // namespace tessera
