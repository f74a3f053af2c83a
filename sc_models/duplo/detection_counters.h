// Event counters of a detection unit.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

#include "sc_models/duplo/data_id.h"
#include "sc_models/duplo/hit_class.h"

namespace tessera {

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

    [[nodiscard]] std::uint64_t total_hits() const {
        return std::accumulate(hits.begin(), hits.end(), std::uint64_t{0});
    }
    [[nodiscard]] std::uint64_t total_bypasses() const {
        return std::accumulate(bypasses.begin(), bypasses.end(), std::uint64_t{0});
    }
};

}  // namespace tessera
