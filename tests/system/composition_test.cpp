// Do Duplo, dual-side sparse tensor cores and opportunistic computing work in one run of one
// machine?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "sc_models/config/engine/config_source.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/run_page.h"
#include "sc_models/run/simulation.h"
#include "tests/support/in_child.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Sets = std::vector<std::string>;

Config machine(const Sets& sets) {
    const ConfigCatalog catalog;
    ConfigSource source;
    for (const char* name : {"titan_v", "all_three"}) catalog.add_to(source, name);
    for (const std::string& set : sets) source.add_set(set);
    return load_config(source);
}

const nlohmann::ordered_json& kernel(const RunReport& report, const std::string& name) {
    for (const KernelReport& one : report.kernels) {
        if (one.result.name == name) return one.statistics;
    }
    throw std::logic_error("no kernel " + name);
}

std::uint64_t number(const nlohmann::ordered_json& statistics, const std::string& path) {
    return statistics.at(nlohmann::ordered_json::json_pointer(path)).get<std::uint64_t>();
}

struct Case {
    const char* name;
    Sets sets;
};

class Composition : public ::testing::TestWithParam<Case> {};

TEST_P(Composition, FinishesConservesAndIsExact) {
    const RunReport report = Simulation(machine(GetParam().sets), {}).run();
    EXPECT_TRUE(report.complete);
    EXPECT_THAT(report.violations, IsEmpty());
    EXPECT_TRUE(report.verification.checked);
    EXPECT_TRUE(report.verification.passed()) << report.verification.first_mismatch;
    // Three times 8 filters of 14 x 14 outputs of 2 images.
    EXPECT_EQ(report.verification.outputs, 3U * 8 * 14 * 14 * 2);

    const auto& lowered = kernel(report, "lowered.composition.gemm");
    const auto& sparse = kernel(report, "sparse.composition.gemm");
    const auto& direct = kernel(report, "direct.composition");
    EXPECT_GT(number(lowered, "/sm/ldst/detection/hits_lowering_same_warp") +
                  number(lowered, "/sm/ldst/detection/hits_lowering_other_warp"),
              0U);
    EXPECT_GT(number(sparse, "/sm/sub_core/tensor/spwmmas"), 0U);
    EXPECT_GT(number(sparse, "/sm/sub_core/tensor/ohmmas"), 0U);
    EXPECT_GT(number(direct, "/sm/opportunistic/lanes_predicted"), 0U);
    EXPECT_GT(number(direct, "/sm/opportunistic/assignments/executed"), 0U);
    // Each kernel uses its own mechanism only.
    EXPECT_EQ(number(lowered, "/sm/sub_core/tensor/spwmmas"), 0U);
    EXPECT_EQ(number(sparse, "/sm/opportunistic/lanes_normal"), 0U);
    EXPECT_EQ(number(direct, "/sm/sub_core/mmas"), 0U);
}

/// Paths of all statistics of a run, one a line. They do not depend on the machine's size.
std::string statistic_names(Sets sets) {
    sets.insert(sets.end(), {"gpu.sms=8", "l2.slices=8", "dram.channels=8", "noc.mesh.width=4",
                             "noc.mesh.height=4"});
    const RunReport report = Simulation(machine(sets), {}).run();
    std::string names;
    const nlohmann::ordered_json flat = report.kernels.back().statistics.flatten();
    for (const auto& [path, value] : flat.items()) names += path + "\n";
    return names;
}

/// Readers of statistics files rely on these names; a new statistic is entered in the list.
TEST(StatisticNames, AreThoseOfTheList) {
    std::set<std::string> names, listed;
    for (const Sets& sets :
         {Sets{"timing=lt", "tlb.entries=16", "sm.register_file.banks=2"}, Sets{"timing=at"},
          Sets{"noc.kind=mesh", "sm.bulk_copy_latency_cycles=24"},
          Sets{"timing=at", "noc.kind=mesh", "opportunistic.at_cost=messages"}}) {
        std::istringstream lines(test::in_child([&] { return statistic_names(sets); }));
        for (std::string name; std::getline(lines, name);) names.insert(name);
    }
    std::ifstream list(TESSERA_SOURCE_DIR "/tests/golden/statistic_names.txt");
    for (std::string name; std::getline(list, name);) listed.insert(name);
    std::vector<std::string> missing, unknown;
    std::set_difference(listed.begin(), listed.end(), names.begin(), names.end(),
                        std::back_inserter(missing));
    std::set_difference(names.begin(), names.end(), listed.begin(), listed.end(),
                        std::back_inserter(unknown));
    EXPECT_THAT(missing, IsEmpty());
    EXPECT_THAT(unknown, IsEmpty());
    if (missing.empty() && unknown.empty()) return;
    const std::string path = ::testing::TempDir() + "statistic_names.txt";
    std::ofstream now(path);
    for (const std::string& name : names) now << name << "\n";
    ADD_FAILURE() << "the list of what there is: " << path;
}

/// The page of a run says of each mechanism what it did, in the kernel in which it did it.
TEST(CompositionSummary, HasEachMechanismInItsKernel) {
    const Config config = machine({"opportunistic.characterise=on"});
    const std::string text = summary_text(config, Simulation(config, {}).run());
    const std::size_t sparse = text.find("kernel sparse.composition.gemm");
    const std::size_t direct = text.find("kernel direct.composition");
    const std::size_t hits = text.find("LHB hit rate");
    const std::size_t operations = text.find(" vector operations: ");
    EXPECT_LT(text.find("kernel lowered.composition.gemm"), hits) << text;
    EXPECT_LT(hits, sparse) << text;
    EXPECT_LT(direct, operations) << text;
    EXPECT_LT(operations, text.find("last kernel:")) << text;
    EXPECT_EQ(text.find("LHB hit rate", sparse), std::string::npos) << text;
    EXPECT_EQ(text.rfind(" vector operations: "), operations) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Machines, Composition,
    ::testing::Values(
        Case{"lt", {"protocol_check=on"}}, Case{"at", {"timing=at", "protocol_check=on"}},
        Case{"mesh_lt",
             {"protocol_check=on", "noc.kind=mesh", "noc.mesh.width=16", "noc.mesh.height=8"}},
        Case{"mesh_at", {"timing=at", "noc.kind=mesh", "noc.mesh.width=16", "noc.mesh.height=8"}},
        Case{"messages_at",
             {"timing=at", "protocol_check=on", "noc.kind=mesh", "noc.mesh.width=16",
              "noc.mesh.height=8", "opportunistic.at_cost=messages"}}),
    [](const auto& test) { return std::string(test.param.name); });

/// A deliberate error in one mechanism is seen with all of them on.
TEST(CompositionFault, IsSeen) {
    const RunReport report =
        Simulation(machine({"opportunistic.fault=commit_and_execute"}), {}).run();
    EXPECT_GT(report.verification.mismatches, 0U);
    EXPECT_THAT(report.verification.first_mismatch, HasSubstr("direct: output["));
    EXPECT_FALSE(report.violations.empty());
}

}  // namespace
}  // namespace tessera
