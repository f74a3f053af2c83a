// Detection unit of Duplo: finds A-fragment loads whose data is already in the register file.
#pragma once

#include <cstdint>
#include <memory>

#include "sc_models/common/types.h"
#include "sc_models/duplo/active_load.h"
#include "sc_models/duplo/built_pipe.h"
#include "sc_models/duplo/detection_counters.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/duplo/detection_state.h"
#include "sc_models/duplo/history_pipe.h"
#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/duplo/rename_stage.h"
#include "sc_models/duplo/rename_units.h"
#include "sc_models/isa/convolution_packet.h"

namespace tessera {

/// ID generator, load history buffer and rename table of A fragments of one SM (Duplo IV), untimed:
/// the caller passes the cycle and adds `latency_cycles` itself. With limited lookups the unit
/// models the timing of its pipe (LookupPort): the caller queries `open_at`, and a missed id can be
/// found only from the cycle of its insertion on.
///
/// Call order, for each kernel: `launch`, then for each A-fragment load `begin` and, for every unit
/// in this order, `access`; after a miss or bypass `set_ready(outcome.phys, cycle)` once the
/// arrival is known. `release_warp` when a warp exits, `note_store` for every global store. Units
/// are rows (all 16 of octet copy 0, then those of copy 1), half-tiles (likewise) or the tile.
///
/// Registers: every unit of every A fragment of a resident warp is an architectural unit that maps
/// to one physical unit or, if zero or never loaded, to none. As many physical as architectural
/// units therefore never run out (R2 adds `spare_units`, R3 grows without limit). One pool serves
/// the SM; with sub-core or warp scope, sharing stays within a sub-core, so the bound holds for
/// each sub-core's part too.
class DetectionUnit {
public:
    /// Makes a unit over `blocks`, which must outlive it.
    DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores,
                  const DetectionBlocks& blocks);
    /// Makes a unit with models of its own. Throws ConfigError for an LHB whose entries are no
    /// multiple of its ways.
    DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores);
    DetectionUnit(const DetectionUnit&) = delete;
    DetectionUnit& operator=(const DetectionUnit&) = delete;

    /// Starts a convolution kernel: programs the ID generator, clears the LHB and sets up the
    /// rename table for `warps` warp slots of `a_fragments` A fragments each. Lookups start
    /// `wake_cycles` after `now` (kNever: after the cycle passed to `wake`). All warps of the
    /// previous kernel must have been released. Throws ConfigError for a bad packet.
    void launch(const ConvolutionPacket& packet, std::uint32_t warps, std::uint32_t a_fragments,
                Cycle now);
    /// Reports that the packet of a `launch` with `now` kNever arrives at `now`.
    void wake(Cycle now) { state_.wake_at(now + config_.wake_cycles); }
    /// Power-gates the unit: the kernel ended, or one without a packet starts.
    void power_off();
    /// Returns whether A fragments go through the rename table: between `launch` and `power_off`.
    [[nodiscard]] bool powered() const { return state_.powered(); }
    /// Returns whether ids are looked up: powered, and no store into the workspace seen.
    [[nodiscard]] bool detecting() const { return state_.detecting(); }
    [[nodiscard]] Cycle awake_at() const { return state_.awake_at(); }

    /// Returns the rename units of an A fragment.
    [[nodiscard]] const FragmentUnits& shape() const { return shape_; }

    /// Starts a load: generates its ids (one exact division, then stepping). Throws
    /// std::logic_error if the warp, the fragment or the sub-core is not one of those launched.
    void begin(Cycle now, const FragmentLoad& load, ActiveLoad& active);
    /// Returns the first cycle at or after `now` at which a unit of the load can be looked up.
    [[nodiscard]] Cycle open_at(Cycle now, const ActiveLoad& active) const {
        return passes_pipe(active) ? history_.open_at(now) : now;
    }
    /// Looks up and renames unit `unit` of the load. The destination's old mapping ends just before
    /// (release at issue) or when this unit has its data (release at commit).
    UnitOutcome access(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    /// Returns the delay of the last answer beyond `latency_cycles`.
    [[nodiscard]] Cycle late() const { return history_.late(); }
    /// Skips unit `unit` of the load, whose lanes are predicated off: ends the destination's
    /// mapping, which makes the unit zero.
    void skip(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    /// Reports that the data of a missed or bypassed unit arrives at `cycle`.
    void set_ready(PhysRegId phys, Cycle cycle) { renaming_.set_ready(phys, cycle); }

    /// Reports a store to [address, address + bytes). A store into the workspace clears the LHB and
    /// ends detection for this kernel (invalidating the matching tag is not enough: other copies of
    /// the value would be stale).
    void note_store(Address address, std::uint64_t bytes);
    /// Ends all mappings of a warp that exited.
    void release_warp(std::uint32_t warp, Cycle now);

    /// Returns the physical unit of a unit of a fragment; invalid if zero or never loaded.
    [[nodiscard]] PhysRegId mapping(std::uint32_t warp, std::uint32_t fragment,
                                    std::uint32_t unit) const;
    [[nodiscard]] std::uint32_t physical_units() const { return rename_.physical_units(); }
    [[nodiscard]] const DetectionCounters& counters() const { return counters_; }
    [[nodiscard]] const HistoryPort& history() const { return lhb_; }
    [[nodiscard]] const RenameTable& rename_table() const { return rename_.model(); }
    /// Checks, after all warps were released, that nothing leaked; throws CheckError naming a
    /// mapping, a count, a register missing from the free list, or under R0 and R1 an LHB entry.
    void check_drained();

private:
    [[nodiscard]] std::uint32_t arch_unit(std::uint32_t warp, std::uint32_t fragment,
                                          std::uint32_t unit) const {
        return (warp * state_.a_fragments() + fragment) * shape_.count() + unit;
    }
    [[nodiscard]] RenamedUnit destination(Cycle now, const ActiveLoad& active,
                                          std::uint32_t unit) const;
    [[nodiscard]] LhbKey key_of(const ActiveLoad& active, const DataId& id,
                                std::uint32_t unit) const;
    /// Key of a unit's id.
    [[nodiscard]] LhbKey unit_key(const ActiveLoad& active, std::uint32_t unit) const {
        const std::uint32_t group = shape_.group_of(unit);
        return scope_ == Scope::kLane ? key_of(active, active.ids[group], unit)
                                      : active.keys[group];
    }
    /// Returns whether the units of a load pass the pipe.
    [[nodiscard]] bool passes_pipe(const ActiveLoad& active) const {
        return history_.limited() &&
               (built_ || (state_.detecting() && active.ids[0].bypass != BypassReason::kAsleep));
    }
    void leave_pipe(const ActiveLoad& active, std::uint32_t group);
    void clear_history();

    // kPlain: fast path, without tests for each unit, see RenameStage::is_plain().
    template <bool kPlain>
    UnitOutcome access_by(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    template <bool kPlain>
    [[nodiscard]] PhysRegId find(const LhbKey& key) {
        return kPlain ? lhb_.model().find(key) : history_.find(key);
    }
    template <bool kPlain>
    void insert(const LhbKey& key, PhysRegId phys) {
        if (kPlain) {
            renaming_.replace<true>(phys, lhb_.model().insert(key, phys));
        } else {
            history_.insert(key, phys);
        }
    }

    /// Models of a unit that has no modules around it.
    struct OwnBlocks {
        explicit OwnBlocks(const DuploConfig& config) : history(config) {}
        IdPort ids;
        HistoryPort history;
        RenamePort rename;

        [[nodiscard]] DetectionBlocks all() { return {ids, history, rename, nullptr}; }
    };
    DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores,
                  std::unique_ptr<OwnBlocks> own);

    DuploConfig config_;
    Scope scope_;
    std::uint32_t sub_cores_;
    FragmentUnits shape_;
    bool plain_ = false;  ///< the fast path applies
    bool built_ = false;  ///< duplo.pipe built
    DetectionState state_;
    std::unique_ptr<OwnBlocks> own_;  ///< null: the blocks are owned elsewhere
    IdPort& ids_;
    HistoryPort& lhb_;
    RenamePort& rename_;
    DetectionCounters counters_;
    HistoryPipe history_;
    RenameStage renaming_;
    BuiltPipe pipe_;
};

}  // namespace tessera
