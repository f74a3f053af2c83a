// Duplo's detection unit: finds A-fragment loads whose data is in the register file already.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/duplo_config.h"
#include "sc_models/duplo/data_id.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/duplo/hit_class.h"
#include "sc_models/duplo/id_generator.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "sc_models/duplo/lookup_port.h"
#include "sc_models/duplo/pending_releases.h"
#include "sc_models/duplo/rename_table.h"
#include "sc_models/isa/convolution_packet.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// How the fragments of A are cut into units that are renamed. Throws ConfigError for
/// octet_copies other than 1 and 2.
[[nodiscard]] FragmentUnits units_of(const DuploConfig& config);

/// One wmma.load.a.
struct FragmentLoad {
    std::uint32_t warp = 0;      ///< warp slot in the SM
    std::uint32_t sub_core = 0;  ///< where the warp lives
    std::uint32_t fragment = 0;  ///< destination: which of the warp's A fragments
    Address address = 0;         ///< of row 0
    std::uint32_t row_pitch_bytes = 0;
    const Address* rows = nullptr;  ///< of 16 rows that lie anywhere; must live until the next load

    [[nodiscard]] Address row(std::uint32_t index) const {
        return rows != nullptr ? rows[index] : address + Address{index} * row_pitch_bytes;
    }
};

/// A load under way through the detection unit: ids of all its units, made once by `begin`. The
/// caller owns it; it may be reused for the next load.
struct ActiveLoad {
    FragmentLoad load;
    std::uint32_t serial = 0;  ///< counts the loads of the kernel, modulo 2^32
    /// The warp, counting every warp that ever lived in the slot apart.
    std::uint32_t producer = 0;
    std::array<DataId, kFragmentRows> ids;   ///< one for each row, half-tile or tile
    std::array<LhbKey, kFragmentRows> keys;  ///< of these, unless every lane is on its own
};

/// What the detection unit says about one unit of a load.
struct Outcome {
    /// Misses leave an LHB entry that names the register, bypasses do not.
    AccessKind kind = AccessKind::kBypass;
    HitClass hit_class = HitClass::kZero;       ///< of a hit or zero
    BypassReason bypass = BypassReason::kNone;  ///< of a bypass
    PhysRegId phys;   ///< where the unit lives from now on; invalid for kZero
    Cycle ready = 0;  ///< hit: when the producer's data is there (kNever: not announced yet)
};

/// What a detection unit has done, over all kernels.
struct DetectionCounters {
    std::uint64_t loads = 0;    ///< A-fragment loads begun
    std::uint64_t lookups = 0;  ///< units looked up in the LHB (not bypassed, not zero)
    std::uint64_t skipped = 0;  ///< units of loads that bring nothing
    std::uint64_t misses = 0;
    std::array<std::uint64_t, kHitClasses> hits{};
    std::array<std::uint64_t, kBypassReasons> bypasses{};  ///< units
    std::uint64_t evictions = 0;                           ///< LHB entries replaced by another id
    std::uint64_t releases = 0;           ///< LHB entries cleared because their register died
    std::uint64_t in_flight_refused = 0;  ///< matches not used because the data was on its way
    std::uint64_t expired = 0;            ///< R0: matches whose last user had its data already
    std::uint64_t revivals = 0;           ///< R2: hits on registers of the free list
    std::uint64_t retained = 0;           ///< R2, keep: registers that died and whose datum recurs
    std::uint64_t kept_out = 0;  ///< keep: misses without an entry, as all of the set recur
    std::uint64_t early_releases =
        0;  ///< commit-time releases brought forward for want of registers
    std::uint64_t workspace_stores = 0;
    /// Clock cycles of RTL in place of the ID generator and of the LHB, up to the last kernel's
    /// end.
    std::uint64_t id_generator_rtl_cycles = 0, lhb_rtl_cycles = 0;

    [[nodiscard]] std::uint64_t total_hits() const;
    [[nodiscard]] std::uint64_t total_bypasses() const;
};

/// ID generator, load history buffer and the renaming of A fragments of one SM (Duplo IV), without
/// time: the caller says what cycle it is and adds `latency_cycles` itself. With a limit of
/// look-ups it keeps the times of its pipe (LookupPort): the caller asks `open_at`, and a miss is
/// found in the buffer only from the cycle of its insertion on.
///
/// Use, for each kernel: `launch`, then for each A-fragment load `begin` and, for every unit
/// in this order, `access`; after a miss or bypass `set_ready(outcome.phys, cycle)` once the
/// arrival is known. `release_warp` when a warp exits, `note_store` for every global store. Units
/// are rows (all 16 of octet copy 0, then those of copy 1), half-tiles (likewise) or the tile.
///
/// The registers: every unit of every A fragment of a resident warp is an architectural unit that
/// maps to one physical unit or, if zero or never loaded, to none. So as many physical as
/// architectural units never run out (R2 adds `spare_units`, R3 grows without limit). One pool
/// serves the SM; with sub-core or warp scope sharing stays inside a sub-core, so the same holds
/// for each of its parts.
class DetectionUnit {
public:
    /// `devices` stand in for the models. Throws ConfigError for an LHB whose entries are no
    /// multiple of its ways.
    DetectionUnit(const DuploConfig& config, std::uint32_t sub_cores,
                  DetectionDevices devices = {});

    /// A convolution kernel starts: programs the ID generator, clears the LHB and sets up the
    /// rename table for `warps` warp slots of `a_fragments` A fragments each. Lookups start
    /// `wake_cycles` after `now` (kNever: after what `wake` will say). All warps of the kernel
    /// before must have been released. Throws ConfigError for a bad packet.
    void launch(const ConvolutionPacket& packet, std::uint32_t warps, std::uint32_t a_fragments,
                Cycle now);
    /// The packet `launch` was given with `now` kNever has come at `now`.
    void wake(Cycle now) { awake_at_ = now + config_.wake_cycles; }
    /// The kernel ended, or one without a packet starts: the unit is power-gated.
    void power_off();
    /// Between `launch` and `power_off`: A fragments go through the rename table, looked up or not.
    [[nodiscard]] bool powered() const { return powered_; }
    /// Lookups happen: powered and no store into the workspace seen.
    [[nodiscard]] bool detecting() const { return detecting_; }
    [[nodiscard]] Cycle awake_at() const { return awake_at_; }

    /// The rename units of an A fragment.
    [[nodiscard]] const FragmentUnits& shape() const { return shape_; }

    /// Starts a load: makes its ids (one exact division, then stepping). Throws std::logic_error if
    /// the warp, the fragment or the sub-core is not one of those launched.
    void begin(Cycle now, const FragmentLoad& load, ActiveLoad& active);
    /// The first cycle at or after `now` at which a unit of the load can be looked up.
    [[nodiscard]] Cycle open_at(Cycle now, const ActiveLoad& active) const {
        return passes_port(active) ? port_->open_at(now) : now;
    }
    /// Looks up and renames unit `unit` of the load. The destination's old mapping ends just before
    /// (release at issue) or, with release at commit, when this unit has its data.
    Outcome access(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    /// By how many cycles the answer to that comes later than `latency_cycles` say.
    [[nodiscard]] Cycle late() const { return late_; }
    /// Of the load, unit `unit` brings nothing (lanes predicated off): what its destination was
    /// mapped to ends, and it is zero.
    void skip(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    /// The data of a missed or bypassed unit will be there at `cycle`.
    void set_ready(PhysRegId phys, Cycle cycle);

    /// A store to [address, address + bytes). One into the workspace clears the LHB and ends
    /// detection for this kernel (a matching tag alone would not do: other copies of the datum
    /// would be stale).
    void note_store(Address address, std::uint64_t bytes);
    /// The warp exited: all its mappings end.
    void release_warp(std::uint32_t warp, Cycle now);

    /// Physical unit that holds a unit of a fragment; invalid if zero or never loaded.
    [[nodiscard]] PhysRegId mapping(std::uint32_t warp, std::uint32_t fragment,
                                    std::uint32_t unit) const;
    [[nodiscard]] std::uint32_t physical_units() const { return rename_.physical_units(); }
    [[nodiscard]] const DetectionCounters& counters() const { return counters_; }
    [[nodiscard]] const HistoryPort& history() const { return lhb_; }
    [[nodiscard]] const RenameTable& rename_table() const { return rename_; }
    /// After all warps were released: throws CheckError naming what leaked (a mapping, a count, a
    /// register missing from the free list, under R0 and R1 an LHB entry).
    void check_drained();

private:
    /// What is known of the datum a physical unit holds.
    struct PhysInfo {
        Cycle ready = 0;           ///< arrival; kNever until announced
        Address address = 0;       ///< it was loaded from
        std::uint32_t serial = 0;  ///< of the load, as in ActiveLoad
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

    // kPlain: with the rules that is_plain() names, so that nobody has to ask for them unit by
    // unit.
    [[nodiscard]] bool is_plain() const;
    template <bool kPlain>
    Outcome access_by(Cycle now, const ActiveLoad& active, std::uint32_t unit);
    template <bool kPlain>
    void end_mapping(std::uint32_t arch, PhysRegId& deferred);
    template <bool kPlain = false>
    void drop(PhysRegId phys);
    /// A unit on its way through access_by().
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
    Outcome hit(const Lookup& of, PhysRegId found);
    void note_miss(const DataId& id, PhysRegId phys);
    void release_early(Lookup& of);
    void prepare(PhysRegId phys);
    template <bool kPlain>
    [[nodiscard]] PhysRegId find(const LhbKey& key) {
        return kPlain ? lhb_.model().find(key) : lhb_.find(key);
    }
    template <bool kPlain>
    void insert(const LhbKey& key, PhysRegId phys);

    // detection_unit_port.cpp has what depends on the port, detection_unit_kernel.cpp the start and
    // the end of a kernel, of a warp and of detection.
    [[nodiscard]] bool passes_port(const ActiveLoad& active) const {
        return port_ && detecting_ && active.ids[0].bypass != BypassReason::kAsleep;
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

    /// A miss whose entry is still to be made.
    struct PendingInsertion {
        LhbKey key;
        PhysRegId phys;
    };

    /// What look-ups need of the settings, side by side: the host has little of an SM's state in
    /// its nearest cache.
    struct Rules {
        Lifetime lifetime;
        ReleasePoint release;
        Scope scope;
        bool in_flight_hits;
        Cycle latency;
    };

    Rules rules_;
    DuploConfig config_;
    std::uint32_t sub_cores_;
    FragmentUnits shape_;
    std::uint32_t warps_ = 0;
    std::uint32_t a_fragments_ = 0;
    bool keeps_ = false;  ///< duplicates to come
    bool plain_ = false;  ///< is_plain()
    bool powered_ = false;
    bool detecting_ = false;
    Cycle awake_at_ = 0;
    std::uint32_t next_serial_ = 1;
    Address region_begin_ = 0, region_end_ = 0;
    std::uint8_t kernel_tag_ = 0;
    std::vector<std::uint32_t> producer_of_slot_;
    std::uint32_t next_producer_ = 0;
    IdGenerator ids_;
    std::unique_ptr<IdDevice> id_device_;  ///< in place of ids_; null: none
    HistoryPort lhb_;
    std::optional<LookupPort> port_;           ///< none: look-ups are unlimited
    Cycle entered_ = 0;                        ///< when the last unit entered the port
    Cycle looked_up_ = 0;                      ///< and was looked up,
    Cycle late_ = 0;                           ///< and by how much it was held up
    std::deque<PendingInsertion> insertions_;  ///< those of the port, oldest first
    RenameTable rename_;
    PendingReleases pending_;
    std::vector<PhysInfo> info_;
    std::vector<Cycle> last_use_;  ///< R0: when the last load that uses the unit has its data
    DetectionCounters counters_;
};

}  // namespace tessera
