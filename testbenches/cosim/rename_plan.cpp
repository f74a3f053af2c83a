#include "testbenches/cosim/rename_plan.h"

#include <string_view>

namespace tessera {

void RenamePlan::offer(const ClockedRenameTable& model, const Rtl::Inputs& in,
                       const Rtl::Outputs& out, bool organised) {
    hit_if(register_waits, out.out_valid != 0 && !in.out_ready);
    hit_if(setup_waits, in.setup_valid && model.units_under_way());
    hit_if(all_mapped, out.mapped == parameters_.max_units());
    if (in.setup_valid) {
        hit_if(unit_beside_setup, in.in_valid && model.ready());
        hit_if(mapping_beside_setup, in.map_valid && model.ready());
        return;
    }
    const bool two = in.in_valid && in.map_valid;
    hit_if(before_setup, two && !organised);
    hit_if(after_refusal, two && organised && !model.ready());
    hit_if(during_walk, two && model.unmaps());
    if (!model.ready() || model.unmaps()) return;
    hit_if(unit_waits, in.in_valid && out.in_ready == 0);
    hit_if(mapping_waits, in.map_valid && out.map_ready == 0);
}

void RenamePlan::edge(const ClockedRenameTable& model, const Rtl::Inputs& in,
                      const Rtl::Outputs& out) {
    const bool left = out.out_valid != 0 && in.out_ready;
    const bool mapped = in.map_valid && out.map_ready != 0;
    if (in.in_valid && out.in_ready != 0) sample(unit_, in.unit);
    if (left || mapped) {
        sample(free_, out.free);
        sample(mapped_, out.mapped);
    }
    hit_if(both, left && mapped && out.old_valid != 0 && in.map_op == Op::kNew);
    if (left) {
        hit_if(unmapped_ends, out.old_valid == 0);
        if (out.old_valid != 0) sample(old_, out.old);
    }
    if (model.dropped().valid()) {
        hit_if(others_stay, model.core().count(model.dropped()) > 1);
        hit_if(dies, out.died != 0);
    }
    if (out.died != 0) sample(died_phys_, out.died_phys);
    if (mapped) note_mapping(model, in, out);
    died_before_ = out.died != 0;
}

void RenamePlan::note_mapping(const ClockedRenameTable& model, const Rtl::Inputs& in,
                              const Rtl::Outputs& out) {
    sample(map_op_, static_cast<std::uint64_t>(in.map_op));
    sample(map_unit_, in.map_unit);
    if (in.map_op == Op::kNew) {
        sample(given_, out.map_phys);
        hit(new_mappings_ < pool_ ? never_used : came_back);
        hit_if(last_free, out.free == 1);
        hit_if(just_died, out.free == 1 && died_before_);
        ++new_mappings_;
        return;
    }
    if (in.map_op != Op::kShare) {
        hit(in.map_op == Op::kUnmapped ? to_none : operation_3);
        return;
    }
    hit(shared);
    sample(map_phys_, in.map_phys);
    sample(given_, out.map_phys);
    if (!model.dropped().valid() || model.dropped().value() != in.map_phys) return;
    hit(model.core().count(model.dropped()) == 1 ? relayed : shared_beside_end);
}

void RenamePlan::set_up(const Rtl::Inputs& in, bool refused) {
    pool_ = in.setup_registers;
    new_mappings_ = 0;
    sample(units_, in.setup_units);
    sample(registers_, in.setup_registers);
    if (refused) {
        hit_if(no_unit, in.setup_units == 0);
        hit_if(no_register, in.setup_registers == 0);
        hit_if(many_units, in.setup_units > parameters_.max_units());
        hit_if(many_registers, in.setup_registers > parameters_.max_registers());
        return;
    }
    hit_if(all_units, in.setup_units == parameters_.max_units());
    hit_if(all_registers, in.setup_registers == parameters_.max_registers());
    hit_if(one_unit, in.setup_units == 1);
    hit_if(one_register, in.setup_registers == 1);
    hit_if(full_row, in.setup_units % parameters_.row_units() == 0);
    hit_if(begun_row, in.setup_units % parameters_.row_units() == 1 && in.setup_units != 1);
}

void RenamePlan::reset(const ClockedRenameTable& model) {
    hit_if(reset_units, model.units_under_way());
    hit_if(reset_walk, model.unmaps());
    died_before_ = false;
}

RenameTableRtl::Inputs RenameError::seen_by_rtl(const Rtl::Inputs& in,
                                                const ClockedRenameTable& model,
                                                bool organised) const {
    if (stuck.pin.empty() && wrong.empty()) return in;
    Rtl::Inputs seen = in;
    for (const rename_pins::InputPin* pin : rename_pins::kAll) pin->stick(seen, stuck);
    const auto is = [this](std::string_view situation) { return wrong == situation; };
    const bool ready = model.ready();
    const bool two = in.in_valid && in.map_valid && !in.setup_valid;
    if (is("mapping operation 3 maps to no register") && in.map_valid &&
        in.map_op > Rtl::Op::kShare) {
        seen.map_op = Rtl::Op::kNew;
    }
    if (is("share of a register in the cycle in which it would die") && in.map_valid &&
        in.map_op == Rtl::Op::kShare && model.dropped().valid() &&
        model.dropped().value() == in.map_phys && model.core().count(model.dropped()) == 1) {
        seen.map_valid = false;
    }
    if (is("old register waits")) seen.out_ready = true;
    if (is("mapping waits for a free register") && in.map_valid && in.map_op == Rtl::Op::kNew &&
        model.core().free_units() == 0) {
        seen.map_op = Rtl::Op::kUnmapped;
    }
    if (is("set-up of no unit") && in.setup_units == 0) seen.setup_units = 1;
    if (is("set-up of no register") && in.setup_registers == 0) seen.setup_registers = 1;
    if (is("set-up of too many units") && in.setup_units > parameters.max_units())
        seen.setup_units = 1;
    if (is("set-up of too many registers") && in.setup_registers > parameters.max_registers()) {
        seen.setup_registers = 1;
    }
    if (is("table of all registers") && in.setup_registers == parameters.max_registers()) {
        --seen.setup_registers;
    }
    if (is("table of one register") && in.setup_registers == 1) ++seen.setup_registers;
    if (is("units end with their row") && in.setup_units % parameters.row_units() == 0)
        ++seen.setup_units;
    if (is("units end with the first of a row") && in.setup_units % parameters.row_units() == 1 &&
        in.setup_units != 1) {
        --seen.setup_units;
    }
    if ((is("unit beside a set-up") && in.in_valid && ready) ||
        (is("mapping beside a set-up") && in.map_valid && ready)) {
        seen.setup_valid = false;
    }
    if ((is("unit and mapping before the first set-up") && two && !organised) ||
        (is("unit and mapping after a refused set-up") && two && organised && !ready)) {
        seen.setup_valid = true;
        seen.setup_units = seen.setup_registers = 1;
    }
    if (is("set-up waits for a unit") && in.setup_valid && model.units_under_way()) {
        seen.out_ready = false;
    }
    return seen;
}

}  // namespace tessera
