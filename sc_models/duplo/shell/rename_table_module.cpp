#include "sc_models/duplo/shell/rename_table_module.h"

#include <fmt/format.h>
#include <ostream>

namespace tessera {

RenameTableModule::RenameTableModule(sc_core::sc_module_name name, const RtlMaker& rtl)
    : sc_module(name), port_(device_as<RenameDevice>(rtl(RtlBlock::kRenameTable))) {}

void RenameTableModule::add_counters(CounterList& list, const DetectionCounters& c) {
    list.add("revivals", c.revivals, "units", "hits on released registers (until_reused)");
    list.add("retained", c.retained, "units",
             "released registers kept as their datum recurs (keep, until_reused)");
    list.add("early_releases", c.early_releases, "units",
             "releases at commit brought forward for want of registers");
    list.add("rename_rtl_cycles", c.rename_rtl_cycles, "cycles",
             "clock cycles of RTL in place of the rename table (impl)");
}

void RenameTableModule::watch(WaveRecorder& wave, const std::string& sm) {
    wave_ = &wave;
    architectural_ = wave.add(sm + ".rename", "architectural_unit", 16);
    physical_ = wave.add(sm + ".rename", "physical_unit", kPhysicalUnitBits);
}

void RenameTableModule::trace(Cycle now, std::uint32_t architectural, PhysRegId physical) {
    constexpr std::uint64_t kNone = (std::uint64_t{1} << kPhysicalUnitBits) - 1;
    wave_->set(architectural_, now, architectural);
    wave_->set(physical_, now, physical.valid() ? physical.value() : kNone);
}

void RenameTableModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("implementation = {}\nmapped_units = {}\nphysical_units = {}\n",
                       port_.has_device() ? "rtl" : "model", port_.mapped_units(),
                       port_.physical_units());
}

}  // namespace tessera
