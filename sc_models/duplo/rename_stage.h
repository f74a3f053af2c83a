// Rename stage of a detection unit: which register a unit has, and how long a register lives.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/duplo/active_load.h"
#include "sc_models/duplo/detection_counters.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/duplo/history_pipe.h"
#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/duplo/pending_releases.h"
#include "sc_models/duplo/value_table.h"

namespace tessera {

/// A unit of a load that is about to get a register.
struct RenamedUnit {
    Cycle now = 0;
    const ActiveLoad& active;
    const DataId& id;
    Address address = 0;
    std::uint32_t arch = 0;  ///< the destination
    PhysRegId deferred;      ///< the destination's old register, if it ends later
};

/// Rename table of a detection unit with the policy of lifetimes: a register and its entry in the
/// load history buffer (LHB) end with the last mapping (R1), its last user (R0), its reuse (R2) or
/// its entry (R3), and a mapping ends at the issue or the commit of the load that overwrites it.
///
/// Functions with kPlain are the fast path, without tests for each unit; see is_plain().
class RenameStage final : private InsertionListener {
public:
    /// `history`, whose insertions this receives, looks the units up. It must outlive this like the
    /// others.
    RenameStage(const DuploConfig& config, RenamePort& table, HistoryPipe& history,
                DetectionCounters& counters);
    RenameStage(const RenameStage&) = delete;
    RenameStage& operator=(const RenameStage&) = delete;

    /// Returns whether a register ends with its last mapping, at issue, and no value is kept for
    /// its recurrence; insertions are not delayed, and no device takes part.
    [[nodiscard]] bool is_plain() const;
    /// Sets the cycle of the operations that follow, for a device.
    void at(Cycle now) { table_.at(now); }
    /// Sets up the table for a kernel with `architectural` units, none of which is mapped.
    void reset(std::uint32_t architectural);

    /// Ends the destination's old mapping, or defers that to the commit of the load.
    template <bool kPlain>
    void end_mapping(RenamedUnit& unit) {
        const PhysRegId old = table<kPlain>().detach(unit.arch);
        if (!old.valid()) return;
        if (!kPlain && release_ == ReleasePoint::kCommit) {
            unit.deferred = old;
        } else {
            drop<kPlain>(old);
        }
    }
    /// Ends the mapping of a unit; the caller releases the entry of a register that ended.
    [[nodiscard]] RenameDevice::Ended detach(std::uint32_t arch);
    /// Ends the deferred register of a unit at `at`.
    void end_deferred_at(const RenamedUnit& unit, Cycle at) {
        if (unit.deferred.valid()) pending_.end_at(unit.deferred, at);
    }
    /// Ends it when the data of `phys` arrives.
    void end_deferred_with(const RenamedUnit& unit, PhysRegId phys) {
        if (unit.deferred.valid()) pending_.end_with(unit.deferred, phys, unit.now);
    }

    /// Maps a unit to a register of its own, which waits for data.
    template <bool kPlain>
    PhysRegId allocate(RenamedUnit& unit) {
        if (!kPlain) release_early(unit);
        const PhysRegId phys = table<kPlain>().map_new(unit.arch);
        if (!kPlain) prepare(phys);
        values_.begin(phys, unit.address, unit.active);
        return phys;
    }
    /// Maps a unit to the register that was found for it.
    template <bool kPlain>
    UnitOutcome hit(const RenamedUnit& unit, PhysRegId found) {
        const bool revived = table<kPlain>().share(unit.arch, found);
        UnitOutcome outcome;
        outcome.kind = AccessKind::kHit;
        outcome.hit_class = values_.classify(unit.active, unit.address, found);
        outcome.phys = found;
        outcome.ready = values_.ready(found);
        ++counters_.hits[static_cast<std::size_t>(outcome.hit_class)];
        if (!kPlain) serve(unit, outcome, revived);
        return outcome;
    }
    /// Returns whether the register of an entry may serve a hit at `now`.
    [[nodiscard]] bool serves(Cycle now, PhysRegId phys);
    /// Records a miss, before its entry is inserted.
    void miss(const DataId& id, PhysRegId phys);
    /// Counts the entry that an insertion for `phys` replaced, and ends the references of entries.
    template <bool kPlain>
    void replace(PhysRegId phys, const LoadHistoryBuffer::Replaced& replaced) {
        if (!kPlain && replaced.kept_out) refuse_entry(phys);
        if (!replaced.phys.valid()) return;
        if (!replaced.same_key) ++counters_.evictions;
        if (!kPlain && entries_hold_references()) drop<false>(replaced.phys);
    }
    void set_ready(PhysRegId phys, Cycle cycle) {
        values_.set_ready(phys, cycle);
        if (release_ == ReleasePoint::kCommit) pending_.announce(phys, cycle);
    }

    /// Ends the mappings whose deferred end is due at `now`.
    void drain_releases(Cycle now) {
        if (pending_.size() != 0) end_due(now);
    }
    /// Ends the mappings of `count` units from `first` on.
    void end_mappings(std::uint32_t first, std::uint32_t count);
    /// Clears the LHB after pending insertions.
    void clear_history();
    /// Throws CheckError naming the mappings and pending releases that are left, or what is wrong
    /// with the table.
    void check_empty() const;

private:
    void on_inserted(PhysRegId phys, const LoadHistoryBuffer::Replaced& replaced) override {
        replace<false>(phys, replaced);
    }

    template <bool kPlain>
    [[nodiscard]] auto& table() {
        if constexpr (kPlain) {
            return table_.model();
        } else {
            return table_;
        }
    }
    /// Drops a reference to a register.
    template <bool kPlain>
    void drop(PhysRegId phys) {
        if (!table<kPlain>().drop(phys)) return;
        if (kPlain) {
            counters_.releases += history_.buffer().model().release(phys) ? 1 : 0;
        } else {
            end_register(phys);
        }
    }
    void end_due(Cycle now);
    void end_register(PhysRegId phys);
    [[nodiscard]] bool outlives_mapping(PhysRegId phys);
    void release_early(RenamedUnit& unit);
    void prepare(PhysRegId phys);
    void serve(const RenamedUnit& unit, const UnitOutcome& outcome, bool revived);
    void refuse_entry(PhysRegId phys);
    /// R3: a register lives as long as an entry names it.
    [[nodiscard]] bool entries_hold_references() const { return lifetime_ == Lifetime::kForever; }

    const Lifetime lifetime_;
    const ReleasePoint release_;
    const bool keeps_;  ///< retention of duplicates (duplo.keep)
    const Cycle latency_;
    const std::uint32_t spare_units_;
    RenamePort& table_;
    HistoryPipe& history_;
    DetectionCounters& counters_;
    ValueTable values_;
    PendingReleases pending_;
};

}  // namespace tessera
