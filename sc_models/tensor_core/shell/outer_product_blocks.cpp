#include "sc_models/tensor_core/shell/outer_product_blocks.h"

namespace tessera {

OuterProductBlocks::OuterProductBlocks(BlockDetail of_bitmap, BlockDetail of_array_and_buffer,
                                       const RtlMaker& rtl)
    : bitmap(of_bitmap == BlockDetail::kAbsent
                 ? nullptr
                 : std::make_unique<BitmapUnitModule>("bitmap_unit", of_bitmap, rtl)),
      array("feop_array", of_array_and_buffer, rtl),
      buffer("accumulation_buffer", of_array_and_buffer, rtl) {}

void OuterProductBlocks::count(const SpwmmaWork& work) {
    bitmap->count(work);
    array.count(work);
    buffer.count(work);
}

void OuterProductBlocks::register_sparse(CounterList pair, StatGroup& statistics) const {
    bitmap->add_counters(pair);
    array.add_counters(pair);
    buffer.add_counters(pair);
    pair.register_in(statistics,
                     {"spwmmas", "bohmmas", "ohmmas", "ohmmas_skipped", "additions", "ohmma_cycles",
                      "accumulate_cycles", "swaps", "swap_cycles", "nonfinite_tiles"});
}

void OuterProductBlocks::watch(WaveRecorder& wave, std::string_view scope) {
    bitmap->watch(wave, scope);
    array.watch(wave, scope);
    buffer.watch(wave, scope);
}

void OuterProductBlocks::trace(Cycle begin, Cycle end, const std::vector<SpwmmaSet>& sets) {
    const auto show = [this](Cycle at, const SpwmmaSet& set) {
        bitmap->trace(at, set);
        array.trace(at, set);
        buffer.trace(at, set);
    };
    for (const SpwmmaSet& set : sets) {
        if (begin + set.begin < end) show(begin + set.begin, set);
    }
    show(end, {});
}

}  // namespace tessera
