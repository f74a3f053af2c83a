// What may serve fragment loads in place of the L1.
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

/// A fragment load as a filter sees it.
struct FilteredLoad {
    FragmentRole role = FragmentRole::kNone;
    std::uint32_t warp = 0;      ///< slot, counting those that the kernel uses
    std::uint32_t sub_core = 0;  ///< where the warp lives
    std::uint8_t reg = 0;        ///< destination: its first warp register
    Address address = 0;         ///< of row 0
    std::uint32_t row_pitch_bytes = 0;
    /// Of a staged copy, whose rows lie anywhere: their 16 addresses, until the next load begins.
    const Address* rows = nullptr;
};

/// What becomes of a unit of a load.
enum class AccessKind : std::uint8_t {
    kHit,     ///< renamed to a register that has the data, or will have it
    kZero,    ///< known to be zero: no register, no load
    kMiss,    ///< load it; the filter now knows the register
    kBypass,  ///< load it; the filter does not keep the register in mind
};

/// What a filter says about one unit of a load.
struct FilterAnswer {
    AccessKind kind = AccessKind::kBypass;
    PhysRegId phys;   ///< where the unit lives from now on; invalid for kZero
    Cycle ready = 0;  ///< hit: when the producer's data is there (kNever: not announced yet)
};

/// What a filter is like, whatever it is asked.
struct FilterTraits {
    FragmentUnits units{kFragmentRows, 1};
    std::uint32_t latency_cycles = 0;  ///< from a look-up to its answer
    bool hit_frees_slot = false;       ///< a hit does not use the issue slots of its rows
    bool limited = false;              ///< may hold units up: open_at and late have to be asked
};

/// What a filter calls the data of a unit; LoadFilter::describe() says it in words.
struct DatumName {
    std::uint64_t element = 0;
    std::uint32_t batch = 0;
};

/// Stands in front of the L1 of an SM and sees the fragment loads it wants, cut into units, and so
/// the copies of A that a kernel stages, 16 rows of 32 B as a fragment has. Each unit is renamed:
/// it lives in a physical register that the filter names, and several may share one. A hit so needs
/// no load. A filter knows neither SystemC nor levels of timing: the LDST unit says what cycle it
/// is and adds the latency itself. It also keeps the contents of the registers where values are
/// simulated, and compares each hit with memory.
///
/// For each kernel: `start_kernel`; if that asks for bytes, `program` with them. Then for each load
/// `begin` and, for every unit in ascending order, `look_up`, in the cycle that `open_at` says,
/// before the next load begins. After a miss or bypass `set_ready` tells the arrival once it is
/// known. A register may be given to another unit only when no unit is mapped to it and its data
/// has arrived.
class LoadFilter {
public:
    virtual ~LoadFilter() = default;

    /// Asked once.
    [[nodiscard]] virtual FilterTraits traits() const = 0;

    /// Bytes of global memory, within one L1 line, that program a filter; none if `bytes` is 0.
    struct Program {
        Address address = 0;
        std::uint32_t bytes = 0;
    };
    /// `kernel` starts and uses `warps` warp slots. The LDST unit loads what is returned before the
    /// first instruction.
    virtual Program start_kernel(const KernelInfo& /*kernel*/, std::uint32_t /*warps*/) {
        return {};
    }
    /// The bytes of the program, which arrive at `arrival` (kNever: when `on_program` says so).
    virtual void program(const std::vector<std::byte>& /*bytes*/, Cycle /*arrival*/) {}
    virtual void on_program(Cycle /*arrival*/) {}
    /// All warps have been released. Throws CheckError naming what leaked.
    virtual void end_kernel() {}

    /// Whether fragments of this role pass the filter in this kernel.
    [[nodiscard]] virtual bool wants(FragmentRole role) const = 0;
    virtual void begin(Cycle now, const FilteredLoad& load) = 0;
    /// The first cycle at or after `now` at which a unit of the load begun last can be looked up.
    [[nodiscard]] virtual Cycle open_at(Cycle now) const { return now; }
    /// Renames unit `unit` of the load begun last.
    [[nodiscard]] virtual FilterAnswer look_up(Cycle now, std::uint32_t unit) = 0;
    /// Unit `unit` of the load begun last, a staged copy, brings nothing: lanes are predicated off.
    virtual void skip(Cycle /*now*/, std::uint32_t /*unit*/) {}
    /// By how many cycles that unit's answer comes later than the latency says.
    [[nodiscard]] virtual Cycle late() const { return 0; }
    /// The data of a missed or bypassed unit will be there at `cycle`.
    virtual void set_ready(PhysRegId phys, Cycle cycle) = 0;
    /// A store to [address, address + bytes) issues.
    virtual void note_store(Address address, std::uint64_t bytes) = 0;
    /// The warp has exited: all its mappings end.
    virtual void release_warp(std::uint32_t warp, Cycle now) = 0;

    /// Shows it in scopes under `sm` of a waveform; once, at elaboration.
    virtual void watch(WaveRecorder& /*wave*/, const std::string& /*sm*/) {}
    /// Its counters become a child of the LDST unit's; once.
    virtual void add_statistics(StatGroup& ldst) = 0;
    /// Adds the key figures of a kernel, from statistics of the whole machine.
    virtual void add_metrics(const StatGroup& /*machine*/,
                             nlohmann::ordered_json& /*metrics*/) const {}
    /// Appends what is inconsistent, each line beginning with `ldst`, the unit it belongs to.
    virtual void check(std::string_view ldst, std::vector<std::string>& violations) const = 0;
    /// The data of a unit of the load begun last, to be named if a hit turns out wrong.
    [[nodiscard]] virtual DatumName datum_of(std::uint32_t /*unit*/) const { return {}; }
    [[nodiscard]] virtual std::string describe(const DatumName& /*datum*/) const { return "?"; }
};

}  // namespace tessera
