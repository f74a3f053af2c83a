#include "sc_models/duplo/rename_stage.h"

#include <string>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {

RenameStage::RenameStage(const DuploConfig& config, RenamePort& table, HistoryPipe& history,
                         DetectionCounters& counters)
    : lifetime_(config.lifetime),
      release_(config.release),
      keeps_(config.keep == RetentionPolicy::kDuplicates),
      latency_(config.latency_cycles),
      spare_units_(config.spare_units),
      table_(table),
      history_(history),
      counters_(counters),
      values_(config) {
    history.report_to(*this);
}

bool RenameStage::is_plain() const {
    return lifetime_ == Lifetime::kMapped && release_ == ReleasePoint::kIssue && !keeps_ &&
           !history_.limited() && !history_.buffer().has_device() && !table_.has_device();
}

void RenameStage::reset(std::uint32_t architectural) {
    table_.reset(architectural, architectural + spare_units_, entries_hold_references());
    const std::uint32_t physical = table_.physical_units();
    pending_.reset(physical);
    values_.reset(physical);
}

RenameDevice::Ended RenameStage::detach(std::uint32_t arch) {
    const PhysRegId old = table_.detach(arch);
    return {old, old.valid() && table_.drop(old)};
}

/// Ends a register without mappings, and its entry unless that outlives them.
void RenameStage::end_register(PhysRegId phys) {
    if (!outlives_mapping(phys)) counters_.releases += history_.release(phys) ? 1 : 0;
    if (release_ == ReleasePoint::kCommit) {
        // References waiting for this register's data need not wait any longer.
        pending_.announce(phys, 0);
    }
}

/// Returns whether the entry of a register is kept after its last mapping ended.
bool RenameStage::outlives_mapping(PhysRegId phys) {
    switch (lifetime_) {
        case Lifetime::kInFlight:
        case Lifetime::kMapped:
            return false;
        case Lifetime::kForever:
            return true;
        case Lifetime::kUntilReused:
            break;
    }
    if (!keeps_) return true;
    if (history_.keeps(phys)) {
        ++counters_.retained;
        return true;
    }
    table_.model().put_first(phys);
    return false;
}

void RenameStage::end_due(Cycle now) {
    for (PhysRegId old = pending_.pop_due(now); old.valid(); old = pending_.pop_due(now)) {
        drop<false>(old);
    }
}

void RenameStage::end_mappings(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t arch = first; arch < first + count; ++arch) {
        const PhysRegId phys = table_.detach(arch);
        if (phys.valid()) drop<false>(phys);
    }
}

/// Ends pending mappings early, the destination's last, until a register is free: the old values
/// were read before the overwriting loads issued.
void RenameStage::release_early(RenamedUnit& unit) {
    while (table_.free_units() == 0 && !table_.growing() && pending_.size() != 0) {
        ++counters_.early_releases;
        drop<false>(pending_.pop_oldest());
    }
    if (table_.free_units() == 0 && !table_.growing() && unit.deferred.valid()) {
        ++counters_.early_releases;
        drop<false>(std::exchange(unit.deferred, PhysRegId{}));
    }
}

/// Initialises a register that has just been mapped, growing the tables if the pool grew.
void RenameStage::prepare(PhysRegId phys) {
    if (phys.value() >= values_.size()) {
        const std::uint32_t physical = table_.physical_units();
        values_.grow(physical);
        history_.buffer().grow(physical);
        pending_.grow(physical);
    }
    if (lifetime_ == Lifetime::kUntilReused) {
        counters_.releases += history_.release(phys) ? 1 : 0;
    }
    values_.clear_users(phys);
}

bool RenameStage::serves(Cycle now, PhysRegId phys) {
    switch (values_.service(now, phys)) {
        case ValueTable::Service::kInFlight:
            ++counters_.in_flight_refused;
            return false;
        case ValueTable::Service::kExpired:
            ++counters_.expired;
            return false;
        case ValueTable::Service::kServes:
            break;
    }
    return true;
}

/// Updates the register of a hit, and the destination's old one.
void RenameStage::serve(const RenamedUnit& unit, const UnitOutcome& outcome, bool revived) {
    if (revived) ++counters_.revivals;
    // This load's recurrence is that of a later step along k, so it replaces the earlier one.
    if (keeps_) history_.buffer().set_recurs(outcome.phys, unit.id.recurs);
    const Cycle served = unit.now + latency_ + history_.late();
    const bool announced = outcome.ready != kNever;
    const Cycle has_data = announced ? std::max(served, outcome.ready) : served;
    values_.add_user(outcome.phys, has_data);
    if (!unit.deferred.valid()) return;
    if (announced) {
        pending_.end_at(unit.deferred, has_data);
    } else {
        pending_.end_with(unit.deferred, outcome.phys, served);
    }
}

void RenameStage::miss(const DataId& id, PhysRegId phys) {
    if (entries_hold_references()) table_.model().retain(phys);
    if (keeps_) history_.buffer().set_recurs(phys, id.recurs);
}

/// Handles a miss without an entry.
void RenameStage::refuse_entry(PhysRegId phys) {
    ++counters_.kept_out;
    if (entries_hold_references()) drop<false>(phys);
}

void RenameStage::clear_history() {
    history_.settle();
    HistoryPort& buffer = history_.buffer();
    if (entries_hold_references()) {
        for (std::uint32_t i = 0; i < table_.physical_units(); ++i) {
            if (buffer.names(PhysRegId{i})) drop<false>(PhysRegId{i});
        }
    }
    buffer.clear();
}

void RenameStage::check_empty() const {
    if (pending_.size() != 0 || table_.mapped_units() != 0) {
        throw CheckError("detection unit: " + std::to_string(table_.mapped_units()) +
                         " mappings and " + std::to_string(pending_.size()) +
                         " pending releases are left");
    }
    table_.check();
}

}  // namespace tessera
