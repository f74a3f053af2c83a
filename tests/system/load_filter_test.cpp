// Does an external mechanism on loads plug in, at both levels of timing?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>

#include "sc_models/gpu/machine_parts.h"
#include "sc_models/run/simulation.h"
#include "sc_models/sm/load_filter_chain.h"
#include "tests/support/in_child.h"
#include "tests/support/small_runs.h"
#include "tests/system/l0_filter.h"

namespace tessera {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// The machine as configured, with such a buffer in every SM.
class L0Parts : public MachineParts {
public:
    L0Parts(const Config& config, StatGroup& statistics, bool blind)
        : MachineParts(config, statistics), sub_cores_(config.sm.sub_cores), blind_(blind) {}
    [[nodiscard]] std::unique_ptr<LoadFilter> make_load_filter(
        const DevicePlace& /*place*/) override {
        return std::make_unique<L0Filter>(sub_cores_, blind_);
    }
    [[nodiscard]] static PartsFactory factory(bool blind = false) {
        return [blind](const Config& config, StatGroup& statistics) {
            return std::make_unique<L0Parts>(config, statistics, blind);
        };
    }

private:
    const std::uint32_t sub_cores_;
    const bool blind_;
};

/// CTAs of 64 x 32 of a product; four at a time an SM read the same two columns of B fragments.
Config product(Timing timing, std::uint32_t octet_accesses = 1) {
    Config config = test::small_machine({"product", [](WorkloadConfig& w) {
                                             w.kind = WorkloadKind::kGemm;
                                             w.gemm = {512, 32, 96};
                                         }});
    config.timing = timing;
    config.ldst.octet_l1_accesses = octet_accesses;
    return config;
}

std::uint64_t number(const nlohmann::ordered_json& statistics, const char* path) {
    return statistics.at(nlohmann::ordered_json::json_pointer(path)).get<std::uint64_t>();
}

class L0Buffer : public testing::TestWithParam<std::tuple<Timing, std::uint32_t>> {};

TEST_P(L0Buffer, ServesFragmentsOfBAndLeavesTheValues) {
    const Config config = product(std::get<0>(GetParam()), std::get<1>(GetParam()));
    const auto without = nlohmann::ordered_json::parse(test::in_child([&config] {
        const RunReport report = Simulation(config, {}).run();
        return report.good() ? report.kernels.back().statistics.dump() : "not good";
    }));

    const RunReport report = Simulation(config, {}, nullptr, {L0Parts::factory(), {}}).run();
    EXPECT_TRUE(report.complete);
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_TRUE(report.verification.checked);
    EXPECT_EQ(report.verification.outputs, 512U * 32U);
    EXPECT_EQ(report.verification.mismatches, 0U) << report.verification.first_mismatch;

    const auto& with = report.kernels.back().statistics;
    const std::uint64_t hits = number(with, "/sm/ldst/l0/hits");
    const std::uint64_t misses = number(with, "/sm/ldst/l0/misses");
    const std::uint64_t rows_of_fragment = kFragmentRows * std::get<1>(GetParam());
    const auto rows = [](const nlohmann::ordered_json& of, const char* side) {
        return number(of, (std::string("/sm/ldst/") + side + "_rows_requested").c_str());
    };
    EXPECT_GT(hits, 0U);
    EXPECT_EQ(report.metrics.at("l0_hits"), hits);
    EXPECT_EQ(number(with, "/sm/ldst/checked_hits"), hits) << "each is compared with memory";
    // A hit asks the L1 for nothing; a miss for each row once, whatever the octet copies.
    EXPECT_EQ(rows(without, "b"), (hits + misses) * rows_of_fragment);
    EXPECT_EQ(rows(with, "b"), misses * kFragmentRows);
    EXPECT_EQ(rows(with, "a"), rows(without, "a")) << "the buffer does not want them";
    EXPECT_EQ(number(without, "/sm/ldst/requests") - number(with, "/sm/ldst/requests"),
              rows(without, "b") - rows(with, "b"));
    EXPECT_LT(number(with, "/sm/l1/reads"), number(without, "/sm/l1/reads"));
}

const auto kTimings = testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed);
std::string timing_name(Timing timing) {
    return timing == Timing::kLooselyTimed ? "lt" : "at";
}

INSTANTIATE_TEST_SUITE_P(Timings, L0Buffer, testing::Combine(kTimings, testing::Values(1U, 2U)),
                         [](const auto& param) {
                             return timing_name(std::get<0>(param.param)) + "_octets_" +
                                    std::to_string(std::get<1>(param.param));
                         });

class BlindL0Buffer : public testing::TestWithParam<Timing> {};

TEST_P(BlindL0Buffer, IsCaughtByTheValues) {
    const RunReport report =
        Simulation(product(GetParam()), {}, nullptr, {L0Parts::factory(true), {}}).run();
    EXPECT_TRUE(report.complete);
    EXPECT_THAT(report.violations,
                Contains(HasSubstr("hits named a register with other data: address 0x")));
    EXPECT_THAT(report.violations, Contains(HasSubstr("(fragment at ")));
    EXPECT_GT(report.verification.mismatches, 0U);
}

INSTANTIATE_TEST_SUITE_P(Timings, BlindL0Buffer, kTimings,
                         [](const auto& param) { return timing_name(param.param); });

/// Duplo's filter of A fragments and the buffer for B fragments in one machine, in a chain.
class ChainedParts : public MachineParts {
public:
    ChainedParts(const Config& config, StatGroup& statistics)
        : MachineParts(config, statistics), sub_cores_(config.sm.sub_cores) {}
    [[nodiscard]] std::unique_ptr<LoadFilter> make_load_filter(const DevicePlace& place) override {
        std::vector<std::unique_ptr<LoadFilter>> filters;
        filters.push_back(MachineParts::make_load_filter(place));
        filters.push_back(std::make_unique<L0Filter>(sub_cores_));
        return std::make_unique<LoadFilterChain>(std::move(filters));
    }
    [[nodiscard]] static PartsFactory factory() {
        return [](const Config& config, StatGroup& statistics) {
            return std::make_unique<ChainedParts>(config, statistics);
        };
    }

private:
    const std::uint32_t sub_cores_;
};

/// A lowered convolution with Duplo, whose units are whole fragments as those of the buffer.
Config convolution(Timing timing) {
    Config config = test::small_machine(
        {"layer", [](WorkloadConfig& w) { test::set_layer(w, 2, 12, 12, 32, 48, 3, 1, 1); }});
    config.timing = timing;
    config.duplo.enabled = true;
    config.duplo.granularity = Granularity::kTile16;
    config.duplo.octet_copies = 1;
    config.duplo.hit_frees_slot = true;
    config.duplo.latency_cycles = 5;
    return config;
}

class FilterChain : public testing::TestWithParam<Timing> {};

TEST_P(FilterChain, EachFilterServesItsFragments) {
    const Config config = convolution(GetParam());
    const auto alone = nlohmann::ordered_json::parse(test::in_child([&config] {
        const RunReport report = Simulation(config, {}).run();
        return report.good() ? report.kernels.back().statistics.dump() : "not good";
    }));
    const RunReport report = Simulation(config, {}, nullptr, {ChainedParts::factory(), {}}).run();
    EXPECT_TRUE(report.complete);
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_TRUE(report.verification.checked);
    EXPECT_EQ(report.verification.mismatches, 0U) << report.verification.first_mismatch;

    const auto& both = report.kernels.back().statistics;
    const std::uint64_t hits_of_b = number(both, "/sm/ldst/l0/hits");
    const std::uint64_t misses_of_b = number(both, "/sm/ldst/l0/misses");
    EXPECT_GT(hits_of_b, 0U);
    // The detection unit sees the same loads of A as without the buffer, and none of B.
    EXPECT_EQ(number(both, "/sm/ldst/detection/loads"), number(alone, "/sm/ldst/detection/loads"));
    EXPECT_GT(report.metrics.at("hit_rate_percent").get<double>(), 0);
    EXPECT_EQ(report.metrics.at("l0_hits"), hits_of_b);
    EXPECT_EQ(number(both, "/sm/ldst/b_rows_requested"), misses_of_b * kFragmentRows);
    EXPECT_GT(number(both, "/sm/ldst/checked_hits"), hits_of_b) << "hits of both are compared";
    EXPECT_EQ(number(both, "/sm/ldst/value_mismatches"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Timings, FilterChain, kTimings,
                         [](const auto& param) { return timing_name(param.param); });

/// A filter that wants one role, names register 3 for everything, and records its calls.
class RecordingFilter : public L0Filter {
public:
    RecordingFilter(FragmentRole role, std::uint32_t latency_cycles)
        : L0Filter(1), role_(role), latency_cycles_(latency_cycles) {}
    [[nodiscard]] FilterTraits traits() const override {
        return {FragmentUnits(kFragmentRows, 1), latency_cycles_, true};
    }
    [[nodiscard]] bool wants(FragmentRole role) const override { return role == role_; }
    void begin(Cycle /*now*/, const FilteredLoad& /*load*/) override { ++loads; }
    [[nodiscard]] FilterAnswer look_up(Cycle /*now*/, std::uint32_t /*unit*/) override {
        return {AccessKind::kMiss, PhysRegId(3), kNever};
    }
    void set_ready(PhysRegId phys, Cycle cycle) override { ready.emplace_back(phys, cycle); }
    void note_store(Address /*address*/, std::uint64_t /*bytes*/) override { ++stores; }
    void release_warp(std::uint32_t /*warp*/, Cycle /*now*/) override { ++releases; }

    std::uint32_t loads = 0, stores = 0, releases = 0;
    std::vector<std::pair<PhysRegId, Cycle>> ready;

private:
    const FragmentRole role_;
    const std::uint32_t latency_cycles_;
};

TEST(LoadFilterChain, PassesEachCallToItsFilter) {
    std::vector<std::unique_ptr<LoadFilter>> filters;
    std::vector<RecordingFilter*> made;
    for (const auto& [role, latency] :
         {std::pair(FragmentRole::kA, 5U), std::pair(FragmentRole::kB, 2U),
          std::pair(FragmentRole::kB, 9U)}) {
        auto filter = std::make_unique<RecordingFilter>(role, latency);
        made.push_back(filter.get());
        filters.push_back(std::move(filter));
    }
    LoadFilterChain chain(std::move(filters));
    EXPECT_EQ(chain.traits().latency_cycles, 2U);
    EXPECT_FALSE(chain.wants(FragmentRole::kNone));

    const auto name_of = [&chain](FragmentRole role) {
        FilteredLoad load;
        load.role = role;
        chain.begin(10, load);
        return chain.look_up(10, 0).phys.value();
    };
    EXPECT_EQ(name_of(FragmentRole::kA), 3U * 3 + 0);
    EXPECT_EQ(chain.late(), 3U) << "its latency is 5";
    EXPECT_EQ(name_of(FragmentRole::kB), 3U * 3 + 1) << "the first filter that wants B";
    EXPECT_EQ(chain.late(), 0U);
    chain.set_ready(PhysRegId(10), 50);
    chain.note_store(0, 32);
    chain.release_warp(0, 60);
    EXPECT_EQ(made[0]->loads, 1U);
    EXPECT_EQ(made[1]->loads, 1U);
    EXPECT_EQ(made[2]->loads, 0U);
    EXPECT_THAT(made[0]->ready, IsEmpty());
    EXPECT_THAT(made[1]->ready, testing::ElementsAre(testing::Pair(PhysRegId(3), 50U)));
    for (const RecordingFilter* filter : made) {
        EXPECT_EQ(filter->stores, 1U);
        EXPECT_EQ(filter->releases, 1U);
    }
}

/// Filters that differ in what the LDST unit assumes of all of them.
TEST(LoadFilterChain, RefusesFiltersThatDoNotFit) {
    class Other : public L0Filter {
    public:
        Other(FragmentUnits units, bool hit_frees_slot)
            : L0Filter(1), units_(units), hit_frees_slot_(hit_frees_slot) {}
        [[nodiscard]] FilterTraits traits() const override { return {units_, 1, hit_frees_slot_}; }

    private:
        const FragmentUnits units_;
        const bool hit_frees_slot_;
    };
    const auto chain = [](FragmentUnits units, bool hit_frees_slot) {
        std::vector<std::unique_ptr<LoadFilter>> filters;
        filters.push_back(std::make_unique<L0Filter>(1));
        filters.push_back(std::make_unique<Other>(units, hit_frees_slot));
        return LoadFilterChain(std::move(filters)).traits().latency_cycles;
    };
    EXPECT_EQ(chain({kFragmentRows, 1}, true), 1U) << "the lowest latency";
    EXPECT_THROW(chain({kFragmentRows, 2}, true), ConfigError);
    EXPECT_THROW(chain({1, 1}, true), ConfigError);
    EXPECT_THROW(chain({kFragmentRows, 1}, false), ConfigError);
}

}  // namespace
}  // namespace tessera
