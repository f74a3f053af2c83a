// Whole runs over a mesh, at both levels of timing: do they finish, conserve and repeat themselves,
// and do waveforms show every flit?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/simulation.h"
#include "tests/support/in_child.h"
#include "tests/support/small_runs.h"

namespace tessera {
namespace {

using test::in_child;
using testing::IsEmpty;

Config mesh_machine(Timing timing) {
    Config config = test::small_machine(test::small_workloads()[0]);
    config.timing = timing;
    config.gpu.sms = 6;
    config.l2.slices = config.dram.channels = 2;
    config.noc.kind = NocKind::kMesh;
    config.noc.mesh.width = 4;
    config.noc.mesh.height = 2;
    return config;
}

std::uint64_t number(const nlohmann::ordered_json& statistics, const char* path) {
    return statistics.at(nlohmann::ordered_json::json_pointer(path)).get<std::uint64_t>();
}

/// Adds up the pulses of signals by name and remembers the highest value each was set to.
class PulseCounter : public WaveRecorder {
public:
    Signal add(std::string_view scope, std::string_view name, std::uint32_t /*width*/) override {
        const bool mesh = scope.find("mesh") != std::string_view::npos;
        names_.emplace_back(mesh ? name : "other");
        ++added[names_.back()];
        return static_cast<Signal>(names_.size() - 1);
    }
    void set(Signal signal, Cycle /*at*/, std::uint64_t value) override {
        std::uint64_t& most = highest[names_[signal]];
        most = std::max(most, value);
    }
    void pulse(Signal signal, Cycle /*at*/, Cycle cycles) override {
        pulsed[names_[signal]] += cycles;
    }
    std::map<std::string, std::uint64_t> added, pulsed, highest;

private:
    std::vector<std::string> names_;
};

class MeshMachine : public testing::TestWithParam<Timing> {};

TEST_P(MeshMachine, FinishesConservesAndComputes) {
    PulseCounter waves;
    RunObservers observers;
    observers.blocks.wave = &waves;
    Simulation simulation(mesh_machine(GetParam()), observers);
    const RunReport report = simulation.run();
    EXPECT_TRUE(report.good());
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_EQ(report.verification.mismatches, 0U);
    std::uint64_t flits = 0;
    for (const KernelReport& kernel : report.kernels) {
        const auto& s = kernel.statistics;
        const std::uint64_t requests =
            number(s, "/memory/mesh/read_requests") + number(s, "/memory/mesh/write_requests");
        EXPECT_EQ(
            number(s, "/memory/mesh/read_responses") + number(s, "/memory/mesh/write_acceptances"),
            requests);
        EXPECT_EQ(number(s, "/memory/mesh/packets_in"), 2 * requests);
        EXPECT_EQ(number(s, "/memory/mesh/flits_in"), number(s, "/memory/mesh/flits_out"));
        // A header each, and the data, 16 bytes a flit.
        EXPECT_EQ(number(s, "/memory/mesh/flits_in"),
                  2 * requests + (number(s, "/memory/mesh/read_bytes") +
                                  number(s, "/memory/mesh/write_bytes")) /
                                     16);
        std::uint64_t links = 0;
        for (const char* direction : {"west", "east", "north", "south"}) {
            links += number(s, ("/memory/mesh/node/" + std::string(direction) + "_flits").c_str());
        }
        EXPECT_EQ(links, number(s, "/memory/mesh/flit_hops"));
        flits += number(s, "/memory/mesh/flits_in");
    }
    EXPECT_GT(flits, 1000U);
    EXPECT_EQ(waves.added["sending"], 8U) << "one a node";
    EXPECT_EQ(waves.added["receiving"], 8U);
    EXPECT_EQ(waves.pulsed["sending"], flits);
    EXPECT_EQ(waves.pulsed["receiving"], flits);
    if (GetParam() == Timing::kApproximatelyTimed) {
        EXPECT_GT(waves.highest["buffered_flits"], 4U);
        EXPECT_GT(waves.highest["queued_packets"], 0U);
    }
    const auto busiest = report.metrics.at("mesh_busiest_link_percent").get<double>();
    EXPECT_GT(busiest, report.metrics.at("mesh_link_utilisation_percent").get<double>());
    EXPECT_LE(busiest, 100.0);
}

TEST_P(MeshMachine, RepeatsItself) {
    const auto run = [] {
        Simulation simulation(mesh_machine(GetParam()), {});
        std::string text;
        for (const KernelReport& kernel : simulation.run().kernels) text += kernel.statistics_csv;
        return text;
    };
    EXPECT_EQ(in_child(run), in_child(run));
}

INSTANTIATE_TEST_SUITE_P(Timings, MeshMachine,
                         testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                         [](const auto& each) {
                             return each.param == Timing::kLooselyTimed ? "lt" : "at";
                         });

TEST(Gtx480, IsTheMachineOfTableOne) {
    ConfigSource source;
    ConfigCatalog().add_to(source, "gtx480_56sm");
    const Config config = load_config(source);
    EXPECT_EQ(config.gpu.sms, 56U);
    EXPECT_EQ(config.gpu.core_clock_mhz, 1400U);
    EXPECT_EQ(config.dram.clock_mhz, 924U);
    EXPECT_EQ(config.dram.channels, 8U);
    EXPECT_EQ(config.sm.l1_cache_bytes(), 16U * 1024);
    EXPECT_EQ(config.l1.sets(config.sm.l1_cache_bytes()), 32U);
    EXPECT_EQ(config.l2.sets_per_slice * config.l2.ways * config.l2.line_bytes, 64U * 1024);
    EXPECT_EQ(config.l2.slices, 8U);
    EXPECT_EQ(config.noc.kind, NocKind::kMesh);
    EXPECT_EQ(config.noc.mesh.width * config.noc.mesh.height, 64U);
}

}  // namespace
}  // namespace tessera
