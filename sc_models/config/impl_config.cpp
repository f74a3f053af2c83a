#include "sc_models/config/impl_config.h"

namespace tessera {

void ImplConfig::bind(ConfigVisitor& v) {
    const auto block = [&](std::string_view key, Knob<Implementation>& value,
                           std::string_view help) {
        v.choice(key, value,
                 {{"tlm", Implementation::kTlm},
                  {"rtl", Implementation::kRtl},
                  {"both", Implementation::kBoth}},
                 help);
    };
    block("id_generator", id_generator,
          "Duplo's ID generator: its model (tlm), the Verilated RTL, or both compared at every "
          "load. RTL needs duplo.enabled, id_formula corrected and granularity row16.");
    block("load_history_buffer", load_history_buffer,
          "Duplo's load history buffer, likewise. RTL needs duplo.enabled and a finite buffer.");
    block("feop_array", feop_array,
          "The outer-product multipliers of every sub-core, likewise. RTL needs "
          "tensor_core.kind outer_product and values on.");
    block("accumulation_buffer", accumulation_buffer,
          "The accumulation buffer of every sub-core, likewise. RTL needs tensor_core.kind "
          "outer_product and values on. With SpWMMAs array, buffer and bitmap unit need "
          "tensor_core.spwmma.accumulation collector and the other defaults of the buffer.");
    block(
        "bitmap_unit", bitmap_unit,
        "The bitmap unit of every sub-core, likewise: makes the OHMMAs of sparse tiles. RTL needs "
        "workload.sparse.method single or dual, too.");
    v.text(
        "fault", fault,
        "Breaks an output of a block's RTL, to see what a run reports then: BLOCK:invert:BIT, "
        "stuck0, stuck1 or late likewise, with @CYCLE (of the RTL's clock) to begin later; empty: "
        "none.");
}

FaultPlan ImplConfig::fault_of(std::string_view block) const {
    const std::string_view text = fault.get();
    const std::size_t colon = text.find(':');
    if (text.substr(0, colon) != block) return {};
    return FaultPlan::parse(
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1),
        "impl.fault");
}

}  // namespace tessera
