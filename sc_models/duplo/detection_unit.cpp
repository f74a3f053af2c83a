#include "sc_models/duplo/detection_unit.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/config/engine/config_entries.h"

namespace tessera {

DetectionUnit::DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores)
    : DetectionUnit(config, sub_cores, std::make_unique<OwnBlocks>(config)) {}

DetectionUnit::DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores,
                             std::unique_ptr<OwnBlocks> own)
    : DetectionUnit(config, sub_cores, own->all()) {
    own_ = std::move(own);
}

DetectionUnit::DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores,
                             const DetectionBlocks& blocks)
    : config_(config),
      scope_(config.scope),
      sub_cores_(sub_cores),
      shape_(units_of(config)),
      ids_(blocks.ids),
      lhb_(blocks.history),
      rename_(blocks.rename),
      history_(config, lhb_),
      renaming_(config, rename_, history_, counters_),
      pipe_(history_, renaming_, blocks.core, counters_) {
    if (config.lhb_shift_bits > 31 && config.lhb_shift_bits != DuploConfig::kAutoShift) {
        throw ConfigError("duplo.lhb.shift_bits: got " + std::to_string(config.lhb_shift_bits) +
                          ", expected 0 to 31 or auto");
    }
    built_ = history_.limited() && config.pipe == PipeTiming::kBuilt;
    plain_ = renaming_.is_plain() && config.in_flight_hits && config.scope != Scope::kLane;
}

void DetectionUnit::launch(const ConvolutionPacket& packet, std::uint32_t warps,
                           std::uint32_t a_fragments, Cycle now) {
    if (rename_.mapped_units() != 0) {
        throw std::logic_error("DetectionUnit: launch before all warps were released");
    }
    const Cycle programmed = now == kNever ? 0 : now;
    ids_.program(programmed, packet, config_.id_formula,
                 config_.keep == RetentionPolicy::kDuplicates);
    const std::uint32_t architectural = warps * a_fragments * shape_.count();
    renaming_.reset(architectural);
    const std::uint32_t physical = rename_.physical_units();
    lhb_.at(programmed);
    const std::uint32_t shift = config_.lhb_shift_bits == DuploConfig::kAutoShift
                                    ? packet.index_shift
                                    : config_.lhb_shift_bits;
    lhb_.program(shift, physical);
    pipe_.program(programmed, packet, shift, architectural, physical);
    state_.start(packet, warps, a_fragments, now == kNever ? kNever : now + config_.wake_cycles);
}

void DetectionUnit::power_off() {
    if (state_.powered()) {
        renaming_.drain_releases(kNever);
        clear_history();
    }
    state_.end();
}

void DetectionUnit::check_drained() {
    renaming_.drain_releases(kNever);
    ids_.finish();
    lhb_.finish();
    pipe_.finish();
    counters_.id_generator_rtl_cycles = ids_.rtl_cycles();
    counters_.lhb_rtl_cycles = lhb_.rtl_cycles();
    counters_.rename_rtl_cycles = rename_.rtl_cycles();
    counters_.core_rtl_cycles = pipe_.rtl_cycles();
    const bool dies_with_mapping =
        config_.lifetime == Lifetime::kMapped || config_.lifetime == Lifetime::kInFlight;
    if (dies_with_mapping && lhb_.size() != 0) {
        throw CheckError("detection unit: " + std::to_string(lhb_.size()) +
                         " LHB entries outlived their registers");
    }
    clear_history();
    renaming_.check_empty();
}

void DetectionUnit::begin(Cycle now, const FragmentLoad& load, ActiveLoad& active) {
    if (!state_.has(load) || load.sub_core >= sub_cores_) {
        throw std::logic_error(
            "DetectionUnit: load of a warp, fragment or sub-core never launched");
    }
    state_.begin(load, active);
    ++counters_.loads;
    const BypassReason bypass = state_.bypass(now);
    if (bypass != BypassReason::kNone) {
        DataId none;
        none.bypass = bypass;
        std::fill_n(active.ids.begin(), shape_.groups(), none);
        return;
    }
    const std::uint32_t first_arch = arch_unit(load.warp, load.fragment, 0);
    if (!rename_.has_device()) {
        rename_.model().host_prefetch_mappings(first_arch, shape_.count());
    }
    if (load.rows != nullptr) {
        ids_.generate_by_place(load.rows, active.ids.data());
    } else {
        ids_.generate(now, load.address, load.row_pitch_bytes, shape_.rows(), active.ids.data());
    }
    for (std::uint32_t group = 0; group < shape_.groups(); ++group) {
        active.keys[group] = key_of(active, active.ids[group], group);
        lhb_.host_prefetch(active.keys[group]);
    }
    for (std::uint32_t unit = 0; unit < shape_.count(); ++unit) {
        const PhysRegId old = rename_.mapping(first_arch + unit);
        if (!old.valid()) continue;
        if (!rename_.has_device()) rename_.model().host_prefetch(old);
        lhb_.host_prefetch(old);
    }
}

UnitOutcome DetectionUnit::access(Cycle now, const ActiveLoad& active, std::uint32_t unit) {
    if (built_) {
        RenamedUnit of = destination(now, active, unit);
        return pipe_.access(of, unit_key(active, unit), state_.detecting());
    }
    return plain_ ? access_by<true>(now, active, unit) : access_by<false>(now, active, unit);
}

RenamedUnit DetectionUnit::destination(Cycle now, const ActiveLoad& active,
                                       std::uint32_t unit) const {
    const std::uint32_t group = shape_.group_of(unit);
    return {now,
            active,
            active.ids[group],
            active.load.row(group * shape_.rows()),
            arch_unit(active.load.warp, active.load.fragment, unit),
            {}};
}

template <bool kPlain>
UnitOutcome DetectionUnit::access_by(Cycle now, const ActiveLoad& active, std::uint32_t unit) {
    if (!kPlain) lhb_.at(now), rename_.at(now);
    const bool timed = !kPlain && passes_pipe(active);
    if (timed) {
        static_cast<void>(history_.enter(now));
    } else if (!kPlain) {
        history_.bypass(now);
    }
    if (!kPlain) renaming_.drain_releases(now);
    const std::uint32_t group = shape_.group_of(unit);
    RenamedUnit of = destination(now, active, unit);
    const DataId& id = of.id;
    UnitOutcome outcome;

    // 1. The destination's old mapping ends, now or when this unit has its data.
    renaming_.end_mapping<kPlain>(of);

    // 2. Without an id, the unit is loaded into a fresh register that is never shared.
    outcome.bypass = state_.detecting() ? id.bypass : BypassReason::kOff;
    if (outcome.bypass != BypassReason::kNone) {
        ++counters_.bypasses[static_cast<std::size_t>(outcome.bypass)];
        outcome.kind = AccessKind::kBypass;
        if (timed) leave_pipe(active, group);
        outcome.phys = renaming_.allocate<kPlain>(of);
        outcome.ready = kNever;
        if (!kPlain) renaming_.end_deferred_with(of, outcome.phys);
        return outcome;
    }

    // 3. Known zeros need neither a register nor an entry.
    if (id.zero) {
        ++counters_.hits[static_cast<std::size_t>(HitClass::kZero)];
        outcome.kind = AccessKind::kZero;
        outcome.hit_class = HitClass::kZero;
        outcome.ready = now;
        if (timed) leave_pipe(active, group);
        if (!kPlain) renaming_.end_deferred_at(of, now + config_.latency_cycles + late());
        return outcome;
    }

    // 4. Look up the id; a hit shares the register.
    ++counters_.lookups;
    const LhbKey key = kPlain ? active.keys[group] : unit_key(active, unit);
    const PhysRegId found = find<kPlain>(key);
    if (timed) leave_pipe(active, group);
    if (found.valid() && (kPlain || renaming_.serves(now, found))) {
        return renaming_.hit<kPlain>(of, found);
    }

    // 5. A miss takes a fresh register and an entry that names it.
    outcome.kind = AccessKind::kMiss;
    outcome.phys = renaming_.allocate<kPlain>(of);
    outcome.ready = kNever;
    ++counters_.misses;
    if (!kPlain) renaming_.miss(id, outcome.phys);
    insert<kPlain>(key, outcome.phys);
    if (!kPlain) renaming_.end_deferred_with(of, outcome.phys);
    return outcome;
}

/// Ends the unit that entered the pipe last, after all its operations.
void DetectionUnit::leave_pipe(const ActiveLoad& active, std::uint32_t group) {
    const Cycle left = history_.leave();
    if (!ids_.has_device()) return;
    const Address address = active.load.row(group * shape_.rows());
    ids_.pass(history_.entered(), left, address, active.ids[group]);
}

void DetectionUnit::skip(Cycle now, const ActiveLoad& active, std::uint32_t unit) {
    RenamedUnit of = destination(now, active, unit);
    ++counters_.skipped;
    if (built_) {
        pipe_.end(of.arch, now);
        return;
    }
    lhb_.at(now);
    renaming_.drain_releases(now);
    renaming_.end_mapping<false>(of);
    renaming_.end_deferred_at(of, now);
}

void DetectionUnit::note_store(Address address, std::uint64_t bytes) {
    if (!state_.is_detected(address, bytes)) return;
    ++counters_.workspace_stores;
    clear_history();
    state_.stop_detection();
}

void DetectionUnit::release_warp(std::uint32_t warp, Cycle now) {
    const std::uint32_t first = arch_unit(warp, 0, 0);
    const std::uint32_t count = state_.a_fragments() * shape_.count();
    if (built_) {
        for (std::uint32_t arch = first; arch < first + count; ++arch) pipe_.end(arch, now);
    } else {
        lhb_.at(now);
        history_.settle_at(now);
        renaming_.drain_releases(now);
        renaming_.end_mappings(first, count);
    }
    state_.free_slot(warp);
}

void DetectionUnit::clear_history() {
    renaming_.clear_history();
    pipe_.clear();
}

PhysRegId DetectionUnit::mapping(std::uint32_t warp, std::uint32_t fragment,
                                 std::uint32_t unit) const {
    return rename_.mapping(arch_unit(warp, fragment, unit));
}

LhbKey DetectionUnit::key_of(const ActiveLoad& active, const DataId& id, std::uint32_t unit) const {
    std::uint32_t owner = 0;
    switch (scope_) {
        case Scope::kLane:
            owner = unit;
            break;
        case Scope::kWarp:
            owner = active.load.warp;
            break;
        case Scope::kSubCore:
            owner = active.load.sub_core;
            break;
        case Scope::kSm:
            break;
    }
    return LhbKey::make(id, owner, state_.tag());
}

}  // namespace tessera
