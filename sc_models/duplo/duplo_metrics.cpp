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

void add_detection_statistics(StatGroup& group, const DetectionCounters& c) {
    group.counter("loads", c.loads, "count", "A-fragment loads that came by");
    group.counter("lookups", c.lookups, "units", "LHB look-ups");
    group.counter("misses", c.misses, "units", "look-ups without a usable entry");
    group.counter("skipped", c.skipped, "units",
                  "units of staged copies whose lanes are predicated off");
    std::vector<std::string> hits;
    for (std::size_t i = 0; i < kHitClasses; ++i) {
        const HitClassText& text = kHitClassText[i];
        group.counter(text.statistic(), c.hits[i], "units", text.help);
        hits.emplace_back(text.statistic());
    }
    std::vector<std::string> all = hits;
    all.emplace_back("misses");
    for (std::size_t i = 1; i < kBypassReasons; ++i) {
        group.counter(bypass_statistic(i), c.bypasses[i], "units",
                      "units that went to memory without a look-up");
        all.push_back(bypass_statistic(i));
    }
    group.counter("evictions", c.evictions, "entries", "LHB entries replaced by another id");
    group.counter("releases", c.releases, "entries", "LHB entries whose register was released");
    group.counter("in_flight_refused", c.in_flight_refused, "units",
                  "matches not used because the data was on its way");
    group.counter("expired", c.expired, "units",
                  "matches whose last user had its data (in_flight)");
    group.counter("revivals", c.revivals, "units", "hits on released registers (until_reused)");
    group.counter("retained", c.retained, "units",
                  "released registers kept as their datum recurs (keep, until_reused)");
    group.counter("kept_out", c.kept_out, "units",
                  "misses without an entry, since those of its set recur (keep)");
    group.counter("early_releases", c.early_releases, "units",
                  "releases at commit brought forward for want of registers");
    group.counter("workspace_stores", c.workspace_stores, "count",
                  "stores into the workspace, which switch detection off");
    group.counter("id_generator_rtl_cycles", c.id_generator_rtl_cycles, "cycles",
                  "clock cycles of RTL in place of the ID generator (impl)");
    group.counter("lhb_rtl_cycles", c.lhb_rtl_cycles, "cycles",
                  "clock cycles of RTL in place of the load history buffer (impl)");
    group.ratio("hit_rate", hits, all, "percent", "units that needed no load of their own", 100.0);
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
