#include "testbenches/rename_table/clocked_rename_driver.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/error.h"
#include "testbenches/harness/run_until_idle.h"

namespace tessera::testbench {
namespace {

using Kind = RenameOperation::Kind;

}  // namespace

ClockedRenameDriver::ClockedRenameDriver(const sc_core::sc_module_name& name, Session& session,
                                         std::unique_ptr<Block> block)
    : sc_module(name),
      session_(session),
      block_(std::move(block)),
      stalls_(session, Rtl::kLatency),
      beside_(session.coverage.add("beside", "a mapping and an end enter in one cycle")),
      map_waits_(session.coverage.add("map_waits", "a mapping waits for a unit to become free")) {
    SC_HAS_PROCESS(ClockedRenameDriver);
    SC_THREAD(run);
}

bool ClockedRenameDriver::supports(const RenameOrganisation& o) const {
    return !o.growing && o.free_order.empty() && o.architectural <= Rtl::kMaxUnits &&
           o.physical <= Rtl::kMaxRegisters;
}

bool ClockedRenameDriver::supports(Kind kind) const {
    return kind == Kind::kMap || kind == Kind::kShare || kind == Kind::kEnd;
}

void ClockedRenameDriver::program(const RenameOrganisation& o) {
    if (o.growing) {
        throw ConfigError(
            fmt::format("--impl {}: got duplo.lifetime 'forever', expected one of {{mapped, "
                        "in_flight, until_reused}}, since "
                        "the RTL's pool does not grow",
                        session_.implementation()));
    }
    if (!supports(o)) {
        throw ConfigError(fmt::format(
            "--impl {}: got {} physical units by duplo.spare_units, expected at most {}",
            session_.implementation(), o.physical, Rtl::kMaxRegisters));
    }
    states_.assign(o.architectural, UnitState::kSettled);
    dropped_ = RenameResult::kNone;
    Rtl::Inputs in;
    in.setup_valid = true;
    in.setup_units = o.architectural;
    in.setup_registers = o.physical - (session_.plants("small_pool") ? 1 : 0);
    // Ready in a cycle without a set-up, the table has unmapped all units.
    for (Cycle cycle = 0; cycle < kMaxCycles; ++cycle) {
        const Cycle now = session_.clock.now();
        const Rtl::Outputs out = block_->step(in, now);
        sc_core::sc_start(session_.clock.span(now + 1) - sc_core::sc_time_stamp());
        next_ = now + 1;
        if (out.setup_ready == 0) continue;
        if (!in.setup_valid) {
            if (out.setup_error != 0) session_.violations({"the set-up is refused"});
            return;
        }
        in = {};
    }
    session_.violations({fmt::format("the set-up takes over {} cycles", kMaxCycles)});
}

void ClockedRenameDriver::issue(const RenameOperation& operation, Cycle at) {
    planned_.push_back({operation, at});
    issued_.notify(sc_core::SC_ZERO_TIME);
}

void ClockedRenameDriver::drain() {
    run_until_idle();
}

void ClockedRenameDriver::run() {
    for (;;) {
        const auto idle = [this] { return ending_.empty() && dropped_ == RenameResult::kNone; };
        while (planned_.empty() && idle()) wait(issued_);
        Cycle now = std::max(session_.clock.now(), next_);
        if (idle()) now = std::max(now, planned_.front().at);
        const sc_core::sc_time at = session_.clock.span(now);
        if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
        next_ = now + 1;
        step(now);
    }
}

void ClockedRenameDriver::step(Cycle now) {
    const Offer offer = choose(now);
    const Rtl::Inputs in = inputs_of(offer);
    const Rtl::Outputs out = block_->step(in, now);
    report(offer, in, out, now);

    const bool ends = in.in_valid && out.in_ready != 0;
    const bool maps = in.map_valid && out.map_ready != 0;
    stalls_.note_input(in.in_valid, ends);
    session_.coverage.hit_if(map_waits_, in.map_valid && !maps);
    session_.coverage.hit_if(beside_, ends && maps && !offer.unmaps);
    if (ends) {
        stalls_.enter(now);
        states_[in.unit] = UnitState::kEnding;
        ending_.push_back({in.unit, now});
    }
    if (maps) states_[in.map_unit] = UnitState::kSettled;
    // The later one is erased first. A mapping that overtakes an end leaves that in front.
    if (maps && !offer.unmaps) planned_.erase(planned_.begin() + (offer.end != nullptr ? 1 : 0));
    if (ends) planned_.pop_front();
    if (ends || maps || out.out_valid != 0) moved_ = now;
    if (now < moved_ + kMaxCycles) return;
    moved_ = now;
    planned_.clear();
    ending_.clear();
}

/// Offers the next operation and, beside an end, the mapping after it.
ClockedRenameDriver::Offer ClockedRenameDriver::choose(Cycle now) const {
    Offer offer;
    if (planned_.empty() || planned_.front().at > now) return offer;
    const Planned& first = planned_.front();
    if (first.operation.kind != Kind::kEnd) {
        if (mappable(first.operation)) offer.map = &first;
        return offer;
    }
    const UnitState state = states_[first.operation.architectural];
    if (state == UnitState::kEnded) {
        offer.map = &first;
        offer.unmaps = true;
        return offer;
    }
    if (state == UnitState::kEnding) return offer;
    offer.end = &first;
    if (planned_.size() == 1) return offer;
    const Planned& second = planned_[1];
    if (second.at > now || second.operation.kind == Kind::kEnd) return offer;
    if (second.operation.architectural == first.operation.architectural) return offer;
    if (mappable(second.operation)) offer.map = &second;
    return offer;
}

ClockedRenameDriver::Rtl::Inputs ClockedRenameDriver::inputs_of(const Offer& offer) {
    Rtl::Inputs in;
    in.out_ready = stalls_.receives();
    if (offer.end != nullptr) {
        in.in_valid = true;
        in.unit = offer.end->operation.architectural;
    }
    if (offer.map == nullptr) return in;
    const RenameOperation& operation = offer.map->operation;
    in.map_valid = true;
    in.map_unit = operation.architectural;
    if (offer.unmaps) return in;
    in.map_op = operation.kind == Kind::kShare ? Rtl::Op::kShare : Rtl::Op::kNew;
    if (in.map_op == Rtl::Op::kNew) return in;
    in.map_phys = operation.physical;
    if (session_.plants("fresh_share") && ++shares_ % 16 == 0) in.map_op = Rtl::Op::kNew;
    return in;
}

void ClockedRenameDriver::report(const Offer& offer, const Rtl::Inputs& in, const Rtl::Outputs& out,
                                 Cycle now) {
    on_counts(out.free, out.mapped, now);
    if (in.map_valid && out.map_ready != 0 && !offer.unmaps) {
        RenameResult result;
        result.physical = out.map_phys;
        on_result(offer.map->operation, result, now, true);
    }
    if (dropped_ != RenameResult::kNone) {
        RenameResult result;
        result.physical = out.died != 0 ? out.died_phys : dropped_;
        result.changes_free_list = out.died != 0;
        on_result({Kind::kDrop, 0, dropped_}, result, now, true);
        dropped_ = RenameResult::kNone;
    } else if (out.died != 0) {
        session_.violations({fmt::format("unit {} dies, which lost no reference", out.died_phys)});
    }
    if (out.out_valid == 0) return;
    stalls_.note_result(in.out_ready, now);
    if (in.out_ready) report_end(out, now);
}

void ClockedRenameDriver::report_end(const Rtl::Outputs& out, Cycle now) {
    if (ending_.empty()) return;  // StallCheck has a violation
    const Ending ending = ending_.front();
    ending_.pop_front();
    states_[ending.unit] = UnitState::kEnded;
    RenameResult result;
    if (out.old_valid != 0) result.physical = dropped_ = out.old;
    session_.latency.add("end", now - ending.begin);
    on_result({Kind::kDetach, ending.unit, 0}, result, now, out.old_valid == 0);
}

}  // namespace tessera::testbench
