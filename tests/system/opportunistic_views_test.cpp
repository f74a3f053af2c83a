// Do waveforms and timelines of opportunistic computing show what the statistics count?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <map>

#include "sc_models/run/observers.h"
#include "tests/support/opportunistic_machine.h"
#include "tests/support/saved_view.h"
#include "tests/support/trace_events.h"
#include "tests/support/vcd_reader.h"

namespace tessera {
namespace {

using test::machine;
using test::number;
using test::Sets;
using ::testing::IsEmpty;

RunReport run_observed(const Config& config, const ObserverOptions& options) {
    ObserverSet observers(options, config);
    Simulation simulation(config, observers.get());
    observers.finish_elaboration();
    RunReport report = simulation.run();
    observers.finish();
    return report;
}

/// An assignment can be followed from one SM over its node of the mesh to the other.
TEST(OpportunisticView, ShowsTheMeshBetweenTwoSms) {
    const Config config =
        machine("lenet5.C1.forward", {"opportunistic.scheme=inter", "workload.layer.batch=1",
                                      "timing=at", "statistics.full_detail=on"});
    ObserverOptions options;
    options.wave_file = ::testing::TempDir() + "mesh_" + std::to_string(getpid()) + ".vcd";
    options.scope = "sm0,sm3,memory.mesh";
    const RunReport report = run_observed(config, options);
    const auto vcd = test::VcdFile::read(options.wave_file, ClockDomain(config.gpu.core_clock_mhz));
    auto view = test::SavedView::read(TESSERA_SOURCE_DIR "/waveforms/mesh.gtkw");
    EXPECT_FALSE(view.signals.empty());
    EXPECT_THAT(view.missing_in(vcd), IsEmpty());
    constexpr Cycle kAlways = Cycle{1} << 40;
    EXPECT_GT(number(report, "/sm[0]/opportunistic/assignments/received"), 0U);
    EXPECT_EQ(vcd["sm0.opportunistic.received"].cycles_at(1, 0, kAlways),
              number(report, "/sm[0]/opportunistic/assignments/received"));
    EXPECT_GT(vcd["memory.mesh.node_0.sending"].cycles_at(1, 0, kAlways), 0U);
    std::filesystem::remove(options.wave_file);
}

/// Each assignment in flight holds the executor's work on it, whatever way it took.
class OpportunisticTimeline : public ::testing::TestWithParam<std::pair<const char*, Sets>> {
protected:
    static test::TraceTracks tracks_of(const Config& config, RunReport& report) {
        ObserverOptions options;
        options.timeline_file =
            ::testing::TempDir() + "flights_" + std::to_string(getpid()) + ".json";
        options.scope = "*";
        report = run_observed(config, options);
        std::ifstream in(options.timeline_file);
        auto tracks = test::read_tracks(nlohmann::json::parse(in));
        std::filesystem::remove(options.timeline_file);
        return tracks;
    }
};

TEST_P(OpportunisticTimeline, PairsAssignmentsInFlightWithTheWork) {
    Sets sets = {"workload.layer.batch=2", "opportunistic.scheme=inter"};
    sets.insert(sets.end(), GetParam().second.begin(), GetParam().second.end());
    RunReport report;
    const auto tracks = tracks_of(machine("lenet5.C1.forward", sets), report);
    EXPECT_THAT(test::partial_overlaps(tracks), IsEmpty());
    using Key = std::pair<std::string, std::uint64_t>;  // source, id
    struct Flight {
        std::string executor;
        std::uint64_t begin, end;
    };
    std::map<Key, Flight> flights;
    std::uint64_t refused = 0;
    for (const auto& [track, spans] : tracks) {
        const std::string sm = track.substr(0, track.find('/'));
        if (track.find("/assignments ") == std::string::npos) continue;
        std::uint64_t free = 0;
        for (const test::TraceSpan& span : spans) {
            const auto args = nlohmann::json::parse(span.args);
            const bool came_back = args.at("refused");
            refused += came_back ? 1 : 0;
            const std::string executor = came_back ? sm : span.name.substr(3);
            EXPECT_TRUE(
                flights.emplace(Key{sm, args.at("id")}, Flight{executor, span.begin, span.end})
                    .second);
            EXPECT_GE(span.begin, free) << track << ": one at a time";
            free = span.end;
        }
    }
    EXPECT_GT(flights.size(), 0U);
    EXPECT_EQ(flights.size(), number(report, "/sm/opportunistic/assignments/sent"));
    EXPECT_EQ(refused, number(report, "/sm/opportunistic/assignments/refused"));
    for (const auto& [track, spans] : tracks) {
        if (track.find("/assistant warp") == std::string::npos) continue;
        for (const test::TraceSpan& span : spans) {
            const auto args = nlohmann::json::parse(span.args);
            const Key key{"SM " + args.at("of_sm").dump(), args.at("id")};
            const auto flight = flights.find(key);
            ASSERT_NE(flight, flights.end()) << key.first << " sent no " << key.second;
            EXPECT_EQ(flight->second.executor, track.substr(0, track.find('/')));
            EXPECT_LT(flight->second.begin, span.begin) << "it has to cross the mesh first";
            EXPECT_GE(flight->second.end, span.end);
            flights.erase(flight);
        }
    }
    EXPECT_TRUE(flights.empty()) << "nobody worked on " << flights.size();
}

INSTANTIATE_TEST_SUITE_P(
    Settings, OpportunisticTimeline,
    ::testing::Values(std::pair{"lt", Sets{}}, std::pair{"at", Sets{"timing=at"}},
                      std::pair{"refusals", Sets{"opportunistic.credits=off",
                                                 "opportunistic.assign_queue_entries=1"}}),
    [](const auto& test) { return std::string(test.param.first); });

TEST(OpportunisticView, ShowsWhatTheStatisticsCount) {
    const Config config = machine(
        "lenet5.C1.forward",
        {"opportunistic.scheme=both", "workload.layer.batch=1", "statistics.full_detail=on"});
    ObserverOptions options;
    const std::string stem = ::testing::TempDir() + "opportunistic_" + std::to_string(getpid());
    options.wave_file = stem + ".vcd";
    options.timeline_file = stem + ".json";
    options.scope = "sm7";
    const RunReport report = run_observed(config, options);
    const auto vcd = test::VcdFile::read(options.wave_file, ClockDomain(config.gpu.core_clock_mhz));
    const std::string views = TESSERA_SOURCE_DIR "/waveforms/";
    auto view = test::SavedView::read(views + "opportunistic.gtkw");
    EXPECT_FALSE(view.signals.empty());
    EXPECT_THAT(view.missing_in(vcd), IsEmpty());
    for (const std::string& filter : view.filters) {
        EXPECT_FALSE(test::read_filter(views + filter).empty()) << filter;
    }
    constexpr Cycle kAlways = Cycle{1} << 40;
    const std::string unit = "/sm[7]/opportunistic/";
    const auto cycles_high = [&vcd](const char* signal) {
        return vcd[std::string("sm7.opportunistic.") + signal].cycles_at(1, 0, kAlways);
    };
    EXPECT_GT(number(report, unit + "assistant_cycles"), 0U);
    EXPECT_EQ(cycles_high("assistant_issue"), number(report, unit + "assistant_cycles"));
    EXPECT_EQ(cycles_high("predicted"), number(report, unit + "operations_predicted"));
    EXPECT_EQ(cycles_high("assigned"), number(report, unit + "operations_assigned"));

    std::ifstream in(options.timeline_file);
    const auto tracks = test::read_tracks(nlohmann::json::parse(in));
    const auto assistant = tracks.find("SM 7/assistant warp");
    ASSERT_NE(assistant, tracks.end());
    EXPECT_EQ(assistant->second.size(),
              number(report, unit + "assistant_operations") - number(report, unit + "abandoned"));
    std::filesystem::remove(options.wave_file);
    std::filesystem::remove(options.timeline_file);
}

/// A view for which waveforms/README.md gives a command.
struct DocumentedView {
    const char* timing;
    const char* scope;
    const char* window;
    std::vector<std::string> signals;
};
class DocumentedCycles : public ::testing::TestWithParam<DocumentedView> {};

/// A view of nothing would be of no use.
TEST_P(DocumentedCycles, HaveSomethingOfEverything) {
    const Config config =
        machine("lenet5.C1.forward",
                {"opportunistic.scheme=both", "timing=" + std::string(GetParam().timing)});
    ObserverOptions options;
    options.wave_file = ::testing::TempDir() + "documented_" + std::to_string(getpid()) + ".vcd";
    options.scope = GetParam().scope;
    options.window = CycleWindow::parse(GetParam().window, "--wave-window");
    run_observed(config, options);
    const auto vcd = test::VcdFile::read(options.wave_file, ClockDomain(config.gpu.core_clock_mhz));
    std::filesystem::remove(options.wave_file);
    for (const std::string& signal : GetParam().signals) {
        EXPECT_GT(vcd[signal].cycles_at(1, 0, Cycle{1} << 40), 0U) << signal;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Views, DocumentedCycles,
    ::testing::Values(DocumentedView{"lt",
                                     "sm7",
                                     "0:4000",
                                     {"sm7.opportunistic.assistant_issue",
                                      "sm7.opportunistic.predicted", "sm7.opportunistic.assigned",
                                      "sm7.opportunistic.received"}},
                      DocumentedView{"at",
                                     "sm0,sm3,memory.mesh",
                                     "0:1000",
                                     {"sm3.opportunistic.assigned", "memory.mesh.node_3.sending",
                                      "sm0.opportunistic.received", "memory.mesh.node_0.receiving",
                                      "memory.mesh.node_7.sending"}}),
    [](const auto& test) { return std::string(test.param.timing); });

}  // namespace
}  // namespace tessera
