// Description and coverage plan of the testbench of the DRAM channel.
#pragma once

#include "testbenches/harness/coverage.h"
#include "testbenches/harness/description.h"
#include "testbenches/harness/memory_operations.h"

namespace tessera::testbench {

inline constexpr std::uint32_t kPorts = 2;  ///< L2 slices of the channel

inline Description description() {
    Description d;
    d.name = "dram";
    d.module = "DRAM channel: banks with open rows behind a controller that reorders";
    d.operation = "accesses";
    d.sections = {"dram"};
    d.columns = memory_columns();
    d.errors = {{"early_column", "data comes one DRAM cycle before dram.t_cl_cycles"},
                {"early_activation", "a row is open one DRAM cycle before dram.t_rcd_cycles"},
                {"early_precharge", "a bank is closed one DRAM cycle before dram.t_rp_cycles"},
                {"short_row", "a row is closed two DRAM cycles before dram.t_ras_cycles"},
                {"half_banks", "the channel has half of its banks"},
                {"in_order", "no access overtakes another: the queue has one entry"},
                {"no_data", "the channel moves no bytes"}};
    d.has_curve = true;
    d.view = "dram_testbench.gtkw";
    return d;
}

/// Situations that a run must reach.
struct Bins {
    Coverage& coverage;
    Coverage::Bin hit = coverage.add("row_hit", "an access finds its row open");
    Coverage::Bin empty = coverage.add("row_empty", "an access finds no row open");
    Coverage::Bin conflict = coverage.add("row_conflict", "an access finds another row open");
    Coverage::Bin write = coverage.add("write", "a write, which is posted");
    Coverage::Bin partial = coverage.add("part_of_sector", "an access of less than a sector");
    Coverage::Bin pair_hit = coverage.add("pair_hit", "an access waits behind another of its row");
    Coverage::Bin pair_conflict =
        coverage.add("pair_conflict", "an access waits until a row may be closed");
    Coverage::Bin overtaken =
        coverage.add("overtaken", "a row hit overtakes an older access of its bank");
    Coverage::Bin every_bank = coverage.add("every_bank", "all banks were used");
};

}  // namespace tessera::testbench
