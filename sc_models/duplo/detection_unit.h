// Detection unit of Duplo: finds A-fragment loads whose data is already in the register file.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/duplo/data_id.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/duplo/hit_class.h"
#include "sc_models/duplo/id_generator.h"
#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "sc_models/duplo/lookup_port.h"
#include "sc_models/duplo/pending_releases.h"
#include "sc_models/duplo/rename_table.h"
#include "sc_models/duplo/rename_units.h"
#include "sc_models/isa/convolution_packet.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// One wmma.load.a.
struct FragmentLoad {
    std::uint32_t warp = 0;      ///< warp slot in the SM
    std::uint32_t sub_core = 0;  ///< sub-core of the warp
    std::uint32_t fragment = 0;  ///< index of the destination among the warp's A fragments
    Address address = 0;         ///< address of row 0
    std::uint32_t row_pitch_bytes = 0;
    const Address* rows =
        nullptr;  ///< 16 arbitrary row addresses, valid until the next load; null: use the pitch

    [[nodiscard]] Address row(std::uint32_t index) const {
        return rows != nullptr ? rows[index] : address + Address{index} * row_pitch_bytes;
    }
};

/// State of a load in the detection unit: the ids of all its units, generated once by `begin`. The
/// caller owns it and may reuse it for the next load.
struct ActiveLoad {
    FragmentLoad load;
    std::uint32_t serial = 0;  ///< counts the loads of the kernel, modulo 2^32
    /// Identifier of the warp; warps that reuse a slot get different ones.
    std::uint32_t producer = 0;
    std::array<DataId, kFragmentRows> ids;   ///< one for each row, half-tile or tile
    std::array<LhbKey, kFragmentRows> keys;  ///< keys of the ids, unless the scope is a lane
};

/// Result of the access to one unit of a load.
struct UnitOutcome {
    /// Misses leave an LHB entry that names the register; bypasses do not.
    AccessKind kind = AccessKind::kBypass;
    HitClass hit_class = HitClass::kZero;       ///< class of a hit or zero
    BypassReason bypass = BypassReason::kNone;  ///< reason of a bypass
    PhysRegId phys;   ///< register that holds the unit from now on; invalid for kZero
    Cycle ready = 0;  ///< hit: arrival of the producer's data (kNever: not announced yet)
};

/// Event counters of a detection unit, over all kernels.
struct DetectionCounters {
    std::uint64_t loads = 0;    ///< A-fragment loads begun
    std::uint64_t lookups = 0;  ///< units looked up in the LHB (not bypassed, not zero)
    std::uint64_t skipped = 0;  ///< units of staged copies that are predicated off
    std::uint64_t misses = 0;
    std::array<std::uint64_t, kHitClasses> hits{};
    std::array<std::uint64_t, kBypassReasons> bypasses{};  ///< units
    std::uint64_t evictions = 0;                           ///< LHB entries replaced by another id
    std::uint64_t releases = 0;           ///< LHB entries cleared because their register died
    std::uint64_t in_flight_refused = 0;  ///< matches refused because the data was in flight
    std::uint64_t expired = 0;            ///< R0: matches whose last user had its data already
    std::uint64_t revivals = 0;           ///< R2: hits on registers of the free list
    std::uint64_t retained = 0;  ///< R2, keep: dead registers kept because their value recurs
    std::uint64_t kept_out = 0;  ///< keep: misses without an entry, as all entries of the set recur
    std::uint64_t early_releases =
        0;  ///< commit-time releases brought forward for lack of registers
    std::uint64_t workspace_stores = 0;
    /// Clock cycles of RTL in place of the blocks, and of the whole unit beside them, up to the end
    /// of the last kernel.
    std::uint64_t id_generator_rtl_cycles = 0, lhb_rtl_cycles = 0, rename_rtl_cycles = 0,
                  core_rtl_cycles = 0;

    [[nodiscard]] std::uint64_t total_hits() const;
    [[nodiscard]] std::uint64_t total_bypasses() const;
};

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

    /// Starts a convolution kernel: programs the ID generator, clears the LHB and sets up the
    /// rename table for `warps` warp slots of `a_fragments` A fragments each. Lookups start
    /// `wake_cycles` after `now` (kNever: after the cycle passed to `wake`). All warps of the
    /// previous kernel must have been released. Throws ConfigError for a bad packet.
    void launch(const ConvolutionPacket& packet, std::uint32_t warps, std::uint32_t a_fragments,
                Cycle now);
    /// Reports that the packet of a `launch` with `now` kNever arrives at `now`.
    void wake(Cycle now) { awake_at_ = now + config_.wake_cycles; }
    /// Power-gates the unit: the kernel ended, or one without a packet starts.
    void power_off();
    /// Returns whether A fragments go through the rename table: between `launch` and `power_off`.
    [[nodiscard]] bool powered() const { return powered_; }
    /// Returns whether ids are looked up: powered, and no store into the workspace seen.
    [[nodiscard]] bool detecting() const { return detecting_; }
    [[nodiscard]] Cycle awake_at() const { return awake_at_; }

    /// Returns the rename units of an A fragment.
    [[nodiscard]] const FragmentUnits& shape() const { return shape_; }

    /// Starts a load: generates its ids (one exact division, then stepping). Throws
    /// std::logic_error if the warp, the fragment or the sub-core is not one of those launched.
    void begin(Cycle now, const FragmentLoad& load, ActiveLoad& active);
    /// Returns the first cycle at or after `now` at which a unit of the load can be looked up.
    [[nodiscard]] Cycle open_at(Cycle now, const ActiveLoad& active) const {
        return passes_port(active) ? port_->open_at(now) : now;
    }
    /// Looks up and renames unit `unit` of the load. The destination's old mapping ends just before
    /// (release at issue) or when this unit has its data (release at commit).
    UnitOutcome access(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    /// Returns the delay of the last answer beyond `latency_cycles`.
    [[nodiscard]] Cycle late() const { return late_; }
    /// Skips unit `unit` of the load, whose lanes are predicated off: ends the destination's
    /// mapping, which makes the unit zero.
    void skip(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    /// Reports that the data of a missed or bypassed unit arrives at `cycle`.
    void set_ready(PhysRegId phys, Cycle cycle);

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
    /// State of the value in a physical unit.
    struct PhysInfo {
        Cycle ready = 0;           ///< arrival; kNever until announced
        Address address = 0;       ///< address it was loaded from
        std::uint32_t serial = 0;  ///< serial of the load, as in ActiveLoad
        std::uint32_t producer = 0;
    };

    [[nodiscard]] std::uint32_t arch_unit(std::uint32_t warp, std::uint32_t fragment,
                                          std::uint32_t unit) const {
        return (warp * a_fragments_ + fragment) * shape_.count() + unit;
    }
    [[nodiscard]] LhbKey key_of(const ActiveLoad& active, const DataId& id,
                                std::uint32_t unit) const;
    [[nodiscard]] HitClass classify(const ActiveLoad& active, const PhysInfo& info,
                                    Address address) const;
    [[nodiscard]] bool usable(Cycle now, PhysRegId phys);
    void note_use(PhysRegId phys, Cycle served);
    [[nodiscard]] bool outlives_mapping(PhysRegId phys);
    void drain_releases(Cycle now);
    void clear_history();

    /// Returns the rename table; on the fast path its model.
    template <bool kPlain>
    [[nodiscard]] auto& registers() {
        if constexpr (kPlain) {
            return rename_.model();
        } else {
            return rename_;
        }
    }
    // kPlain: fast path under the rules of is_plain(), without tests for each unit.
    [[nodiscard]] bool is_plain() const;
    template <bool kPlain>
    UnitOutcome access_by(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    template <bool kPlain>
    void end_mapping(std::uint32_t arch, PhysRegId& deferred);
    template <bool kPlain = false>
    void drop(PhysRegId phys);
    /// A unit being processed by access_by().
    struct Lookup {
        Cycle now = 0;
        const ActiveLoad& active;
        const DataId& id;
        Address address = 0;
        std::uint32_t arch = 0;
        PhysRegId deferred;  ///< the destination's old register, if it ends later
    };
    template <bool kPlain>
    PhysRegId allocate(Lookup& of);
    template <bool kPlain>
    UnitOutcome hit(const Lookup& of, PhysRegId found);
    void note_miss(const DataId& id, PhysRegId phys);
    void release_early(Lookup& of);
    void prepare(PhysRegId phys);
    template <bool kPlain>
    [[nodiscard]] PhysRegId find(const LhbKey& key) {
        return kPlain ? lhb_.model().find(key) : lhb_.find(key);
    }
    template <bool kPlain>
    void insert(const LhbKey& key, PhysRegId phys);

    // Defined in detection_unit_port.cpp (port) and detection_unit_kernel.cpp (start and end of a
    // kernel, a warp and detection).
    [[nodiscard]] bool passes_port(const ActiveLoad& active) const {
        return port_ && (built_ || (detecting_ && active.ids[0].bypass != BypassReason::kAsleep));
    }
    [[nodiscard]] bool release_entry(PhysRegId phys) {
        return port_ ? release_in_time(phys) : lhb_.release(phys);
    }
    [[nodiscard]] bool enter_port(Cycle now, const ActiveLoad& active);
    [[nodiscard]] Cycle operate();
    [[nodiscard]] PhysRegId find_in_time(const LhbKey& key);
    [[nodiscard]] bool release_in_time(PhysRegId phys);
    void insert_in_time(const LhbKey& key, PhysRegId phys);
    void insert_oldest(Cycle at);
    void settle_insertions();
    void settle_insertion_of(PhysRegId phys);
    void leave_port(const ActiveLoad& active, std::uint32_t group);

    // Defined in detection_unit_built.cpp: the pipe with the timing of rtl/duplo_core.
    UnitOutcome access_built(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    void end_built(Cycle now, std::uint32_t arch);
    [[nodiscard]] Cycle enter_built(Cycle now);
    Cycle leave_built();
    void release_behind(PhysRegId phys);
    [[nodiscard]] PipeUnit pipe_unit(const ActiveLoad& active, const LhbKey& key,
                                     std::uint32_t unit) const;

    /// A miss whose entry has yet to be inserted.
    struct PendingInsertion {
        LhbKey key;
        PhysRegId phys;
    };

    /// Settings read by lookups, kept together for the host's caches.
    struct LookupSettings {
        Lifetime lifetime;
        ReleasePoint release;
        Scope scope;
        bool in_flight_hits;
        Cycle latency;
    };

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

    LookupSettings settings_;
    DuploConfig config_;
    std::uint32_t sub_cores_;
    FragmentUnits shape_;
    std::uint32_t warps_ = 0;
    std::uint32_t a_fragments_ = 0;
    bool keeps_ = false;  ///< retention of duplicates (duplo.keep)
    bool plain_ = false;  ///< is_plain()
    bool built_ = false;  ///< duplo.pipe built
    bool powered_ = false;
    bool detecting_ = false;
    Cycle awake_at_ = 0;
    std::uint32_t next_serial_ = 1;
    Address region_begin_ = 0, region_end_ = 0;
    std::uint8_t kernel_tag_ = 0;
    std::vector<std::uint32_t> producer_of_slot_;
    std::uint32_t next_producer_ = 0;
    std::unique_ptr<OwnBlocks> own_;  ///< null: the blocks are owned elsewhere
    IdPort& ids_;
    HistoryPort& lhb_;
    RenamePort& rename_;
    CoreDevice* core_;
    std::optional<LookupPort> port_;           ///< empty: lookups are unlimited
    Cycle entered_ = 0;                        ///< entry of the last unit into the port
    Cycle looked_up_ = 0;                      ///< its lookup
    Cycle late_ = 0;                           ///< its delay by stalls
    std::deque<PendingInsertion> insertions_;  ///< pending insertions of the port, oldest first
    PendingReleases pending_;
    std::vector<PhysInfo> info_;
    std::vector<Cycle> last_use_;  ///< R0: arrival of the data for the last load that uses the unit
    DetectionCounters counters_;
};

}  // namespace tessera
