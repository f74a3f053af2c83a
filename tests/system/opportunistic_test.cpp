// Does opportunistic computing finish, conserve, compute every operation once, and see its mutants?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>

#include "sc_models/config/engine/config_source.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/observers.h"
#include "sc_models/run/simulation.h"
#include "tests/support/saved_view.h"
#include "tests/support/trace_events.h"
#include "tests/support/vcd_reader.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Sets = std::vector<std::string>;

/// The 56-SM machine with exact values.
Config machine(const std::string& layer, const Sets& sets) {
    const ConfigCatalog catalog;
    ConfigSource source;
    for (const std::string& name : {std::string("gtx480_56sm"), layer}) {
        catalog.add_to(source, name);
    }
    for (const char* set :
         {"values=on", "workload.activations=dyadic", "workload.weights=dyadic"}) {
        source.add_set(set);
    }
    for (const std::string& set : sets) source.add_set(set);
    return load_config(source);
}

std::uint64_t number(const RunReport& report, const std::string& path) {
    return report.kernels.back()
        .statistics.at(nlohmann::ordered_json::json_pointer(path))
        .get<std::uint64_t>();
}

RunReport run(const std::string& layer, const Sets& sets) {
    return Simulation(machine(layer, sets), {}).run();
}

/// Everything was computed once, by any SM.
void expect_exact(const RunReport& report, std::uint64_t lanes) {
    EXPECT_TRUE(report.complete);
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_TRUE(report.verification.checked);
    EXPECT_EQ(report.verification.mismatches, 0U) << report.verification.first_mismatch;
    EXPECT_EQ(number(report, "/sm/opportunistic/lanes_normal") +
                  number(report, "/sm/opportunistic/lanes_predicted") +
                  number(report, "/sm/opportunistic/lanes_assigned"),
              lanes);
}

constexpr std::uint64_t kC1Lanes = std::uint64_t{8} * 6 * 24 * 24 * 5;
constexpr std::uint64_t kC2BackwardLanes = std::uint64_t{8} * 6 * 12 * 12 * 16 * 5;

struct Case {
    const char* name;
    Sets sets;
};

class OpportunisticRun : public ::testing::TestWithParam<Case> {};

TEST_P(OpportunisticRun, ComputesLenetC1Exactly) {
    expect_exact(run("lenet5.C1.forward", GetParam().sets), kC1Lanes);
}

TEST_P(OpportunisticRun, SmallAtApproximateTiming) {
    Sets sets = GetParam().sets;
    sets.insert(sets.end(), {"timing=at", "workload.layer.batch=2"});
    expect_exact(run("lenet5.C1.forward", sets), kC1Lanes / 4);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, OpportunisticRun,
    ::testing::Values(
        Case{"none", {"opportunistic.scheme=none"}}, Case{"intra", {"opportunistic.scheme=intra"}},
        Case{"inter", {"opportunistic.scheme=inter"}}, Case{"both", {"opportunistic.scheme=both"}},
        Case{"scalar", {"opportunistic.scheme=both", "opportunistic.pt_granularity=scalar"}},
        Case{"tiny_tables",
             {"opportunistic.scheme=both", "opportunistic.pt_entries=3",
              "opportunistic.at_entries=5"}},
        Case{"periodic", {"opportunistic.scheme=both", "opportunistic.pt_policy=periodic"}},
        Case{"all_pairs", {"opportunistic.scheme=both", "opportunistic.at_key=all"}},
        Case{"refusals",
             {"opportunistic.scheme=both", "opportunistic.credits=off",
              "opportunistic.assign_queue_entries=1"}},
        Case{"messages", {"opportunistic.scheme=both", "opportunistic.at_cost=messages"}},
        Case{"messages_on_wires",
             {"opportunistic.scheme=both", "opportunistic.at_cost=messages", "noc.kind=crossbar"}},
        Case{"waiting", {"opportunistic.scheme=both", "opportunistic.assign_when=waiting"}},
        Case{"assign_predicts", {"opportunistic.scheme=inter", "opportunistic.assign_predicts=on"}},
        Case{"both_assign_predicts",
             {"opportunistic.scheme=both", "opportunistic.assign_predicts=on"}},
        Case{"run_to_completion",
             {"opportunistic.scheme=both", "opportunistic.preempt=run_to_completion"}},
        Case{"per_output", {"opportunistic.scheme=both", "workload.direct.atomics=output"}},
        Case{"pixel", {"opportunistic.scheme=both", "workload.direct.mapping=pixel"}},
        Case{"plane", {"opportunistic.scheme=both", "workload.direct.mapping=plane"}},
        Case{"packed", {"opportunistic.scheme=both", "workload.direct.mapping=packed"}},
        Case{"image", {"opportunistic.scheme=both", "workload.direct.mapping=image"}},
        Case{"crossbar_sub_cores",
             {"opportunistic.scheme=both", "noc.kind=crossbar", "sm.sub_cores=4",
              "sm.issue_cycles=1", "workload.direct.cta_warps=4"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Opportunistic, BackwardPassesAreExact) {
    expect_exact(run("lenet5.C2.backward_data", {"opportunistic.scheme=both"}), kC2BackwardLanes);
}

TEST(Opportunistic, WeightGradientIsExact) {
    const RunReport report = run("lenet5.C1.backward_weight", {"opportunistic.scheme=both"});
    expect_exact(report, std::uint64_t{6} * 25 * 24 * 8);
    EXPECT_GT(number(report, "/sm/opportunistic/lanes_predicted"), 0U);
}

TEST(Opportunistic, RandomValuesStayWithinTheBound) {
    const RunReport report = run(
        "lenet5.C2.backward_data",
        {"opportunistic.scheme=both", "workload.activations=uniform", "workload.weights=uniform"});
    expect_exact(report, kC2BackwardLanes);
}

TEST(Opportunistic, OnePixelAThreadHasNothingToReuse) {
    const RunReport report =
        run("lenet5.C1.forward", {"opportunistic.scheme=both", "workload.direct.mapping=pixel"});
    EXPECT_EQ(number(report, "/sm/opportunistic/lanes_predicted"), 0U);
    EXPECT_GT(number(report, "/sm/opportunistic/lanes_assigned"), 0U);
}

TEST(Opportunistic, BothKindsOfHelpAreUsed) {
    const RunReport report = run("lenet5.C1.forward", {"opportunistic.scheme=both"});
    EXPECT_GT(number(report, "/sm/opportunistic/lanes_predicted"), 0U);
    EXPECT_GT(number(report, "/sm/opportunistic/assignments/executed"), 0U);
    EXPECT_EQ(number(report, "/sm/opportunistic/assignments/sent"),
              number(report, "/sm/opportunistic/assignments/executed"));
}

TEST(Opportunistic, RefusedAssignmentsComeBack) {
    const RunReport report =
        run("lenet5.C1.forward", {"opportunistic.scheme=inter", "opportunistic.credits=off",
                                  "opportunistic.assign_queue_entries=1"});
    EXPECT_GT(number(report, "/sm/opportunistic/assignments/refused"), 0U);
    EXPECT_THAT(report.violations, IsEmpty());
}

TEST(Opportunistic, LargerTablesPredictMoreOfC2Backward) {
    const RunReport report =
        run("lenet5.C2.backward_data", {"opportunistic.scheme=intra", "values=off"});
    EXPECT_GT(number(report, "/sm/opportunistic/precompute_table/replaced"), 0U);
    EXPECT_GT(number(report, "/sm/opportunistic/precompute_table/too_late"), 0U);
    EXPECT_EQ(number(report, "/sm/opportunistic/precompute_table/used"),
              number(report, "/sm/opportunistic/operations_predicted"))
        << "a result is taken from the table by whom it was made for";
}

/// Everything that is sent is acknowledged, executed and reported.
class OpportunisticMessages : public ::testing::TestWithParam<const char*> {};

TEST_P(OpportunisticMessages, AreAllCountedOnce) {
    const std::string timing = GetParam();
    const RunReport report =
        run("lenet5.C1.forward", {"opportunistic.scheme=both", "opportunistic.at_cost=messages",
                                  "workload.layer.batch=4", "timing=" + timing});
    expect_exact(report, kC1Lanes / 2);
    const auto messages = [&report](const std::string& what) {
        const std::uint64_t sent = number(report, "/sm/mesh_port/sent_" + what);
        EXPECT_EQ(sent, number(report, "/sm/mesh_port/received_" + what)) << what;
        return sent;
    };
    EXPECT_GT(messages("assign"), 0U);
    EXPECT_EQ(messages("assign"), messages("acknowledge"));
    const auto assignments = [&report](const std::string& what) {
        return number(report, "/sm/opportunistic/assignments/" + what);
    };
    EXPECT_EQ(messages("assign"), assignments("executed"));
    EXPECT_EQ(assignments("missing"), assignments("absent") + assignments("apart") +
                                          assignments("own") + assignments("no_room") +
                                          assignments("sent"));
    EXPECT_GT(assignments("absent"), 0U);
    EXPECT_GT(assignments("own"), 0U);
    EXPECT_EQ(messages("lookup"), messages("lookup_reply"));
    EXPECT_EQ(messages("lookup"), number(report, "/opportunistic/assign_table/lookups"));
    EXPECT_GE(messages("insert"), number(report, "/opportunistic/assign_table/inserted"));
    EXPECT_GE(messages("credit"), messages("assign"));
    EXPECT_EQ(messages("refuse"), 0U);
    EXPECT_GE(messages("drain"), 56U);
    EXPECT_EQ(messages("drain"), number(report, "/opportunistic/assign_table/drain_reports"));
    EXPECT_EQ(number(report, "/sm/mesh_port/sent_flits"),
              number(report, "/sm/mesh_port/received_flits"));
    EXPECT_EQ(number(report, "/opportunistic/assign_table/stale_hits"), 0U);
}

/// A line that an L1 replaces is a message too.
TEST_P(OpportunisticMessages, CarryInvalidations) {
    const RunReport report = run("lenet5.C2.backward_data",
                                 {"opportunistic.scheme=inter", "opportunistic.at_cost=messages",
                                  "workload.layer.batch=2", std::string("timing=") + GetParam()});
    expect_exact(report, kC2BackwardLanes / 4);
    EXPECT_GT(number(report, "/sm/mesh_port/sent_invalidate"), 0U);
    EXPECT_GT(number(report, "/opportunistic/assign_table/invalidated"), 0U);
}

TEST_P(OpportunisticMessages, AreRefusedWithoutCredits) {
    const RunReport report = run(
        "lenet5.C1.forward", {"opportunistic.scheme=inter", "opportunistic.at_cost=messages",
                              "opportunistic.credits=off", "opportunistic.assign_queue_entries=1",
                              std::string("timing=") + GetParam()});
    expect_exact(report, kC1Lanes);
    EXPECT_GT(number(report, "/sm/mesh_port/sent_refuse"), 0U);
    EXPECT_EQ(number(report, "/sm/mesh_port/sent_credit"), 0U);
}

TEST_P(OpportunisticMessages, MayAskForManyPairs) {
    const RunReport report = run(
        "lenet5.C1.forward", {"opportunistic.scheme=both", "opportunistic.at_cost=messages",
                              "opportunistic.at_key=all", "opportunistic.assign_queue_entries=2",
                              "workload.layer.batch=2", std::string("timing=") + GetParam()});
    expect_exact(report, kC1Lanes / 4);
}

INSTANTIATE_TEST_SUITE_P(Timings, OpportunisticMessages, ::testing::Values("lt", "at"));

/// A deliberate error must not go unseen, at either level, whatever the assign table costs.
class OpportunisticFault : public ::testing::TestWithParam<std::pair<const char*, const char*>> {
protected:
    static RunReport run_wrong(const std::string& layer, Sets sets) {
        sets.push_back(std::string("timing=") + GetParam().first);
        sets.push_back(std::string("opportunistic.at_cost=") + GetParam().second);
        return run(layer, sets);
    }
};

TEST_P(OpportunisticFault, CommittingAPredictionAndExecutingItIsCaught) {
    const RunReport report =
        run_wrong("lenet5.C1.forward",
                  {"opportunistic.scheme=intra", "opportunistic.fault=commit_and_execute"});
    EXPECT_GT(report.verification.mismatches, 0U);
    ASSERT_FALSE(report.violations.empty());
    EXPECT_THAT(report.violations.front(), HasSubstr("vector operations once"));
}

TEST_P(OpportunisticFault, ALostAssignmentIsCaught) {
    const RunReport report = run_wrong(
        "lenet5.C1.forward", {"opportunistic.scheme=inter", "opportunistic.fault=lost_assignment"});
    EXPECT_GT(report.verification.mismatches, 0U);
    EXPECT_THAT(report.violations, ::testing::Contains(HasSubstr("assignments are not over")));
    EXPECT_THAT(report.violations, ::testing::Contains(HasSubstr("last reported")));
    EXPECT_THAT(report.violations, ::testing::Contains(HasSubstr("credits")));
}

TEST_P(OpportunisticFault, AStaleBlockIsCaught) {
    const RunReport report =
        run_wrong("lenet5.C2.backward_data",
                  {"opportunistic.scheme=inter", "values=off", "opportunistic.fault=stale_block"});
    EXPECT_THAT(report.violations, ::testing::Contains(HasSubstr("had lost a block")));
}

INSTANTIATE_TEST_SUITE_P(Machines, OpportunisticFault,
                         ::testing::Values(std::pair{"lt", "free"}, std::pair{"lt", "messages"},
                                           std::pair{"at", "free"}, std::pair{"at", "messages"}),
                         [](const auto& test) {
                             return std::string(test.param.first) + "_" + test.param.second;
                         });

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
