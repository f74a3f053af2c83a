#include "sc_models/tensor_core/shell/bitmap_unit_module.h"

#include <fmt/format.h>
#include <ostream>

namespace tessera {
namespace {

std::shared_ptr<BitmapDevice> make_bitmap_device(BlockDetail detail, const RtlMaker& rtl) {
    if (detail == BlockDetail::kWhole) return nullptr;
    return device_or_model<BitmapDevice, BitmapUnit>(rtl(RtlBlock::kBitmapUnit));
}

}  // namespace

BitmapUnitModule::BitmapUnitModule(sc_core::sc_module_name name, BlockDetail detail,
                                   const RtlMaker& rtl)
    : sc_module(name), device_(make_bitmap_device(detail, rtl)) {}

void BitmapUnitModule::add_counters(CounterList& list) const {
    list.add("bohmmas", k_sets_, "count",
             "BOHMMA.32321: k of SpWMMAs with non-zeros on both sides");
    list.add("ohmmas_skipped", skipped_, "count", "OHMMA.8161 of SpWMMAs predicated off, of 8 a k");
}

void BitmapUnitModule::watch(WaveRecorder& wave, std::string_view scope) {
    wave_ = &wave;
    a_ = wave.add(scope, "popcount_a", 6);
    b_ = wave.add(scope, "popcount_b", 6);
    predicates_ = wave.add(scope, "predicates", kOhmmasPerSet);
}

void BitmapUnitModule::trace(Cycle at, const SpwmmaSet& set) {
    wave_->set(a_, at, set.a);
    wave_->set(b_, at, set.b);
    wave_->set(predicates_, at, set.predicates);
}

void BitmapUnitModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("implementation = {}\nbohmmas = {}\nrtl_cycles = {}\n",
                       device_ ? "clocked" : "whole products", k_sets_,
                       device_ ? device_->rtl_cycles() : 0);
}

}  // namespace tessera
