#include "testbenches/cosim/assign_plan.h"

#include <string_view>
#include <vector>

namespace tessera {

void AssignPlan::note_lookup(const AssignTable& table, const Rtl::Inputs& in) {
    if (table.peek(in.pair).valid()) return hit(found);
    hit(absent);
    hit_if(swapped, table.peek({in.pair.weights, in.pair.input}).valid());
    for (std::uint32_t bit = 0; bit < parameters_.block_bits; ++bit) {
        const std::uint64_t flip = std::uint64_t{1} << bit;
        hit_if(other_input, table.peek({in.pair.input ^ flip, in.pair.weights}).valid());
        hit_if(other_weights, table.peek({in.pair.input, in.pair.weights ^ flip}).valid());
    }
}

void AssignPlan::note_insertion(const ClockedAssignTable& model, const Rtl::Inputs& in) {
    const SmId holder = model.core().peek(in.pair);
    if (holder.valid()) {
        hit(present);
        return hit_if(other_holder, holder != SmId(in.sm));
    }
    hit(inserted);
    hit_if(same_block, in.pair.input == in.pair.weights);
    if (model.core().size() < model.entries()) return;
    hit(replaces);
    hit_if(replaces_gap, gap_ && model.entries() > 2);
}

void AssignPlan::note_invalidation(const ClockedAssignTable& model, const Rtl::Inputs& in) {
    const AssignTable& table = model.core();
    const BlockNumber block = in.pair.input;
    for (std::uint32_t sm = 0; sm < parameters_.max_sms(); ++sm) {
        hit_if(spares, sm != in.sm && table.contains(block, SmId(sm)));
    }
    if (!table.contains(block, SmId(in.sm))) {
        hit(lost_none);
        for (std::uint32_t bit = 0; bit < parameters_.block_bits; ++bit) {
            hit_if(other_block, table.contains(block ^ std::uint64_t{1} << bit, SmId(in.sm)));
        }
        return;
    }
    gap_ = true;
    const std::vector<BlockPair> lost = table.pairs_with(block, SmId(in.sm));
    hit_if(lost_several, lost.size() > 1);
    hit_if(lost_all, lost.size() == parameters_.max_entries());
    for (const BlockPair& pair : lost) hit(pair.input == block ? lost_input : lost_weights);
}

void AssignPlan::change(const ClockedAssignTable& model, const Rtl::Inputs& in) {
    hit_if(back_to_back, model.answers());
    switch (in.op) {
        case Rtl::Op::kLookup:
            return note_lookup(model.core(), in);
        case Rtl::Op::kInsert:
            return note_insertion(model, in);
        case Rtl::Op::kInvalidate:
            hit_if(lost_behind,
                   model.answers() && model.core().contains(in.pair.input, SmId(in.sm)));
            return note_invalidation(model, in);
        case Rtl::Op::kFlush:
            hit_if(flush_all, model.core().size() == parameters_.max_entries());
            return hit(model.core().size() == 0 ? flush_none : flush_some);
    }
}

AssignTableRtl::Inputs AssignError::seen_by_rtl(const Rtl::Inputs& in,
                                                const ClockedAssignTable& model,
                                                bool organised) const {
    if (stuck.pin.empty() && wrong.empty()) return in;
    Rtl::Inputs seen = in;
    for (const assign_pins::InputPin* pin : assign_pins::kAll) pin->stick(seen, stuck);
    const auto is = [this](std::string_view situation) { return wrong == situation; };
    const bool waits = in.in_valid && !in.setup_valid && !model.ready();
    if (is("answer waits")) seen.out_ready = true;
    if (is("set-up of no entry") && in.setup_entries == 0) seen.setup_entries = 1;
    if (is("set-up of too many entries") && in.setup_entries > parameters.max_entries()) {
        seen.setup_entries = parameters.max_entries();
    }
    if (is("table of all entries") && in.setup_entries == parameters.max_entries())
        --seen.setup_entries;
    if (is("table of one entry") && in.setup_entries == 1) ++seen.setup_entries;
    if (is("operation beside a set-up") && in.in_valid && model.ready()) seen.setup_valid = false;
    if ((is("operation before the first set-up") && waits && !organised) ||
        (is("operation after a refused set-up") && waits && organised)) {
        // In some cycles, so that the operation begins in others; the pin means nothing here.
        seen.setup_valid = in.setup_entries % 2 != 0;
        seen.setup_entries = 1;
    }
    if (is("set-up waits for an invalidation") && in.setup_valid && model.invalidates()) {
        seen.in_valid = false;
    }
    if (is("operation while an answer is taken") && model.answers()) seen.in_valid = false;
    if (is("insertion of a block with itself") && in.op == Rtl::Op::kInsert &&
        in.pair.input == in.pair.weights) {
        seen.op = Rtl::Op::kLookup;
    }
    if (is("invalidation spares the entry of another SM") && in.op == Rtl::Op::kInvalidate &&
        !model.invalidates() && !model.core().contains(in.pair.input, SmId(in.sm)) &&
        model.core().contains(in.pair.input, SmId(in.sm ^ 1U))) {
        seen.sm ^= 1U;
    }
    return seen;
}

}  // namespace tessera
