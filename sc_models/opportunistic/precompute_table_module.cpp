#include "sc_models/opportunistic/precompute_table_module.h"

#include <fmt/format.h>
#include <ostream>
#include <utility>

#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {

PrecomputeTableModule::PrecomputeTableModule(sc_core::sc_module_name name,
                                             const OpportunisticConfig& config,
                                             std::unique_ptr<PrecomputeDevice> device)
    : sc_module(name),
      config_(config),
      port_(config.precomputes() ? config.pt_entries : 1,
            config.pt_granularity == PrecomputeGranularity::kWarp ? LaneLayout::kMaxLanes : 1,
            std::move(device)),
      elimination_(config.pt_period_cycles) {}

void PrecomputeTableModule::eliminate(Cycle now) {
    if (config_.pt_policy != PrecomputePolicy::kPeriodic || !elimination_.due(now)) return;
    port_.eliminate(config_.pt_period_entries);
}

void PrecomputeTableModule::end_kernel() {
    port_.flush();
    rtl_cycles_ = port_.rtl_cycles();
}

void PrecomputeTableModule::add_statistics(StatGroup& unit) const {
    const PrecomputeTable::Counts& t = port_.counts();
    StatGroup& pt = unit.child("precompute_table");
    pt.counter("inserted", t.inserted, "count", "predictions entered");
    pt.counter("completed", t.completed, "count", "predictions computed");
    pt.counter("used", t.used, "count", "results that were wanted");
    pt.counter("too_late", t.too_late, "count", "wanted before they were computed");
    pt.counter("replaced", t.replaced, "count", "entries that made room");
    pt.counter("eliminated", t.eliminated, "count", "entries dropped by the periodic policy");
    pt.counter("flushed", t.flushed, "count", "entries left at the end of a kernel");
    pt.counter("rejected", t.rejected, "count", "predictions without room");
    pt.counter("late_results", t.late_results, "count", "results whose entry was gone");
    pt.counter("rtl_cycles", rtl_cycles_, "cycles",
               "clock cycles of RTL in place of the precompute table (impl)");
    pt.ratio("accuracy_percent", {"used"}, {"inserted"}, "percent",
             "predictions that were used (opportunistic computing, Figure 9)", 100.0);
}

void PrecomputeTableModule::watch(WaveRecorder& wave, std::string_view scope) {
    wave_ = &wave;
    entries_ = wave.add(scope, "table_entries", 16);
}

void PrecomputeTableModule::trace(Cycle now) {
    wave_->set(entries_, now, port_.size());
}

void PrecomputeTableModule::check(std::string_view sm, std::vector<std::string>& violations) const {
    const PrecomputeTable::Counts& t = port_.counts();
    const std::uint64_t left = t.used + t.too_late + t.replaced + t.eliminated + t.flushed;
    if (t.inserted != left + port_.size()) {
        violations.push_back(fmt::format("{}: {} precompute entries came, {} went, {} are there",
                                         sm, t.inserted, left, port_.size()));
    }
}

void PrecomputeTableModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("implementation = {}\nentries = {}\ninserted = {}\n",
                       port_.has_device() ? "rtl" : "model", port_.size(), port_.counts().inserted);
}

}  // namespace tessera
