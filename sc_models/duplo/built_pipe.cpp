#include "sc_models/duplo/built_pipe.h"

namespace tessera {
namespace {

PipeUnit pipe_unit(const RenamedUnit& unit, const LhbKey& key, bool detecting) {
    constexpr std::uint32_t kDomainMask = 0xffffff;
    PipeUnit pipe;
    pipe.op = unit.id.bypass == BypassReason::kAsleep || !detecting ? PipeUnit::Op::kFresh
                                                                    : PipeUnit::Op::kLoad;
    pipe.address = unit.address;
    pipe.unit = unit.arch;
    pipe.domain = static_cast<std::uint32_t>(key.high >> 32) & kDomainMask;
    return pipe;
}

}  // namespace

Cycle BuiltPipe::enter(Cycle now) {
    renaming_.at(now);
    return history_.enter(now);
}

/// Releases the entry of a register that died with the unit that left last.
void BuiltPipe::release_behind(PhysRegId phys) {
    counters_.releases += history_.release_behind(phys) ? 1 : 0;
}

UnitOutcome BuiltPipe::access(RenamedUnit& unit, const LhbKey& key, bool detecting) {
    PipeUnit pipe = pipe_unit(unit, key, detecting);
    pipe.entered = enter(unit.now);

    // 1. The destination's old mapping ends.
    const RenameDevice::Ended ended = renaming_.detach(unit.arch);

    // 2. The unit is looked up if it has an id and may be other than zero. A register that just
    // died is no hit.
    UnitOutcome outcome;
    outcome.bypass = detecting ? unit.id.bypass : BypassReason::kOff;
    outcome.ready = kNever;
    const bool bypassed = outcome.bypass != BypassReason::kNone;
    PhysRegId found;
    if (!bypassed && !unit.id.zero) {
        ++counters_.lookups;
        found = history_.find(key);
        if (ended.last && found == ended.old) found = PhysRegId{};
    }
    pipe.left = history_.leave();

    // 3. It gets a register of its own, a shared one, or none.
    if (bypassed) {
        ++counters_.bypasses[static_cast<std::size_t>(outcome.bypass)];
        outcome.phys = renaming_.allocate<false>(unit);
    } else if (unit.id.zero) {
        ++counters_.hits[static_cast<std::size_t>(HitClass::kZero)];
        outcome.kind = AccessKind::kZero;
        outcome.ready = unit.now;
    } else if (found.valid()) {
        outcome = renaming_.hit<false>(unit, found);
    } else {
        outcome.kind = AccessKind::kMiss;
        outcome.phys = renaming_.allocate<false>(unit);
        ++counters_.misses;
    }

    // 4. The old register is released behind insertions of units before, then comes this unit's.
    if (ended.last) release_behind(ended.old);
    if (outcome.kind == AccessKind::kMiss) history_.insert(key, outcome.phys);
    if (core_ != nullptr) core_->pass(pipe, {outcome.kind, outcome.bypass, outcome.phys});
    return outcome;
}

void BuiltPipe::end(std::uint32_t arch, Cycle now) {
    PipeUnit pipe;
    pipe.unit = arch;
    pipe.entered = enter(now);
    const RenameDevice::Ended ended = renaming_.detach(arch);
    pipe.left = history_.leave();
    if (ended.last) release_behind(ended.old);
    if (core_ != nullptr) core_->pass(pipe, {AccessKind::kBypass, BypassReason::kNone, {}});
}

}  // namespace tessera
