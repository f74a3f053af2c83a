// Does opportunistic computing finish, conserve, compute every operation once, and see its mutants?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/opportunistic_machine.h"

namespace tessera {
namespace {

using test::machine;
using test::number;
using test::Sets;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace tessera
