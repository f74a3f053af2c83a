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
    units_.push_back({entered, left, address, id});
}

void ClockedIds::run_to(Cycle end) {
    while (clock_ < end && !units_.empty()) step();
    if (end == kNever || clock_ >= end) return;
    clock_ = end;
    rtl_.not_before(end);
}

void ClockedIds::step() {
    IdGeneratorRtl::Inputs inputs;
    if (inside_ < units_.size() && units_[inside_].entered <= clock_) {
        inputs.in_valid = true;
        inputs.address = units_[inside_].address;
    }
    const Unit& first = units_.front();
    inputs.out_ready = first.left == clock_;
    const IdGeneratorRtl::Outputs got = rtl_.step(inputs);
    Scoreboard& scoreboard = lockstep_.at(clock_);
    if (inputs.in_valid) {
        scoreboard.note("address {:#x} enters in cycle {}", units_[inside_].address,
                        units_[inside_].entered);
        scoreboard.expect("entered", units_[inside_].entered, clock_);
        scoreboard.expect("in_ready", 1, got.in_ready);
        ++inside_;
    }
    if (inputs.out_ready) {
        scoreboard.expect("out_valid", 1, got.out_valid);
        compare(first, got, scoreboard);
        units_.pop_front();
        --inside_;
    }
    lockstep_.require_agreement();
    ++clock_;
}

void ClockedIds::compare(const Unit& unit, const IdGeneratorRtl::Outputs& got,
                         Scoreboard& scoreboard) {
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
                             PhysRegId phys, const Answer& answer) {
    LoadHistoryBufferRtl::Inputs inputs;
    while (clock_ < at && !awaited_.empty()) (void)step(inputs);
    Scoreboard& scoreboard = lockstep_.at(at);
    scoreboard.expect("operations in a cycle", 1, clock_ > at ? 2 : 1);
    clock_ = at;
    rtl_.not_before(at);
    inputs.in_valid = true;
    inputs.op = op;
    inputs.key = key;
    inputs.phys = phys.valid() ? phys.value() : 0;
    const LoadHistoryBufferRtl::Outputs got = step(inputs);
    scoreboard.expect("in_ready", 1, got.in_ready);
    lockstep_.require_agreement();
    awaited_.push_back({at + LoadHistoryBufferRtl::kLatency, answer});
}

void ClockedHistory::finish() {
    while (!awaited_.empty()) (void)step({});
}

LoadHistoryBufferRtl::Outputs ClockedHistory::step(const LoadHistoryBufferRtl::Inputs& inputs) {
    const LoadHistoryBufferRtl::Outputs got = rtl_.step(inputs);
    Scoreboard& scoreboard = lockstep_.at(clock_);
    const bool due = !awaited_.empty() && awaited_.front().due == clock_;
    scoreboard.expect("out_valid", due ? 1 : 0, got.out_valid);
    if (due) {
        const Answer& answer = awaited_.front().answer;
        scoreboard.expect("found", answer.found ? 1 : 0, got.found);
        scoreboard.expect("same_key", answer.same_key ? 1 : 0, got.same_key);
        if (answer.phys.valid()) scoreboard.expect("phys", answer.phys.value(), got.phys);
        awaited_.pop_front();
    }
    lockstep_.require_agreement();
    ++clock_;
    return got;
}

}  // namespace tessera
