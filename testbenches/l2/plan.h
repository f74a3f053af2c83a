// Description and coverage plan of the testbench of an L2 slice.
#pragma once

#include "sc_models/common/types.h"
#include "testbenches/harness/coverage.h"
#include "testbenches/harness/description.h"
#include "testbenches/harness/memory_operations.h"

namespace tessera::testbench {

inline constexpr Cycle kBelow = 100;        ///< latency of the memory below, in cycles
inline constexpr std::uint32_t kSlice = 0;  ///< the tested slice of l2.slices

inline Description description() {
    Description d;
    d.name = "l2";
    d.module = "L2 slice: sectored, write-back, write-allocate";
    d.operation = "accesses";
    d.sections = {"l2", "l1", "dram"};  // l1.sector_bytes and dram.channels have to fit those of l2
    d.columns = memory_columns();
    d.errors = {{"late_hit", "hits take one cycle more than l2.hit_latency_cycles"},
                {"small_cache", "the slice has half of its sets"},
                {"other_hash", "the set index is hashed where l2.set_hash is none, and vice versa"},
                {"more_registers", "the slice has twice as many miss registers"},
                {"lost_write", "the memory below loses every 16th write"}};
    d.has_curve = true;
    d.view = "l2_testbench.gtkw";
    return d;
}

/// Situations that a run must reach.
struct Bins {
    Coverage& coverage;
    Coverage::Bin hit = coverage.add("hit", "a read finds all its sectors");
    Coverage::Bin miss = coverage.add("miss", "a read finds none of its sectors");
    Coverage::Bin partial_miss = coverage.add("partial_miss", "a read finds some of its sectors");
    Coverage::Bin write_hit = coverage.add("write_hit", "a write finds a sector");
    Coverage::Bin write_allocation =
        coverage.add("write_allocation", "a write of an absent, whole sector");
    Coverage::Bin write_fetch =
        coverage.add("write_fetch", "a write of a part of an absent sector");
    Coverage::Bin clean_eviction =
        coverage.add("clean_eviction", "a line without dirty sectors is replaced");
    Coverage::Bin dirty_eviction =
        coverage.add("dirty_eviction", "a line with dirty sectors is replaced");
    Coverage::Bin line_written_back =
        coverage.add("line_written_back", "all sectors of a line are written back");
    Coverage::Bin unaligned = coverage.add("unaligned", "an access that begins within a sector");
    Coverage::Bin whole_line = coverage.add("whole_line", "an access of a whole line");
};

}  // namespace tessera::testbench
