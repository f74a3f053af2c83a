#include "testbenches/cosim/precompute_plan.h"

#include <string_view>

namespace tessera {

void PrecomputePlan::note_lookup(const ClockedPrecomputeTable& model, const Rtl::Inputs& in) {
    const PrecomputeTable& table = model.core();
    const auto entry = table.find(in.key);
    if (entry != PrecomputeTable::kNone) {
        hit(table.complete(entry) ? complete : table.waits(entry) ? still_waits : still_runs);
        return;
    }
    hit(absent);
    const auto near = [&](auto alter, std::uint32_t width, CoveragePlan::Bin bin) {
        for (std::uint32_t bit = 0; bit < width; ++bit) {
            PrecomputeKey key = in.key;
            alter(key, bit);
            hit_if(bin, table.find(key) != PrecomputeTable::kNone);
        }
    };
    near([](PrecomputeKey& key, std::uint32_t bit) { key.input ^= std::uint64_t{1} << bit; },
         parameters_.address_bits, other_input);
    near([](PrecomputeKey& key, std::uint32_t bit) { key.weights ^= std::uint64_t{1} << bit; },
         parameters_.address_bits, other_weights);
    near([](PrecomputeKey& key, std::uint32_t bit) { key.geometry ^= 1U << bit; },
         parameters_.geometry_bits, other_geometry);
}

void PrecomputePlan::note_prediction(const ClockedPrecomputeTable& model, const Rtl::Inputs& in) {
    const PrecomputeTable& table = model.core();
    if (table.find(in.key) != PrecomputeTable::kNone) return hit(present);
    if (table.size() < model.entries()) {
        const PrecomputeTable::Counts& c = table.counts();
        return hit(c.inserted - c.replaced == table.size() ? fresh : again);
    }
    if (!table.runs(table.oldest())) return hit(replaces);
    std::uint32_t running = 0;
    for (std::uint32_t slot = 0; slot < model.entries(); ++slot) running += table.runs(slot);
    hit(running == table.size() ? rejected : spares);
}

void PrecomputePlan::note_finish(const ClockedPrecomputeTable& model, const Rtl::Inputs& in) {
    const PrecomputeTable& table = model.core();
    if (in.slot >= model.entries() || !table.runs(in.slot)) return hit(not_running);
    if (table.generation(in.slot) % parameters_.generations() != in.generation) {
        return hit(other_generation);
    }
    hit(stored);
    store(in.results);
}

void PrecomputePlan::note_drop(const ClockedPrecomputeTable& model, const Rtl::Inputs& in) {
    const PrecomputeTable& table = model.core();
    hit_if(drop_running,
           table.size() != 0 && table.runs(table.oldest()) && model.outputs(in).in_ready == 0);
    if (model.outputs(in).in_ready == 0) return;
    hit(model.dropped() == 0 ? drop_none : model.dropped() < in.count ? drop_all : drop_some);
}

void PrecomputePlan::change(const ClockedPrecomputeTable& model, const Rtl::Inputs& in) {
    const PrecomputeTable& table = model.core();
    const bool waits = in.slot < model.entries() && table.waits(in.slot);
    const bool has_next = waits && table.next_pending(in.slot) != PrecomputeTable::kNone;
    switch (in.op) {
        case Rtl::Op::kLookup:
            return note_lookup(model, in);
        case Rtl::Op::kPredict:
            return note_prediction(model, in);
        case Rtl::Op::kWaiting:
            if (in.after) return hit(!waits ? not_behind : has_next ? next : no_next);
            return hit(table.first_pending() == PrecomputeTable::kNone ? none_waits : oldest);
        case Rtl::Op::kStart:
            return hit(waits ? start : no_start);
        case Rtl::Op::kFinish:
            return note_finish(model, in);
        case Rtl::Op::kDrop:
            return note_drop(model, in);
    }
    hit(no_operation);
}

PrecomputeTableRtl::Inputs PrecomputeError::seen_by_rtl(const Rtl::Inputs& in,
                                                        const ClockedPrecomputeTable& model,
                                                        bool organised) const {
    if (stuck.pin.empty() && wrong.empty()) return in;
    Rtl::Inputs seen = in;
    precompute_pins::stick(seen, stuck);
    const auto is = [this](std::string_view situation) { return wrong == situation; };
    const bool waits = in.in_valid && model.idle() && !in.setup_valid && !model.ready();
    if (is("operations 6 and 7 do nothing") && in.op > Rtl::Op::kDrop) seen.op = Rtl::Op::kDrop;
    if (is("answer waits")) seen.out_ready = true;
    if (is("set-up of no entry") && in.setup_entries == 0) seen.setup_entries = 1;
    if (is("set-up of too many entries") && in.setup_entries > parameters.max_entries()) {
        seen.setup_entries = parameters.max_entries();
    }
    if (is("table of all entries") && in.setup_entries == parameters.max_entries()) {
        --seen.setup_entries;
    }
    if (is("table of one entry") && in.setup_entries == 1) ++seen.setup_entries;
    if (is("operation beside a set-up") && in.in_valid && model.ready()) {
        seen.setup_valid = false;
    }
    if ((is("operation before the first set-up") && waits && !organised) ||
        (is("operation after a refused set-up") && waits && organised)) {
        // In some cycles, so that the operation begins in others; the pin means nothing here.
        seen.setup_valid = in.setup_entries % 2 != 0;
        seen.setup_entries = 1;
    }
    if (is("set-up waits for an operation") && in.setup_valid && !model.idle()) {
        seen.out_ready = false;
    }
    if (is("drop of no entry") && in.op == Rtl::Op::kDrop && in.count == 0) seen.count = 1;
    if (is("next waiting entry") && in.op == Rtl::Op::kWaiting) seen.after = false;
    if (is("finish of an older generation") && in.op == Rtl::Op::kFinish &&
        in.slot < model.entries()) {
        seen.generation = model.core().generation(in.slot) % parameters.generations();
    }
    return seen;
}

}  // namespace tessera
