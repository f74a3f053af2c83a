#include "sc_models/duplo/shell/load_history_buffer_module.h"

#include <fmt/format.h>
#include <ostream>

namespace tessera {

LoadHistoryBufferModule::LoadHistoryBufferModule(sc_core::sc_module_name name,
                                                 const DuploConfig& config, const RtlMaker& rtl)
    : sc_module(name), port_(config, device_as<HistoryDevice>(rtl(RtlBlock::kLoadHistoryBuffer))) {}

void LoadHistoryBufferModule::add_counters(CounterList& list, const DetectionCounters& c) {
    list.add("lookups", c.lookups, "units", "LHB look-ups");
    list.add("misses", c.misses, "units", "look-ups without a usable entry");
    for (std::size_t i = 0; i < kHitClasses; ++i) {
        const HitClassText& text = kHitClassText[i];
        list.add(std::string(text.statistic()), c.hits[i], "units", text.help);
    }
    list.add("evictions", c.evictions, "entries", "LHB entries replaced by another id");
    list.add("releases", c.releases, "entries", "LHB entries whose register was released");
    list.add("kept_out", c.kept_out, "units",
             "misses without an entry, since those of its set recur (keep)");
    list.add("lhb_rtl_cycles", c.lhb_rtl_cycles, "cycles",
             "clock cycles of RTL in place of the load history buffer (impl)");
}

void LoadHistoryBufferModule::watch(WaveRecorder& wave, const std::string& sm) {
    wave_ = &wave;
    hits_ = wave.add(sm + ".lhb", "hits", 6);
    misses_ = wave.add(sm + ".lhb", "misses", 6);
    hit_class_ = wave.add(sm + ".lhb", "hit_class", 3);
    entries_ = wave.add(sm + ".lhb", "entries", 16);
}

void LoadHistoryBufferModule::trace(Cycle now, const UnitOutcome& outcome) {
    if (outcome.kind == AccessKind::kHit) {
        wave_->pulse(hits_, now, 1);
        wave_->set(hit_class_, now, static_cast<std::uint64_t>(outcome.hit_class));
    } else if (outcome.kind == AccessKind::kMiss) {
        wave_->pulse(misses_, now, 1);
    }
    wave_->set(entries_, now, port_.size());
}

void LoadHistoryBufferModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("implementation = {}\nentries = {}\nrtl_cycles = {}\n",
                       port_.has_device() ? "rtl" : "model", port_.size(), port_.rtl_cycles());
}

}  // namespace tessera
