#include "sc_models/tensor_core/shell/accumulation_buffer_module.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>

namespace tessera {
namespace {

std::shared_ptr<AccumulationDevice> make_buffer_device(BlockDetail detail, const RtlMaker& rtl) {
    if (detail == BlockDetail::kWhole) return nullptr;
    return device_or_model<AccumulationDevice, DefaultAccumulationBuffer>(
        rtl(RtlBlock::kAccumulationBuffer));
}

}  // namespace

AccumulationBufferModule::AccumulationBufferModule(sc_core::sc_module_name name, BlockDetail detail,
                                                   const RtlMaker& rtl)
    : sc_module(name), device_(make_buffer_device(detail, rtl)) {}

void AccumulationBufferModule::take(const Tile& tile, SpwmmaUnit& unit) {
    tile_ = tile;
    if (tile.sums == nullptr) return;
    std::array<float, kTileElements> sums;  // NOLINT(*-member-init): filled next
    std::memcpy(sums.data(), tile.sums, sizeof sums);
    unit.load(sums.data());
}

Cycle AccumulationBufferModule::give_back(Cycle start, std::uint32_t swap_cycles,
                                          SpwmmaUnit& unit) {
    Cycle cycles = swap_cycles;
    if (tile_) {
        cycles += unit.drain();
        if (tile_->sums != nullptr) {
            std::array<float, kTileElements> sums;  // NOLINT(*-member-init): filled next
            unit.store(sums.data());
            std::memcpy(tile_->sums, sums.data(), sizeof sums);
        }
        tile_.reset();
    }
    ++swaps_;
    swap_cycles_ += cycles;
    if (wave_ != nullptr && cycles > 0) wave_->pulse(swap_, start, cycles);
    return cycles;
}

void AccumulationBufferModule::add_counters(CounterList& list) const {
    list.add("additions", additions_, "count", "products accumulated by SpWMMAs");
    list.add("accumulate_cycles", cycles_, "cycles",
             "cycles that the accumulation buffer takes for SpWMMAs");
    list.add("swaps", swaps_, "count", "exchanges of the accumulation buffer's tile");
    list.add("swap_cycles", swap_cycles_, "cycles", "cycles of these exchanges");
}

void AccumulationBufferModule::watch(WaveRecorder& wave, std::string_view scope) {
    wave_ = &wave;
    swap_ = wave.add(scope, "swap", 1);
    conflicts_ = wave.add(scope, "conflict_cycles", 8);
}

void AccumulationBufferModule::trace(Cycle at, const SpwmmaSet& set) {
    wave_->set(conflicts_, at, std::min(set.conflicts, 255U));
}

void AccumulationBufferModule::dump(std::ostream& out) const {
    sc_module::dump(out);
    out << fmt::format("implementation = {}\ntile = {}\nadditions = {}\nrtl_cycles = {}\n",
                       device_ ? "clocked" : "whole products",
                       tile_ ? fmt::format("warp {}", tile_->warp.value()) : "none", additions_,
                       device_ ? device_->rtl_cycles() : 0);
}

}  // namespace tessera
