#include "sc_models/duplo/keys/duplo_config.h"

namespace tessera {

void DuploConfig::bind(ConfigVisitor& v) {
    v.boolean("enabled", enabled,
              "Whether A fragments are looked up in the load history buffer (Duplo IV); a GEMM has "
              "no convolution packet, so the unit stays powered down for it.");
    v.choice("id_formula", id_formula,
             {{"paper", IdFormula::kPaper},
              {"notes", IdFormula::kNotes},
              {"corrected", IdFormula::kCorrected}},
             "Formula from address to element id: corrected is exact; paper (Duplo III) and notes "
             "return wrong data on many layers and are kept to show it.");
    v.choice("granularity", granularity,
             {{"row16", Granularity::kRow16},
              {"half_tile8", Granularity::kHalfTile8},
              {"tile16", Granularity::kTile16}},
             "What one buffer entry stands for: the 16 halves of a thread's row, 8 rows of an "
             "octet copy, or the whole 16x16 fragment.");
    v.integer("octet_copies", octet_copies, 1, 2,
              "Loads counted for a fragment row: 2, one an octet (Duplo II-B), or 1; tile16 needs "
              "1.");
    v.choice("lifetime", lifetime,
             {{"in_flight", Lifetime::kInFlight},
              {"mapped", Lifetime::kMapped},
              {"until_reused", Lifetime::kUntilReused},
              {"forever", Lifetime::kForever}},
             "How long a register serves hits: R0 until its loads have their data, R1 while mapped "
             "(Duplo V-C), R2 until allocated anew, R3 without end (an upper bound, not "
             "buildable).");
    v.choice("release", release,
             {{"issue", ReleasePoint::kIssue}, {"commit", ReleasePoint::kCommit}},
             "When an overwritten mapping ends: as the overwriting load issues, or when it has its "
             "data.");
    v.integer("spare_units", spare_units, 0, 65536,
              "Rename units of an SM beyond the architectural ones, which keep data longer under "
              "lifetime until_reused.");
    v.choice(
        "keep", keep,
        {{"any", RetentionPolicy::kAny}, {"duplicates", RetentionPolicy::kDuplicates}},
        "What is held on to: any data alike; or first those that a later step along k will load "
        "again, which the ID generator knows: a miss does not take their entry unless it is one "
        "of them, and under lifetime until_reused they alone outlive their registers.");
    v.choice("scope", scope,
             {{"lane", Scope::kLane},
              {"warp", Scope::kWarp},
              {"sub_core", Scope::kSubCore},
              {"sm", Scope::kSm}},
             "Who may share a register; plain renaming can do up to sub_core, the paper's hit "
             "rates need sm.");
    v.boolean("in_flight_hits", in_flight_hits,
              "Whether a load may hit one whose data is still on its way.");
    v.boolean("hit_frees_slot", hit_frees_slot,
              "Whether a hit leaves its LDST issue slot to the next request (off: buffer and L1 "
              "are probed in parallel, Duplo V-H).");
    v.boolean("zero_rule", zero_rule,
              "Whether rows that are all padding or inserted zeros need no load (not in the "
              "paper).");
    v.integer("latency_cycles", latency_cycles, 0, 10000,
              "Delay of detection unit and load history buffer (Duplo V-D: 2; the RTL: 20).");
    v.integer_or("lookups_per_cycle", lookups_per_cycle, 1, 64, "unlimited", kUnlimitedLookups,
                 "Units that enter the detection unit of an SM in a cycle, and operations of its "
                 "load history buffer: look-ups, insertions after a miss, releases of registers "
                 "that died (the RTL: 1); unlimited counts them as free.");
    v.choice("pipe", pipe, {{"assumed", PipeTiming::kAssumed}, {"built", PipeTiming::kBuilt}},
             "Timing with limited look-ups: assumed releases a register that dies before the "
             "look-up of its unit, which no circuit can know in time, and those of a warp that "
             "exits at once; built is that of rtl/duplo_core, which releases after the look-up "
             "and passes the units of the warp through the pipe.");
    v.integer("wake_cycles", wake_cycles, 0, 1'000'000,
              "Power-up of the unit and set-up of its reciprocals when a packet arrives.");
    v.section("lhb", "Load history buffer of an SM (Duplo IV-B).", [&] {
        v.integer_or("entries", lhb_entries, 1, 1 << 20, "infinite", kInfiniteEntries,
                     "Entries of the buffer (Duplo V-B: 1024), a multiple of the ways; infinite is "
                     "the paper's oracle, to which ways, shift and fold mean nothing.");
        v.integer("ways", lhb_ways, 1, 1024,
                  "Associativity (Duplo V-E: direct-mapped); entries / ways is a power of two.");
        v.integer_or("shift_bits", lhb_shift_bits, 0, 7, "auto", kAutoShift,
                     "Low bits of the element id that the set index leaves out; auto takes those "
                     "that are always zero.");
        v.boolean("fold", lhb_fold,
                  "Whether the set index folds in upper bits of the id and the image (not in the "
                  "paper).");
    });
}

}  // namespace tessera
