#include "sc_models/config/impl_config.h"

namespace tessera {

void ImplConfig::bind(ConfigVisitor& v) {
    for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
        v.choice(kRtlBlocks[i].name, blocks[i],
                 {{"tlm", Implementation::kTlm},
                  {"rtl", Implementation::kRtl},
                  {"both", Implementation::kBoth}},
                 kRtlBlocks[i].help);
    }
    v.text("fault", fault,
           "Breaks an output of a block's RTL, to see what a run reports then: BLOCK:invert:BIT, "
           "stuck0, stuck1 or late likewise, with @CYCLE (of the RTL's clock) to begin later. "
           "`tessera cosim BLOCK --list-faults` says which bits an output has. Unset: none.");
}

bool ImplConfig::has_rtl(RtlHome home) const {
    for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
        if (kRtlBlocks[i].home == home && blocks[i] != Implementation::kTlm) return true;
    }
    return false;
}

FaultPlan ImplConfig::fault_of(RtlBlock block) const {
    const std::string_view text = fault;
    const std::size_t colon = text.find(':');
    if (text.substr(0, colon) != text_of(block).name) return {};
    return FaultPlan::parse(
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1),
        "impl.fault");
}

}  // namespace tessera
