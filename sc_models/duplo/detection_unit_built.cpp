// Units in the pipe of the detection unit with the timing of rtl/duplo_core (duplo.pipe: built):
// the register that a unit gives up is released behind the unit's lookup, and the units of a warp
// that exits pass the pipe as others do.
#include "sc_models/common/error.h"
#include "sc_models/duplo/detection_unit.h"

namespace tessera {

/// Enters the next unit at or after `now`; returns the cycle.
Cycle DetectionUnit::enter_built(Cycle now) {
    rename_.at(now);
    entered_ = port_->open_at(now);
    port_->enter(entered_);
    return entered_;
}

/// Ends the unit that entered last; returns the cycle in which it left the ID generator.
Cycle DetectionUnit::leave_built() {
    const LookupPort::Departure left = port_->leave();
    late_ = left.late;
    return left.at;
}

/// Releases the entry of a register that died with the unit that left last.
void DetectionUnit::release_behind(PhysRegId phys) {
    lhb_.at(port_->operate_behind([this](Cycle at) { insert_oldest(at); }));
    counters_.releases += lhb_.release(phys) ? 1 : 0;
}

PipeUnit DetectionUnit::pipe_unit(const ActiveLoad& active, const LhbKey& key,
                                  std::uint32_t unit) const {
    constexpr std::uint32_t kDomainMask = 0xffffff;
    PipeUnit pipe;
    pipe.op = active.ids[shape_.group_of(unit)].bypass == BypassReason::kAsleep || !detecting_
                  ? PipeUnit::Op::kFresh
                  : PipeUnit::Op::kLoad;
    pipe.address = active.load.row(shape_.group_of(unit) * shape_.rows());
    pipe.unit = arch_unit(active.load.warp, active.load.fragment, unit);
    pipe.domain = static_cast<std::uint32_t>(key.high >> 32) & kDomainMask;
    return pipe;
}

UnitOutcome DetectionUnit::access_built(Cycle now, const ActiveLoad& active, std::uint32_t unit) {
    const std::uint32_t group = shape_.group_of(unit);
    const DataId& id = active.ids[group];
    const LhbKey key =
        settings_.scope == Scope::kLane ? key_of(active, id, unit) : active.keys[group];
    PipeUnit pipe = pipe_unit(active, key, unit);
    Lookup of{now, active, id, pipe.address, pipe.unit, {}};
    pipe.entered = enter_built(now);

    // 1. The destination's old mapping ends.
    const PhysRegId old = rename_.detach(pipe.unit);
    const bool died = old.valid() && rename_.drop(old);

    // 2. The unit is looked up if it has an id and may be other than zero. A register that just
    // died is no hit.
    UnitOutcome outcome;
    outcome.bypass = detecting_ ? id.bypass : BypassReason::kOff;
    outcome.ready = kNever;
    const bool bypassed = outcome.bypass != BypassReason::kNone;
    PhysRegId found;
    if (!bypassed && !id.zero) {
        ++counters_.lookups;
        found = find_in_time(key);
        if (died && found == old) found = PhysRegId{};
    }
    pipe.left = leave_built();

    // 3. It gets a register of its own, a shared one, or none.
    if (bypassed) {
        ++counters_.bypasses[static_cast<std::size_t>(outcome.bypass)];
        outcome.phys = allocate<false>(of);
    } else if (id.zero) {
        ++counters_.hits[static_cast<std::size_t>(HitClass::kZero)];
        outcome.kind = AccessKind::kZero;
        outcome.ready = now;
    } else if (found.valid()) {
        outcome = hit<false>(of, found);
    } else {
        outcome.kind = AccessKind::kMiss;
        outcome.phys = allocate<false>(of);
        ++counters_.misses;
    }

    // 4. The old register is released behind insertions of units before, then comes this unit's.
    if (died) release_behind(old);
    if (outcome.kind == AccessKind::kMiss) insert_in_time(key, outcome.phys);
    if (core_ != nullptr) core_->pass(pipe, {outcome.kind, outcome.bypass, outcome.phys});
    return outcome;
}

/// Passes a unit that has no register from now on.
void DetectionUnit::end_built(Cycle now, std::uint32_t arch) {
    PipeUnit pipe;
    pipe.unit = arch;
    pipe.entered = enter_built(now);
    const PhysRegId old = rename_.detach(arch);
    const bool died = old.valid() && rename_.drop(old);
    pipe.left = leave_built();
    if (died) release_behind(old);
    if (core_ != nullptr) core_->pass(pipe, {AccessKind::kBypass, BypassReason::kNone, {}});
}

void RenamePort::check() const {
    if (!device_) {
        model_.check();
    } else if (device_->free_units() != device_->physical_units()) {
        throw CheckError("rename table: " + std::to_string(device_->free_units()) + " of " +
                         std::to_string(device_->physical_units()) +
                         " physical units are free after all were released");
    }
}

}  // namespace tessera
