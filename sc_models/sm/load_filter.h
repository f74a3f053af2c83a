// Interface of mechanisms that intercept fragment loads before the L1.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/sm/fragment_units.h"

namespace tessera {

/// Description of a fragment load for a filter.
struct FilteredLoad {
    FragmentRole role = FragmentRole::kNone;
    std::uint32_t warp = 0;      ///< slot, counted over the slots that the kernel uses
    std::uint32_t sub_core = 0;  ///< sub-core of the warp
    std::uint8_t reg = 0;        ///< first warp register of the destination
    Address address = 0;         ///< address of row 0
    std::uint32_t row_pitch_bytes = 0;
    /// The 16 row addresses of a staged copy, valid until the next load begins; null: use the
    /// pitch.
    const Address* rows = nullptr;
};

/// Result class of a unit of a load.
enum class AccessKind : std::uint8_t {
    kHit,     ///< renamed to a register that has the data, or will have it
    kZero,    ///< known to be zero: no register, no load
    kMiss,    ///< load it; the filter keeps the register for later hits
    kBypass,  ///< load it; the filter does not keep the register
};

/// Answer of a filter to the lookup of one unit.
struct FilterAnswer {
    AccessKind kind = AccessKind::kBypass;
    PhysRegId phys;   ///< register that holds the unit from now on; invalid for kZero
    Cycle ready = 0;  ///< hit: arrival of the producer's data (kNever: not announced yet)
};

/// Fixed properties of a filter.
struct FilterTraits {
    FragmentUnits units{kFragmentRows, 1};
    std::uint32_t latency_cycles = 0;  ///< from a lookup to its answer
    bool hit_frees_slot = false;       ///< a hit does not use the issue slots of its rows
    bool limited = false;              ///< may stall units: open_at() and late() must be called
};

/// Identifier of a unit's data; LoadFilter::describe() formats it.
struct FilterValueId {
    std::uint64_t element = 0;
    std::uint32_t batch = 0;
};

/// Mechanism in front of the L1 of an SM that intercepts the fragment loads it accepts, cut into
/// units, and the copies of A that a kernel stages, 16 rows of 32 B like a fragment. Each unit is
/// renamed to a physical register that the filter names; several units may share one, so a hit
/// needs no load. A filter is independent of SystemC and of the level of timing: the LDST unit
/// passes the cycle and adds the latency. The LDST unit also keeps the contents of the registers
/// where values are simulated, and compares each hit with memory.
///
/// Call order, for each kernel: `start_kernel`; if that returns bytes, `program` with them. Then
/// for each load `begin` and, for every unit in ascending order, `look_up`, in the cycle that
/// `open_at` returns, before the next load begins. After a miss or bypass `set_ready` reports the
/// arrival once it is known. A register may be reused for another unit only when no unit is mapped
/// to it and its data has arrived.
class LoadFilter {
public:
    virtual ~LoadFilter() = default;

    /// Called once.
    [[nodiscard]] virtual FilterTraits traits() const = 0;

    /// Bytes of global memory, within one L1 line, that program a filter; `bytes` 0: no program.
    struct Program {
        Address address = 0;
        std::uint32_t bytes = 0;
    };
    /// Starts `kernel`, which uses `warps` warp slots. The LDST unit loads the returned program
    /// before the first instruction.
    virtual Program start_kernel(const KernelInfo& /*kernel*/, std::uint32_t /*warps*/) {
        return {};
    }
    /// Passes the program, which arrives at `arrival` (kNever: `on_program` reports the arrival).
    virtual void program(const std::vector<std::byte>& /*bytes*/, Cycle /*arrival*/) {}
    virtual void on_program(Cycle /*arrival*/) {}
    /// Ends the kernel, after all warps have been released. Throws CheckError naming what leaked.
    virtual void end_kernel() {}

    /// Returns whether fragments of this role pass the filter in this kernel.
    [[nodiscard]] virtual bool wants(FragmentRole role) const = 0;
    virtual void begin(Cycle now, const FilteredLoad& load) = 0;
    /// Returns the first cycle at or after `now` at which a unit of the load begun last can be
    /// looked up.
    [[nodiscard]] virtual Cycle open_at(Cycle now) const { return now; }
    /// Renames unit `unit` of the load begun last.
    [[nodiscard]] virtual FilterAnswer look_up(Cycle now, std::uint32_t unit) = 0;
    /// Skips unit `unit` of the load begun last, a staged copy: its lanes are predicated off.
    virtual void skip(Cycle /*now*/, std::uint32_t /*unit*/) {}
    /// Returns the cycles by which the last answer comes later than the latency.
    [[nodiscard]] virtual Cycle late() const { return 0; }
    /// Reports that the data of a missed or bypassed unit arrives at `cycle`.
    virtual void set_ready(PhysRegId phys, Cycle cycle) = 0;
    /// Reports that a store to [address, address + bytes) issues.
    virtual void note_store(Address address, std::uint64_t bytes) = 0;
    /// Ends all mappings of a warp that has exited.
    virtual void release_warp(std::uint32_t warp, Cycle now) = 0;

    /// Adds its signals to a waveform, in scopes under `sm`; once, at elaboration.
    virtual void watch(WaveRecorder& /*wave*/, const std::string& /*sm*/) {}
    /// Adds its counters as a child of the LDST unit's; once.
    virtual void add_statistics(StatGroup& ldst) = 0;
    /// Adds the key figures of a kernel, computed from statistics of the whole machine.
    virtual void add_metrics(const StatGroup& /*machine*/,
                             nlohmann::ordered_json& /*metrics*/) const {}
    /// Appends inconsistencies, each line beginning with `ldst`, the name of the LDST unit.
    virtual void check(std::string_view ldst, std::vector<std::string>& violations) const = 0;
    /// Returns the data of a unit of the load begun last, for the report of a wrong hit.
    [[nodiscard]] virtual FilterValueId value_id(std::uint32_t /*unit*/) const { return {}; }
    [[nodiscard]] virtual std::string describe(const FilterValueId& /*value*/) const { return "?"; }
};

}  // namespace tessera
