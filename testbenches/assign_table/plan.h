// Description and coverage plan of the testbench of the assign tables.
#pragma once

#include "sc_models/isa/vector_operation.h"
#include "testbenches/assign_table/naive_assign_table.h"
#include "testbenches/harness/coverage.h"
#include "testbenches/harness/description.h"
#include "testbenches/harness/pin_block.h"

namespace tessera::testbench {

inline Description description() {
    using Kind = Column::Kind;
    Description d;
    d.name = "assign_table";
    d.module = "assign tables of two clusters of SMs, with messages over the mesh";
    d.operation = "vector operations";
    d.sections = {"opportunistic", "noc"};
    d.count = 8000;
    d.implementations = block_implementations();
    d.columns = {{"cycle", Kind::kNumber, "earliest cycle, not before that of the line above"},
                 {"sm", Kind::kNumber, "SM of the operation, from 0"},
                 {"input", Kind::kAddress, "three words of the input, within a line"},
                 {"weights", Kind::kAddress, "three words of the weights, within a line"}};
    d.errors = {{"small_table", "tables have 16 entries less than opportunistic.at_entries"},
                {"extra_slot", "SMs offer one assignment slot too many"},
                {"lost_assignment", "every 7th assignment is accepted and dropped"},
                {"lost_answer", "every 7th answer of an assign table is lost"},
                {"stale_block", "blocks evicted from an L1 stay in the assign table"}};
    d.examples = {{"figure4",
                   "opportunistic computing, section III-B, Figure 4: SM 1 finds its "
                   "pair of blocks in SM 0"}};
    d.view = "assign_table_testbench.gtkw";
    return d;
}

/// Situations that a run must reach.
struct Bins {
    Coverage& coverage;
    Coverage::Bin present =
        coverage.add("operands_present", "an operation whose operands are in the SM's L1");
    Coverage::Bin lookup =
        coverage.add("lookup", "an operand is missing: the SM queries the assign table");
    Coverage::Bin found = coverage.add("found", "the table names another SM with both blocks");
    Coverage::Bin absent = coverage.add("absent", "the table has no entry for the pair");
    Coverage::Bin own =
        coverage.add("own", "the table names the SM itself, whose blocks are on their way");
    Coverage::Bin no_slot = coverage.add("no_slot", "the other SM has no free assignment slot");
    Coverage::Bin insert = coverage.add("insert", "an SM enters a pair that it loads");
    Coverage::Bin replace = coverage.add("replace", "a new pair replaces the oldest one");
    Coverage::Bin invalidate =
        coverage.add("invalidate", "pairs leave the table with a block that an L1 lost");
    Coverage::Bin assign = coverage.add("assign", "an operation goes to another SM");
    Coverage::Bin queue =
        coverage.add("queue", "an assignment waits behind others at the other SM");
    Coverage::Bin refuse =
        coverage.add("refuse", "a full queue refuses an assignment (without credits)");
    Coverage::Bin execute_refused =
        coverage.add("execute_refused", "an SM computes what was refused");
    Coverage::Bin acknowledge =
        coverage.add("acknowledge", "the other SM reports that it has added the result");
    Coverage::Bin not_there =
        coverage.add("not_there", "the table names an SM whose block is on its way, or just lost");
};

/// Vector operation of a warp and what became of it.
struct Planned {
    VectorOperation operation;
    std::uint32_t sm = 0;
    Cycle at = 0, issued = 0, assigned_at = 0;
    bool missing = false;                            ///< an operand is not in the SM's L1
    std::uint32_t holder = NaiveAssignTable::kNone;  ///< from the answer of the table
    bool has_slot = false;                           ///< reserved at the holder
    bool refused = false, expects_refusal = false;
    std::uint32_t lookups = 0, decisions = 0, arrivals = 0, executions = 0, ends = 0;
};

/// Answer that a table must send.
struct TableAnswer {
    std::uint64_t id = 0;
    std::uint32_t to = 0, holder = NaiveAssignTable::kNone, credits = 0;
    Cycle at = 0;
};

}  // namespace tessera::testbench
