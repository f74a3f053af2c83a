#include "sc_models/cosim/core_reference.h"

#include "sc_models/duplo/lookup_port.h"

namespace tessera {
namespace {

DuploCoreRtl::Kind kind_of(const PipeUnit& unit, const PipeAnswer& answer) {
    if (unit.op == PipeUnit::Op::kEnd) return DuploCoreRtl::Kind::kEnded;
    switch (answer.kind) {
        case AccessKind::kHit:
            return DuploCoreRtl::Kind::kHit;
        case AccessKind::kZero:
            return DuploCoreRtl::Kind::kZero;
        case AccessKind::kMiss:
            return DuploCoreRtl::Kind::kMiss;
        case AccessKind::kBypass:
            break;
    }
    return DuploCoreRtl::Kind::kBypass;
}

}  // namespace

void CoreReference::add(const PipeUnit& unit, const PipeAnswer& answer, std::uint64_t access) {
    units_.push_back({unit, answer, access, 0});
}

void CoreReference::reset() {
    units_.clear();
    left_ = entered_ = 0;
}

DuploCoreRtl::Inputs CoreReference::inputs() const {
    DuploCoreRtl::Inputs inputs;
    if (entered_ == units_.size() || units_[entered_].unit.entered > now_) return inputs;
    const PipeUnit& unit = units_[entered_].unit;
    inputs.in_valid = true;
    inputs.op = unit.op;
    inputs.address = unit.address;
    inputs.unit = unit.unit;
    inputs.domain = unit.domain;
    return inputs;
}

CoreReference::Handshakes CoreReference::handshakes() const {
    const bool leaves = left_ < entered_ && units_[left_].unit.left == now_;
    return {leaves, leaves || !at_end(),
            left_ > 0 && units_.front().unit.left + LookupPort::kHistoryCycles == now_};
}

std::uint64_t CoreReference::compared_access() const {
    if (units_.empty()) return 0;
    if (handshakes().out_valid || left_ == units_.size()) return units_.front().access;
    return units_[left_].access;
}

void CoreReference::check(const DuploCoreRtl::Outputs& got, Scoreboard& scoreboard) {
    const auto [leaves, advances, answered] = handshakes();
    const bool enters = entered_ < units_.size() && units_[entered_].unit.entered <= now_;
    scoreboard.expect("in_ready", advances ? 1 : 0, got.in_ready);
    scoreboard.expect("out_valid", answered ? 1 : 0, got.out_valid);
    scoreboard.expect("setup_error", 0, got.setup_error);
    if (entered_ > 0) {
        scoreboard.expect("setup_ready", 0, got.setup_ready);
        scoreboard.expect("clear_ready", 0, got.clear_ready);
    }
    if (enters) {
        Unit& unit = units_[entered_];
        scoreboard.note("unit {} enters: op {} (0 load, 1 fresh, 2 end), address {:#x}, domain {}",
                        unit.unit.unit, static_cast<std::uint64_t>(unit.unit.op), unit.unit.address,
                        unit.unit.domain);
        scoreboard.expect("entered", unit.unit.entered, now_);
        unit.moves = moves_;
        ++entered_;
    }
    if (leaves) {
        scoreboard.expect("left", 1, at_end() ? 1 : 0);
        ++left_;
    }
    if (answered) {
        compare(units_.front(), got, scoreboard);
        units_.pop_front();
        --left_;
        --entered_;
    }
    moves_ += advances ? 1 : 0;
    ++now_;
}

void CoreReference::compare(const Unit& unit, const DuploCoreRtl::Outputs& got,
                            Scoreboard& scoreboard) {
    const PipeAnswer& answer = unit.answer;
    scoreboard.note("unit {} is answered: kind {}, register {}", unit.unit.unit, got.kind,
                    got.phys);
    scoreboard.expect("unit", unit.unit.unit, got.unit);
    scoreboard.expect("kind", static_cast<std::uint64_t>(kind_of(unit.unit, answer)), got.kind);
    scoreboard.expect("phys", answer.phys.valid() ? answer.phys.value() : 0, got.phys);
    if (unit.unit.op != PipeUnit::Op::kLoad) return;
    scoreboard.expect("bypass", static_cast<std::uint64_t>(answer.bypass), got.bypass);
}

}  // namespace tessera
