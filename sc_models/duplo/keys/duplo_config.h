// Configuration of Duplo's detection unit and register renaming.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

/// Formulas that convert an address to an id. `kPaper` and `kNotes` are the printed ones, kept to
/// demonstrate their errors; only `kCorrected` has no false positives.
enum class IdFormula { kPaper, kNotes, kCorrected };
/// Amount of data of one LHB entry and one rename unit.
enum class Granularity {
    kRow16,      ///< the 16 halves that one thread loads (32 B), each octet copy separately
    kHalfTile8,  ///< 8 rows of one octet copy
    kTile16      ///< the whole 16x16 fragment
};
/// Period in which a register may serve hits.
enum class Lifetime {
    kInFlight,     ///< R0: until the last load that uses it has its data
    kMapped,       ///< R1: while some architectural register is mapped to it
    kUntilReused,  ///< R2: until the register is reallocated (spare registers extend this)
    kForever       ///< R3: unlimited; not implementable, an upper bound
};
/// Retention policy of the load history buffer and the register pool.
enum class RetentionPolicy {
    kAny,        ///< keeps the newest entry; dead registers are reused in order
    kDuplicates  ///< prefers data that a later step along k will load again
};
/// Sharers of a register.
enum class Scope { kLane, kWarp, kSubCore, kSm };
/// End of an overwritten mapping: when the overwriting load issues, or when it has its data.
enum class ReleasePoint { kIssue, kCommit };
/// Timing of the detection unit's pipe with limited lookups.
enum class PipeTiming {
    kAssumed,  ///< a register that dies is released before its unit's lookup
    kBuilt     ///< as rtl/duplo_core: after it, when the lookups before have been answered
};

/// Detection unit, load history buffer and rename table (Duplo IV; design notes on each key in
/// docs/mechanisms/duplo.md).
struct DuploConfig {
    bool enabled = false;
    IdFormula id_formula = IdFormula::kCorrected;
    Granularity granularity = Granularity::kRow16;
    std::uint32_t octet_copies = 2;  ///< loads counted for a row: 2 as in Duplo II-B, or 1
    Lifetime lifetime = Lifetime::kMapped;
    ReleasePoint release = ReleasePoint::kIssue;
    std::uint32_t spare_units = 0;  ///< R2: additional rename units per SM beyond the
                                    ///< architectural ones
    RetentionPolicy keep = RetentionPolicy::kAny;
    Scope scope = Scope::kSm;
    bool in_flight_hits = true;   ///< a pending load may be hit
    bool hit_frees_slot = false;  ///< a hit does not use an LDST issue slot
    bool zero_rule = false;       ///< all-zero rows (padding, inserted zeros) need no load at all
    std::uint32_t latency_cycles = 2;
    std::uint32_t lookups_per_cycle = kUnlimitedLookups;
    PipeTiming pipe = PipeTiming::kAssumed;
    std::uint32_t wake_cycles = 160;   ///< power-up and reciprocal set-up when a packet arrives
    std::uint32_t lhb_entries = 1024;  ///< kInfiniteEntries: no limit
    std::uint32_t lhb_ways = 1;
    std::uint32_t lhb_shift_bits = kAutoShift;
    bool lhb_fold = false;

    static constexpr std::uint32_t kInfiniteEntries = 0;
    static constexpr std::uint32_t kAutoShift = 255;
    static constexpr std::uint32_t kUnlimitedLookups = 0;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
