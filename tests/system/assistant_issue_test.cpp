// Does a kernel last until the assistant warp's last instruction has left the issue port?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sc_models/config/engine/config_source.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/simulation.h"

namespace tessera {
namespace {

class AssistantIssue
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, std::uint32_t>> {};

/// Two SMs that share the operations of a layer of a single pixel, so that the last thing that
/// happens is an assigned operation.
TEST_P(AssistantIssue, SlotsSumToTheCyclesOfTheKernel) {
    const auto& [timing, scheme, issue_cycles] = GetParam();
    ConfigSource source;
    for (const char* set :
         {"workload.kind=direct_convolution", "workload.layer.height=3", "workload.layer.width=3",
          "workload.layer.channels=3", "workload.layer.filters=17",
          "workload.layer.filter_height=1", "workload.layer.filter_width=1", "workload.layer.pad=0",
          "noc.kind=mesh", "noc.mesh.width=3", "noc.mesh.height=1", "dram.channels=1",
          "l2.slices=1", "gpu.sms=2", "opportunistic.cluster_sms=2"}) {
        source.add_set(set);
    }
    source.add_set(std::string("timing=") + timing);
    source.add_set(std::string("opportunistic.scheme=") + scheme);
    source.add_set("sm.issue_cycles=" + std::to_string(issue_cycles));
    const RunReport report = Simulation(load_config(source), {}).run();
    EXPECT_TRUE(report.complete);
    EXPECT_THAT(report.violations, ::testing::IsEmpty());
    const auto assigned =
        nlohmann::ordered_json::json_pointer("/sm/opportunistic/operations_assigned");
    EXPECT_GT(report.kernels.back().statistics.at(assigned).get<std::uint64_t>(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Ports, AssistantIssue,
                         ::testing::Combine(::testing::Values("lt", "at"),
                                            ::testing::Values("inter", "both"),
                                            ::testing::Values(10U, 14U, 16U, 32U)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) + "_" +
                                    std::get<1>(test.param) + "_" +
                                    std::to_string(std::get<2>(test.param));
                         });

}  // namespace
}  // namespace tessera
