#include "sc_models/duplo/detection_unit.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/host_memory.h"
#include "sc_models/config/engine/config_entries.h"

namespace tessera {

std::uint64_t DetectionCounters::total_hits() const {
    return std::accumulate(hits.begin(), hits.end(), std::uint64_t{0});
}

std::uint64_t DetectionCounters::total_bypasses() const {
    return std::accumulate(bypasses.begin(), bypasses.end(), std::uint64_t{0});
}

DetectionUnit::DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores)
    : DetectionUnit(config, sub_cores, std::make_unique<OwnBlocks>(config)) {}

DetectionUnit::DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores,
                             std::unique_ptr<OwnBlocks> own)
    : DetectionUnit(config, sub_cores, own->all()) {
    own_ = std::move(own);
}

DetectionUnit::DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores,
                             const DetectionBlocks& blocks)
    : settings_{config.lifetime, config.release, config.scope, config.in_flight_hits,
                config.latency_cycles},
      config_(config),
      sub_cores_(sub_cores),
      shape_(units_of(config)),
      keeps_(config.keep == RetentionPolicy::kDuplicates),
      ids_(blocks.ids),
      lhb_(blocks.history),
      rename_(blocks.rename),
      core_(blocks.core) {
    if (config.lhb_shift_bits > 31 && config.lhb_shift_bits != DuploConfig::kAutoShift) {
        throw ConfigError("duplo.lhb.shift_bits: got " + std::to_string(config.lhb_shift_bits) +
                          ", expected 0 to 31 or auto");
    }
    if (config.lookups_per_cycle != DuploConfig::kUnlimitedLookups) {
        port_.emplace(config.lookups_per_cycle, config.latency_cycles);
        built_ = config.pipe == PipeTiming::kBuilt;
    }
    plain_ = is_plain();
}

/// Returns whether the fast path applies: a register ends with its last mapping, at issue; hits may
/// wait for data in flight; entries are shared beyond a lane; no retention, no lookup limit and no
/// device.
bool DetectionUnit::is_plain() const {
    return settings_.lifetime == Lifetime::kMapped && settings_.release == ReleasePoint::kIssue &&
           settings_.in_flight_hits && settings_.scope != Scope::kLane && !keeps_ && !port_ &&
           !lhb_.has_device() && !rename_.has_device();
}

void DetectionUnit::begin(Cycle now, const FragmentLoad& load, ActiveLoad& active) {
    if (load.warp >= warps_ || load.fragment >= a_fragments_ || load.sub_core >= sub_cores_) {
        throw std::logic_error(
            "DetectionUnit: load of a warp, fragment or sub-core never launched");
    }
    active.load = load;
    active.serial = next_serial_++;
    active.producer = producer_of_slot_[load.warp];
    ++counters_.loads;
    if (!detecting_ || now < awake_at_) {
        DataId none;
        none.bypass = detecting_ ? BypassReason::kAsleep : BypassReason::kOff;
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
    if (built_) return access_built(now, active, unit);
    return plain_ ? access_by<true>(now, active, unit) : access_by<false>(now, active, unit);
}

template <bool kPlain>
UnitOutcome DetectionUnit::access_by(Cycle now, const ActiveLoad& active, std::uint32_t unit) {
    if (!kPlain) lhb_.at(now), rename_.at(now);
    const bool timed = !kPlain && port_ && enter_port(now, active);
    if (!kPlain) drain_releases(now);
    const std::uint32_t group = shape_.group_of(unit);
    const DataId& id = active.ids[group];
    const Address address = active.load.row(group * shape_.rows());
    const std::uint32_t arch = arch_unit(active.load.warp, active.load.fragment, unit);
    Lookup of{now, active, id, address, arch, {}};
    UnitOutcome outcome;

    // 1. The destination's old mapping ends, now or when this unit has its data.
    end_mapping<kPlain>(arch, of.deferred);

    // 2. Without an id, the unit is loaded into a fresh register that is never shared.
    outcome.bypass = detecting_ ? id.bypass : BypassReason::kOff;
    if (outcome.bypass != BypassReason::kNone) {
        ++counters_.bypasses[static_cast<std::size_t>(outcome.bypass)];
        outcome.kind = AccessKind::kBypass;
        if (timed) leave_port(active, group);
        outcome.phys = allocate<kPlain>(of);
        outcome.ready = kNever;
        if (!kPlain && of.deferred.valid()) {
            pending_.end_with(of.deferred, outcome.phys, now);
        }
        return outcome;
    }

    // 3. Known zeros need neither a register nor an entry.
    if (id.zero) {
        ++counters_.hits[static_cast<std::size_t>(HitClass::kZero)];
        outcome.kind = AccessKind::kZero;
        outcome.hit_class = HitClass::kZero;
        outcome.ready = now;
        if (timed) leave_port(active, group);
        if (!kPlain && of.deferred.valid()) {
            pending_.end_at(of.deferred, now + settings_.latency + late_);
        }
        return outcome;
    }

    // 4. Look up the id; a hit shares the register.
    ++counters_.lookups;
    const bool lanes_alone = !kPlain && settings_.scope == Scope::kLane;
    const LhbKey key = lanes_alone ? key_of(active, id, unit) : active.keys[group];
    PhysRegId found;
    if (timed) {
        found = find_in_time(key);
        leave_port(active, group);
    } else {
        found = find<kPlain>(key);
    }
    if (found.valid() && (kPlain || usable(now, found))) return hit<kPlain>(of, found);

    // 5. A miss takes a fresh register and an entry that names it.
    outcome.kind = AccessKind::kMiss;
    outcome.phys = allocate<kPlain>(of);
    outcome.ready = kNever;
    ++counters_.misses;
    if (!kPlain) note_miss(id, outcome.phys);
    if (timed) {
        insert_in_time(key, outcome.phys);
    } else {
        insert<kPlain>(key, outcome.phys);
    }
    if (!kPlain && of.deferred.valid()) {
        pending_.end_with(of.deferred, outcome.phys, now);
    }
    return outcome;
}

template <bool kPlain>
UnitOutcome DetectionUnit::hit(const Lookup& of, PhysRegId found) {
    const PhysInfo& info = info_[found.value()];
    const bool revived = registers<kPlain>().share(of.arch, found);
    UnitOutcome outcome;
    outcome.kind = AccessKind::kHit;
    outcome.hit_class = classify(of.active, info, of.address);
    outcome.phys = found;
    outcome.ready = info.ready;
    ++counters_.hits[static_cast<std::size_t>(outcome.hit_class)];
    if (kPlain) return outcome;
    if (revived) ++counters_.revivals;
    // This load's recurrence is that of a later step along k, so it replaces the earlier one.
    if (keeps_) lhb_.set_recurs(found, of.id.recurs);
    const Cycle served = of.now + settings_.latency + late_;
    if (settings_.lifetime == Lifetime::kInFlight) {
        note_use(found, info.ready == kNever ? served : std::max(served, info.ready));
    }
    if (!of.deferred.valid()) return outcome;
    if (info.ready == kNever) {
        pending_.end_with(of.deferred, found, served);
    } else {
        pending_.end_at(of.deferred, std::max(served, info.ready));
    }
    return outcome;
}

/// Updates the register of a miss on the slow path.
void DetectionUnit::note_miss(const DataId& id, PhysRegId phys) {
    // With kForever a register lives as long as an entry names it: the entry holds a reference.
    if (settings_.lifetime == Lifetime::kForever) rename_.model().retain(phys);
    if (keeps_) lhb_.set_recurs(phys, id.recurs);
}

void DetectionUnit::skip(Cycle now, const ActiveLoad& active, std::uint32_t unit) {
    const std::uint32_t arch = arch_unit(active.load.warp, active.load.fragment, unit);
    ++counters_.skipped;
    if (built_) {
        end_built(now, arch);
        return;
    }
    lhb_.at(now);
    drain_releases(now);
    PhysRegId deferred;
    end_mapping<false>(arch, deferred);
    if (deferred.valid()) pending_.end_at(deferred, now);
}

void DetectionUnit::set_ready(PhysRegId phys, Cycle cycle) {
    info_[phys.value()].ready = cycle;
    if (settings_.lifetime == Lifetime::kInFlight) {
        note_use(phys, cycle);
    }
    if (settings_.release == ReleasePoint::kCommit) {
        pending_.announce(phys, cycle);
    }
}

PhysRegId DetectionUnit::mapping(std::uint32_t warp, std::uint32_t fragment,
                                 std::uint32_t unit) const {
    return rename_.mapping(arch_unit(warp, fragment, unit));
}

LhbKey DetectionUnit::key_of(const ActiveLoad& active, const DataId& id, std::uint32_t unit) const {
    std::uint32_t owner = 0;
    switch (settings_.scope) {
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
    return LhbKey::make(id, owner, kernel_tag_);
}

HitClass DetectionUnit::classify(const ActiveLoad& active, const PhysInfo& info,
                                 Address address) const {
    if (info.serial == active.serial) {
        return HitClass::kOctetCopy;
    }
    const bool same_warp = info.producer == active.producer;
    if (info.address == address) {
        return same_warp ? HitClass::kSameAddressSameWarp : HitClass::kSameAddressOtherWarp;
    }
    return same_warp ? HitClass::kLoweringDuplicateSameWarp : HitClass::kLoweringDuplicateOtherWarp;
}

/// Returns whether a matching entry may serve a hit at `now`.
bool DetectionUnit::usable(Cycle now, PhysRegId phys) {
    const PhysInfo& info = info_[phys.value()];
    const bool in_flight = info.ready == kNever || now < info.ready;
    if (in_flight && !settings_.in_flight_hits) {
        ++counters_.in_flight_refused;
        return false;
    }
    if (settings_.lifetime == Lifetime::kInFlight && !in_flight && now >= last_use_[phys.value()]) {
        ++counters_.expired;
        return false;
    }
    return true;
}

void DetectionUnit::note_use(PhysRegId phys, Cycle served) {
    last_use_[phys.value()] = std::max(last_use_[phys.value()], served);
}

template <bool kPlain>
void DetectionUnit::end_mapping(std::uint32_t arch, PhysRegId& deferred) {
    const PhysRegId old = registers<kPlain>().detach(arch);
    if (!old.valid()) {
        return;
    }
    if (!kPlain && settings_.release == ReleasePoint::kCommit) {
        deferred = old;
    } else {
        drop<kPlain>(old);
    }
}

template <bool kPlain>
void DetectionUnit::drop(PhysRegId phys) {
    if (!registers<kPlain>().drop(phys)) {
        return;
    }
    if (kPlain || !outlives_mapping(phys)) {
        const bool named = kPlain ? lhb_.model().release(phys) : release_entry(phys);
        counters_.releases += named ? 1 : 0;
    }
    if (!kPlain && settings_.release == ReleasePoint::kCommit) {
        // References waiting for this register's data need not wait any longer.
        pending_.announce(phys, 0);
    }
}

/// Returns whether the entry of a register is kept after its last mapping ended.
bool DetectionUnit::outlives_mapping(PhysRegId phys) {
    switch (settings_.lifetime) {
        case Lifetime::kInFlight:
        case Lifetime::kMapped:
            return false;
        case Lifetime::kForever:
            return true;
        case Lifetime::kUntilReused:
            break;
    }
    if (!keeps_) return true;
    if (port_) settle_insertion_of(phys);
    if (lhb_.keeps(phys)) {
        ++counters_.retained;
        return true;
    }
    rename_.model().put_first(phys);
    return false;
}

void DetectionUnit::drain_releases(Cycle now) {
    if (pending_.size() == 0) {
        return;
    }
    for (PhysRegId old = pending_.pop_due(now); old.valid(); old = pending_.pop_due(now)) {
        drop(old);
    }
}

template <bool kPlain>
PhysRegId DetectionUnit::allocate(Lookup& of) {
    if (!kPlain) release_early(of);
    const PhysRegId phys = registers<kPlain>().map_new(of.arch);
    if (!kPlain) prepare(phys);
    info_[phys.value()] = {kNever, of.address, of.active.serial, of.active.producer};
    return phys;
}

/// Ends pending mappings early, the destination's last, until a register is free: the old values
/// were read before the overwriting loads issued.
void DetectionUnit::release_early(Lookup& of) {
    while (rename_.free_units() == 0 && !rename_.growing() && pending_.size() != 0) {
        ++counters_.early_releases;
        drop(pending_.pop_oldest());
    }
    if (rename_.free_units() == 0 && !rename_.growing() && of.deferred.valid()) {
        ++counters_.early_releases;
        drop(std::exchange(of.deferred, PhysRegId{}));
    }
}

/// Initialises a register that has just been mapped, growing the tables if the pool grew.
void DetectionUnit::prepare(PhysRegId phys) {
    if (phys.value() >= info_.size()) {
        const std::uint32_t physical = rename_.physical_units();
        info_.resize(physical);
        last_use_.resize(physical);
        lhb_.grow(physical);
        pending_.grow(physical);
    }
    if (settings_.lifetime == Lifetime::kUntilReused) {
        counters_.releases += release_entry(phys) ? 1 : 0;
    }
    if (settings_.lifetime == Lifetime::kInFlight) last_use_[phys.value()] = 0;
}

template <bool kPlain>
void DetectionUnit::insert(const LhbKey& key, PhysRegId phys) {
    const LoadHistoryBuffer::Replaced replaced =
        kPlain ? lhb_.model().insert(key, phys) : lhb_.insert(key, phys);
    const bool holds_references = !kPlain && settings_.lifetime == Lifetime::kForever;
    if (!kPlain && replaced.kept_out) {
        ++counters_.kept_out;
        if (holds_references) drop(phys);
    }
    if (!replaced.phys.valid()) return;
    if (!replaced.same_key) ++counters_.evictions;
    if (holds_references) drop(replaced.phys);
}

// Used by the other source files of the unit.
template void DetectionUnit::insert<false>(const LhbKey& key, PhysRegId phys);
template void DetectionUnit::drop<false>(PhysRegId phys);
template PhysRegId DetectionUnit::allocate<false>(Lookup& of);
template UnitOutcome DetectionUnit::hit<false>(const Lookup& of, PhysRegId found);

}  // namespace tessera
