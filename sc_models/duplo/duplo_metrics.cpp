#include "sc_models/duplo/duplo_metrics.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_models/common/percent.h"

namespace tessera {
namespace {

/// Name of the statistic of the units bypassed for reason `i`; reason 0 is none.
std::string bypass_statistic(std::size_t i) {
    return fmt::format("bypass_{}", kBypassNames[i]);
}

}  // namespace

void add_policy_counters(CounterList& list, const DetectionCounters& c) {
    list.add("loads", c.loads, "count", "A-fragment loads that came by");
    list.add("skipped", c.skipped, "units",
             "units of staged copies whose lanes are predicated off");
    for (std::size_t i = 1; i < kBypassReasons; ++i) {
        list.add(bypass_statistic(i), c.bypasses[i], "units",
                 "units that went to memory without a look-up");
    }
    list.add("in_flight_refused", c.in_flight_refused, "units",
             "matches not used because the data was on its way");
    list.add("expired", c.expired, "units", "matches whose last user had its data (in_flight)");
    list.add("workspace_stores", c.workspace_stores, "count",
             "stores into the workspace, which switch detection off");
    list.add("core_rtl_cycles", c.core_rtl_cycles, "cycles",
             "clock cycles of the detection unit in RTL (impl)");
}

void register_detection_counters(const CounterList& list, StatGroup& group) {
    std::vector<std::string> hits;
    for (const HitClassText& text : kHitClassText) hits.emplace_back(text.statistic());
    std::vector<std::string> units = hits;
    units.emplace_back("misses");
    std::vector<std::string> order = {"loads", "lookups", "misses", "skipped"};
    order.insert(order.end(), hits.begin(), hits.end());
    for (std::size_t i = 1; i < kBypassReasons; ++i) {
        order.push_back(bypass_statistic(i));
        units.push_back(bypass_statistic(i));
    }
    for (const char* name :
         {"evictions", "releases", "in_flight_refused", "expired", "revivals", "retained",
          "kept_out", "early_releases", "workspace_stores", "id_generator_rtl_cycles",
          "lhb_rtl_cycles", "rename_rtl_cycles", "core_rtl_cycles"}) {
        order.emplace_back(name);
    }
    list.register_in(group, order);
    group.ratio("hit_rate", hits, units, "percent", "units that needed no load of their own",
                100.0);
}

DetectionCounts::DetectionCounts(const StatGroup& machine) {
    const auto sum = [&machine](std::string_view name) {
        return machine.sum(fmt::format("sm.ldst.detection.{}", name));
    };
    misses = sum("misses");
    for (std::size_t i = 1; i < kBypassReasons; ++i) bypasses += sum(bypass_statistic(i));
    for (std::size_t i = 0; i < kHitClasses; ++i) {
        hits[i] = sum(kHitClassText[i].statistic());
        all_hits += hits[i];
    }
}

void add_duplo_metrics(const StatGroup& machine, nlohmann::ordered_json& metrics) {
    const DetectionCounts detection(machine);
    metrics["loads_of_a"] = detection.units();
    metrics["hit_rate_percent"] = percent(detection.all_hits, detection.units());
    // Uses the basis of traffic, also where octet copies are counted separately but loaded
    // together.
    const std::uint64_t accesses = machine.sum("sm.ldst.a_row_accesses");
    metrics["hit_rate_of_accesses_percent"] =
        percent(accesses - machine.sum("sm.ldst.a_rows_requested"), accesses);
    for (std::size_t i = 0; i < kHitClasses; ++i) {
        metrics[std::string(kHitClassText[i].metric)] =
            percent(detection.hits[i], detection.units());
    }
    metrics["bypass_percent"] = percent(detection.bypasses, detection.units());
    metrics["lhb_services"] = detection.all_hits;
}

}  // namespace tessera
