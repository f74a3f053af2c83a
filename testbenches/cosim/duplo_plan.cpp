#include "testbenches/cosim/duplo_plan.h"

#include "sc_models/duplo/data_id.h"

namespace tessera {

void DuploPlan::cycle(const ClockedDuploCore& model, const Rtl::Inputs& in,
                      const Rtl::Outputs& out) {
    note_offers(model, in, out);
    hit_if(insertion_waits, model.insertion_waits() && model.insertion_is_behind());
    hit_if(release_waits, model.release_waits());
    if (out.out_valid != 0) note_answer(model, out);
    if (in.clear_valid && out.clear_ready != 0) hit(clear);
    if (!in.in_valid || out.in_ready == 0) return;
    sample(op_, static_cast<std::uint64_t>(in.op));
    sample(unit_, in.unit);
    hit_if(high_unit, in.unit >= parameters_.max_units() / 2);
    if (in.op != PipeUnit::Op::kLoad) return hit(in.op == PipeUnit::Op::kEnd ? ended : fresh);
    sample(address_, in.address);
    sample(domain_, in.domain);
}

void DuploPlan::note_offers(const ClockedDuploCore& model, const Rtl::Inputs& in,
                            const Rtl::Outputs& out) {
    const bool unset = !model.ready() && !model.settles();
    const bool alone = !in.setup_valid && !in.clear_valid;
    hit_if(unit_before_setup, unset && !organised_ && in.in_valid && alone);
    hit_if(unit_after_refusal, unset && organised_ && in.in_valid && alone);
    if (in.clear_valid && !in.setup_valid && unset) {
        hit(organised_ ? clear_after_refusal : clear_before_setup);
    }
    hit_if(setup_waits, in.setup_valid && out.setup_ready == 0 && !model.settles());
    hit_if(clear_waits,
           in.clear_valid && !in.setup_valid && out.clear_ready == 0 && !model.settles());
    hit_if(clear_beside_setup, in.clear_valid && in.setup_valid && out.setup_ready != 0);
    if (!in.in_valid || !model.ready()) return;
    hit_if(unit_beside_setup, in.setup_valid);
    hit_if(unit_beside_clear, in.clear_valid && !in.setup_valid);
    hit_if(unit_waits, alone && out.in_ready == 0);
}

void DuploPlan::note_answer(const ClockedDuploCore& model, const Rtl::Outputs& out) {
    using Kind = Rtl::Kind;
    const auto kind = static_cast<Kind>(out.kind);
    sample(unit_given_, out.unit);
    hit_if(hit_, kind == Kind::kHit);
    hit_if(miss, kind == Kind::kMiss);
    hit_if(zero, kind == Kind::kZero);
    hit_if(own_dead, model.finds_own_dead());
    if (kind == Kind::kHit || kind == Kind::kMiss || kind == Kind::kBypass) {
        sample(phys_, out.phys);
    }
    if (kind != Kind::kBypass) return;
    switch (static_cast<BypassReason>(out.bypass)) {
        case BypassReason::kOff:
            return hit(reasons_[0]);
        case BypassReason::kOutsideWorkspace:
            return hit(reasons_[1]);
        case BypassReason::kUnaligned:
            return hit(reasons_[2]);
        case BypassReason::kCrossing:
            return hit(reasons_[3]);
        case BypassReason::kRowTail:
            return hit(reasons_[4]);
        case BypassReason::kBatchTail:
            return hit(reasons_[5]);
        default:
            return;
    }
}

void DuploPlan::set_up(const Rtl::Setup& setup, bool bad_packet, bool bad_buffer, bool bad_table) {
    organised_ = true;
    sample(log_sets_, setup.log_sets);
    sample(log_ways_, setup.log_ways);
    sample(shift_, setup.shift);
    sample(fold_, setup.fold ? 1 : 0);
    sample(units_, setup.units);
    sample(registers_, setup.registers);
    const int reasons =
        static_cast<int>(bad_packet) + static_cast<int>(bad_buffer) + static_cast<int>(bad_table);
    hit_if(packet_refused, bad_packet && reasons == 1);
    hit_if(buffer_refused, bad_buffer && reasons == 1);
    hit_if(table_refused, bad_table && reasons == 1);
    hit_if(refused, reasons > 1);
    hit_if(all_units, reasons == 0 && setup.units == parameters_.max_units());
    hit_if(all_registers, reasons == 0 && setup.registers == parameters_.max_registers());
}

DuploCoreRtl::Inputs DuploError::seen_by_rtl(const Rtl::Inputs& in, const Rtl::Outputs& out,
                                             const ClockedDuploCore& model) const {
    if (stuck.pin.empty() && wrong.empty()) return in;
    Rtl::Inputs seen = in;
    for (const duplo_pins::InputPin* pin : duplo_pins::kAll) pin->stick(seen, stuck);
    const bool unset = !model.ready() && !model.settles();
    const bool loads = in.in_valid && in.op == PipeUnit::Op::kLoad;
    if (is("load without a look-up") && in.in_valid && in.op == PipeUnit::Op::kFresh) {
        seen.op = PipeUnit::Op::kLoad;
    }
    if (is("end of a unit") && in.in_valid && in.op == PipeUnit::Op::kEnd) {
        seen.op = PipeUnit::Op::kFresh;
    }
    if (is("bypass: unaligned") && loads) seen.address &= ~Address{31};
    if (is("unit in the upper half") && in.in_valid) seen.unit %= parameters.max_units() / 2;
    if ((is("set-up waits for units") && in.setup_valid && out.setup_ready == 0) ||
        (is("clear beside a set-up") && in.clear_valid) ||
        (is("unit beside a set-up") && in.in_valid && model.ready())) {
        seen.setup_valid = false;
    }
    if ((is("clear waits for units") && in.clear_valid && out.clear_ready == 0 &&
         !in.setup_valid) ||
        (is("unit beside a clear") && in.in_valid && model.ready() && !in.setup_valid) ||
        (is("clear before the first set-up") && in.clear_valid && unset) ||
        (is("clear") && !in.setup_valid)) {
        seen.clear_valid = false;
    }
    if ((is("unit before the first set-up") || is("unit after a refused set-up")) && in.in_valid &&
        unset) {
        seen.setup_valid = true;
    }
    if (is("set-up refused for its packet alone")) seen.setup.packet[7] |= 1U << 2U;  // valid
    if (is("set-up refused for the buffer alone")) seen.setup.log_ways &= 3U;
    if (is("set-up refused for the table alone")) {
        if (in.setup.units > parameters.max_units()) seen.setup.units = parameters.max_units();
        if (in.setup.registers == 0) seen.setup.registers = 1;
    }
    if (is("set-up of all units") && in.setup.units == parameters.max_units()) ++seen.setup.units;
    if (is("set-up of all registers") && in.setup.registers == parameters.max_registers()) {
        ++seen.setup.registers;
    }
    return seen;
}

}  // namespace tessera
