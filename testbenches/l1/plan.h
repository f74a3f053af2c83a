// Description and coverage plan of the testbench of the L1.
#pragma once

#include "sc_models/common/types.h"
#include "testbenches/harness/coverage.h"
#include "testbenches/harness/description.h"
#include "testbenches/harness/memory_operations.h"

namespace tessera::testbench {

inline constexpr std::uint32_t kCapacity = 16 * 1024;  ///< bytes
inline constexpr Cycle kBelow = 100;                   ///< latency of the memory below, in cycles

inline Description description() {
    Description d;
    d.name = "l1";
    d.module = "L1 data cache of an SM: sectored, write-through";
    d.operation = "accesses";
    d.sections = {"l1"};
    d.columns = memory_columns(true);
    d.errors = {{"late_hit", "hits take one cycle more than l1.hit_latency_cycles"},
                {"small_cache", "the cache has half of its sets"},
                {"lost_write", "the memory below loses every 16th write"},
                {"wrong_data", "a bit of every 64th read is inverted"}};
    d.has_curve = true;
    d.view = "l1_testbench.gtkw";
    return d;
}

/// Situations that a run must reach.
struct Bins {
    Coverage& coverage;
    Coverage::Bin hit = coverage.add("hit", "a read finds all its sectors");
    Coverage::Bin miss = coverage.add("miss", "a read finds none of its sectors");
    Coverage::Bin partial_miss = coverage.add("partial_miss", "a read finds some of its sectors");
    Coverage::Bin write_hit = coverage.add("write_hit", "a write to a line that is present");
    Coverage::Bin write_miss = coverage.add("write_miss", "a write to a line that is absent");
    Coverage::Bin eviction = coverage.add("eviction", "the least recently used line is replaced");
    Coverage::Bin bypass = coverage.add("bypass", "a read that bypasses the cache");
    Coverage::Bin unaligned = coverage.add("unaligned", "an access that begins within a sector");
    Coverage::Bin whole_line = coverage.add("whole_line", "an access of a whole line");
};

}  // namespace tessera::testbench
