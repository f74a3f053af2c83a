#include "sc_models/cosim/clocked_detection.h"

#include <algorithm>

namespace tessera {

void ClockedIds::program(Cycle now, const ConvolutionPacket& packet, IdFormula formula) {
    finish();
    clock_ = std::max(clock_, now);
    rtl_.not_before(clock_);
    rtl_.program(packet, formula);
}

void ClockedIds::pass(Cycle entered, Cycle left, Address address, const DataId& id) {
    run_to(entered);
    units_.push_back({entered, left, address, id, tag_++, 0, lockstep_.access_in_service()});
}

void ClockedIds::run_to(Cycle end) {
    while (clock_ < end && !units_.empty()) step();
    if (end == kNever || clock_ >= end) return;
    clock_ = end;
    rtl_.not_before(end);
}

IdGeneratorRtl::Inputs ClockedIds::inputs() {
    IdGeneratorRtl::Inputs inputs;
    if (inside_ < units_.size() && units_[inside_].entered <= clock_) {
        inputs.in_valid = true;
        inputs.address = units_[inside_].address;
        inputs.tag = units_[inside_].tag;
    }
    inputs.out_ready = units_.front().left == clock_;
    return inputs;
}

void ClockedIds::step() {
    const IdGeneratorRtl::Inputs in = inputs();
    const IdGeneratorRtl::Outputs got = rtl_.step(in);
    Scoreboard& scoreboard = lockstep_.at(clock_);
    if (in.in_valid) {
        scoreboard.note("address {:#x} enters in cycle {}", in.address, units_[inside_].entered);
    }
    // The difference is in the unit at the output, or else in the one that enters.
    lockstep_.compare_for(at_end() || !in.in_valid ? units_.front().access
                                                   : units_[inside_].access);
    const bool advances = in.out_ready || !at_end();
    compare_handshakes(got, advances, scoreboard);
    if (at_end()) compare(units_.front(), got, scoreboard);
    if (in.in_valid) {
        Unit& unit = units_[inside_];
        scoreboard.expect("entered", unit.entered, clock_);
        scoreboard.expect("in_ready", 1, got.in_ready);
        unit.moves = moves_;
        ++inside_;
    }
    if (in.out_ready) {
        scoreboard.expect("out_valid", 1, got.out_valid);
        units_.pop_front();
        --inside_;
    }
    lockstep_.require_agreement();
    moves_ += advances ? 1 : 0;
    ++clock_;
}

void ClockedIds::compare_handshakes(const IdGeneratorRtl::Outputs& got, bool advances,
                                    Scoreboard& scoreboard) const {
    scoreboard.expect("program_ready", inside_ == 0 ? 1 : 0, got.program_ready);
    scoreboard.expect("busy", 0, got.busy);
    scoreboard.expect("packet_error", 0, got.packet_error);
    scoreboard.expect("in_ready", advances ? 1 : 0, got.in_ready);
    scoreboard.expect("out_valid", at_end() ? 1 : 0, got.out_valid);
}

void ClockedIds::compare(const Unit& unit, const IdGeneratorRtl::Outputs& got,
                         Scoreboard& scoreboard) {
    scoreboard.expect("tag", unit.tag, got.tag);
    scoreboard.expect("bypass", static_cast<std::uint64_t>(unit.id.bypass), got.bypass);
    if (!unit.id.valid()) return;
    scoreboard.expect("element", unit.id.element,
                      got.element_low | std::uint64_t{got.element_high} << 32);
    scoreboard.expect("batch", unit.id.batch, got.batch);
    scoreboard.expect("zero", unit.id.zero ? 1 : 0, got.zero);
}

void ClockedHistory::program(std::uint32_t shift, std::uint32_t registers) {
    finish();
    rtl_.program(shift, registers);
}

void ClockedHistory::clear() {
    finish();
    rtl_.clear();
}

void ClockedHistory::operate(Cycle at, LoadHistoryBufferRtl::Op op, const LhbKey& key,
                             PhysRegId phys, const ExpectedAnswer& answer) {
    LoadHistoryBufferRtl::Inputs inputs;
    while (clock_ < at && !awaited_.empty()) step(inputs);
    Scoreboard& scoreboard = lockstep_.at(at);
    scoreboard.expect("operations in a cycle", 1, clock_ > at ? 2 : 1);
    clock_ = at;
    rtl_.not_before(at);
    inputs.in_valid = true;
    inputs.op = op;
    inputs.key = key;
    inputs.phys = phys.valid() ? phys.value() : 0;
    step(inputs);
    awaited_.push_back(
        {at + LoadHistoryBufferRtl::kLatency, answer, lockstep_.access_in_service()});
}

void ClockedHistory::finish() {
    while (!awaited_.empty()) step({});
}

void ClockedHistory::step(const LoadHistoryBufferRtl::Inputs& inputs) {
    const LoadHistoryBufferRtl::Outputs got = rtl_.step(inputs);
    Scoreboard& scoreboard = lockstep_.at(clock_);
    const bool due = !awaited_.empty() && awaited_.front().due == clock_;
    lockstep_.compare_for(due ? awaited_.front().access : 0);
    scoreboard.expect("setup_ready", awaited_.empty() ? 1 : 0, got.setup_ready);
    scoreboard.expect("setup_error", 0, got.setup_error);
    scoreboard.expect("in_ready", 1, got.in_ready);
    scoreboard.expect("out_valid", due ? 1 : 0, got.out_valid);
    if (due) {
        const ExpectedAnswer& answer = awaited_.front().answer;
        scoreboard.expect("found", answer.found ? 1 : 0, got.found);
        scoreboard.expect("same_key", answer.same_key ? 1 : 0, got.same_key);
        if (answer.phys.valid()) scoreboard.expect("phys", answer.phys.value(), got.phys);
        awaited_.pop_front();
    }
    lockstep_.require_agreement();
    ++clock_;
}

}  // namespace tessera
