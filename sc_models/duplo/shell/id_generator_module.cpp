#include "sc_models/duplo/shell/id_generator_module.h"

#include <fmt/format.h>
#include <ostream>

namespace tessera {

IdGeneratorModule::IdGeneratorModule(sc_core::sc_module_name name, const RtlMaker& rtl)
    : sc_module(name), port_(device_as<IdDevice>(rtl(RtlBlock::kIdGenerator))) {}

void IdGeneratorModule::add_counters(CounterList& list, const DetectionCounters& counters) {
    list.add("id_generator_rtl_cycles", counters.id_generator_rtl_cycles, "cycles",
             "clock cycles of RTL in place of the ID generator (impl)");
}

void IdGeneratorModule::watch(WaveRecorder& wave, const std::string& sm) {
    wave_ = &wave;
    element_ = wave.add(sm + ".detection", "element_id", 40);
    batch_ = wave.add(sm + ".detection", "batch_id", 10);
}

void IdGeneratorModule::trace(Cycle now, const DataId& id) {
    wave_->set(element_, now, id.element);
    wave_->set(batch_, now, id.batch);
}

void IdGeneratorModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("implementation = {}\nrtl_cycles = {}\n",
                       port_.has_device() ? "rtl" : "model", port_.rtl_cycles());
}

}  // namespace tessera
