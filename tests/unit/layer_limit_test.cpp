// Does each rule name what limits a layer, and is the launch of no part of the kernel's own time?
#include "sc_models/study/network_study/layer_limit.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/sm/stall_reason.h"

namespace tessera::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kSms = 80;

/// Statistics of a kernel of `cycles`, `launch` of them before its first CTA. Percentages refer to
/// all cycles, as in results.
struct Kernel {
    std::string name;
    double cycles = 0, launch = 0, queued_launch = 0;
    std::uint32_t ctas = 1;
    double tensor = 0, dram = 0;       ///< percent of the peak
    double issued = 0, no_warp = 100;  ///< percent of the issue slots; the rest waits for memory

    [[nodiscard]] Json json() const {
        Json json = {{"name", name},
                     {"cycles", cycles},
                     {"launch_cycles", launch},
                     {"queued_launch_cycles", queued_launch},
                     {"ctas", ctas}};
        json["percent_of_peak"] = {
            {{"unit", "tensor cores"}, {"percent", tensor}, {"peak", "125.3 TFLOP/s"}},
            {{"unit", "DRAM"}, {"percent", dram}, {"peak", "898 GB/s"}}};
        for (const StallReasonText& text : kStallReasonText) {
            json["issue_slots"][std::string(text.name)] = 0;
        }
        json["issue_slots"]["issued"] = 4 * kSms * cycles * issued / 100;
        json["issue_slots"]["stall_no_warp"] = 4 * kSms * cycles * no_warp / 100;
        json["issue_slots"]["stall_memory"] = 4 * kSms * cycles * (100 - issued - no_warp) / 100;
        return json;
    }
};

LayerLimit limit(const std::vector<Kernel>& kernels) {
    Json json = Json::array();
    for (const Kernel& kernel : kernels) json.push_back(kernel.json());
    return layer_limit(json, kSms);
}

Kernel offsets() {
    Kernel kernel;
    kernel.name = "layer.offsets";
    kernel.cycles = 9500;
    kernel.launch = 9250;
    kernel.queued_launch = 3400;
    kernel.no_warp = 98.8;
    return kernel;
}

/// 2000 cycles of work behind a launch of 7000.
Kernel product() {
    Kernel kernel;
    kernel.name = "layer.forward.64x64";
    kernel.cycles = 9000;
    kernel.launch = kernel.queued_launch = 7000;
    kernel.ctas = 80;
    kernel.tensor = 5;
    kernel.no_warp = 100.0 * 7000 / 9000;
    return kernel;
}

/// The same with 30000 cycles of work.
Kernel long_product() {
    Kernel kernel = product();
    kernel.cycles = 37000;
    kernel.no_warp = 100.0 * 7000 / 37000;
    return kernel;
}

TEST(LayerLimit, LaunchesThatTakeHalfOfTheTimeLimitIt) {
    const LayerLimit found = limit({offsets(), product()});
    // 3400 + 250 + 7000 + 2000, of which 10400 are launches.
    EXPECT_EQ(found.text, "launch: launches of 2 kernels take 82.2 % of the time");
    EXPECT_EQ(found.launch_cycles, 10400);
    EXPECT_EQ(found.idle_launch_cycles, 9250 - 3400);
}

TEST(LayerLimit, TheMainKernelIsTheProductHoweverLongOthersTake) {
    EXPECT_EQ(limit({offsets(), product()}).kernel, "layer.forward.64x64");
    Kernel lowering = long_product();
    lowering.name = "layer.im2col";
    lowering.tensor = 0;
    EXPECT_EQ(limit({lowering, product()}).kernel, "layer.forward.64x64");
}

TEST(LayerLimit, WithoutArithmeticItIsTheLongestBehindItsLaunch) {
    Kernel brief = product();
    brief.name = "brief";
    brief.tensor = 0;
    brief.launch = 8900;  // on an idle machine
    brief.cycles = 10000;
    Kernel longer = product();
    longer.name = "longer";
    longer.tensor = 0;
    EXPECT_EQ(limit({brief, longer}).kernel, "longer");
}

TEST(LayerLimit, AUnitNearItsPeakFromTheLaunchOnLimitsIt) {
    Kernel kernel = long_product();
    kernel.tensor = 20;
    kernel.dram = 100.0 * 0.7 * 30000 / 37000;  // 70 % from the launch on, 56.8 % in all
    EXPECT_EQ(limit({kernel}).text, "DRAM: 70.0 % of 898 GB/s from the launch on");
    kernel.tensor = 100.0 * 0.8 * 30000 / 37000;
    EXPECT_EQ(limit({kernel}).text, "tensor cores: 80.0 % of 125.3 TFLOP/s from the launch on");
}

TEST(LayerLimit, FewCtasLeaveIssueSlotsWithoutWarps) {
    Kernel kernel = long_product();
    kernel.ctas = 1;
    kernel.no_warp = 99;
    const std::string text = limit({kernel}).text;
    EXPECT_EQ(text.substr(0, text.find(':')), "few CTAs (1 on 80 SMs)");
    kernel.ctas = 96;
    kernel.no_warp = 100 * (7000 + 0.55 * 30000) / 37000;
    EXPECT_EQ(limit({kernel}).text,
              "few CTAs (96 on 80 SMs): 55.0 % of the issue slots from the launch on have no warp");
}

TEST(LayerLimit, OtherwiseLatencyDoesAndTheLargestCauseIsNamed) {
    Kernel kernel = long_product();
    kernel.no_warp = 100 * (7000 + 0.3 * 30000) / 37000;
    kernel.issued = 100 * 0.2 * 30000 / 37000;
    EXPECT_EQ(limit({kernel}).text,
              "latency: no unit is at 60 % of its peak; of the issue slots from the launch on 50.0 "
              "% are stall_memory, cycles waiting for loaded data");
}

TEST(LayerLimit, AResultWithoutLaunchesIsRefused) {
    Json kernels = {product().json()};
    kernels[0].erase("launch_cycles");
    EXPECT_THROW((void)layer_limit(kernels, kSms), ConfigError);
}

}  // namespace
}  // namespace tessera::test
