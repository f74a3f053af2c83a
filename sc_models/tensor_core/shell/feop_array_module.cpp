#include "sc_models/tensor_core/shell/feop_array_module.h"

#include <fmt/format.h>
#include <ostream>

namespace tessera {
namespace {

std::shared_ptr<FeopArrayDevice> make_array_device(BlockDetail detail, const RtlMaker& rtl) {
    if (detail == BlockDetail::kWhole) return nullptr;
    return device_or_model<FeopArrayDevice, FeopArray>(rtl(RtlBlock::kFeopArray));
}

}  // namespace

FeopArrayModule::FeopArrayModule(sc_core::sc_module_name name, BlockDetail detail,
                                 const RtlMaker& rtl)
    : sc_module(name), device_(make_array_device(detail, rtl)) {}

void FeopArrayModule::add_counters(CounterList& list) const {
    list.add("ohmmas", ohmmas_, "count", "OHMMA.8161 issued by SpWMMAs");
    list.add("ohmma_cycles", cycles_, "cycles",
             "cycles that the OHMMAs and BOHMMAs of SpWMMAs take");
}

void FeopArrayModule::watch(WaveRecorder& wave, std::string_view scope) {
    wave_ = &wave;
    signal_ = wave.add(scope, "ohmmas", 4);
}

void FeopArrayModule::trace(Cycle at, const SpwmmaSet& set) {
    wave_->set(signal_, at, static_cast<std::uint64_t>(__builtin_popcount(set.predicates)));
}

void FeopArrayModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("implementation = {}\nohmmas = {}\nrtl_cycles = {}\n",
                       device_ ? "clocked" : "whole products", ohmmas_,
                       device_ ? device_->rtl_cycles() : 0);
}

}  // namespace tessera
