// Facts about the testbench of the precompute table, and the operations of its files.
#pragma once

#include <cstdint>

#include "sc_models/opportunistic/precompute_table.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"

namespace tessera::testbench {

enum class Action : std::uint8_t { kPredict, kLookup, kStart, kFinish, kEliminate, kFlush };

/// Operation of a file or of the built-in stimulus.
struct TableOperation {
    Cycle at = 0;
    Action action = Action::kLookup;
    PrecomputeKey key;
    std::uint32_t entries = 0;
};

inline Description description() {
    using Kind = Column::Kind;
    Description d;
    d.name = "precompute_table";
    d.module = "precompute table of an SM: results of predicted vector operations";
    d.operation = "operations";
    d.sections = {"opportunistic"};
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = {
        {"cycle", Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation",
         Kind::kChoice,
         "",
         {"predict", "lookup", "start", "finish", "eliminate", "flush"}},
        {"input", Kind::kAddress, "predict, lookup: input vector", {}, true},
        {"weights", Kind::kAddress, "predict, lookup: weight vector", {}, true},
        {"geometry", Kind::kNumber, "predict, lookup: number of the lanes' layout", {}, true},
        {"entries", Kind::kNumber, "eliminate: number of entries", {}, true}};
    d.errors = {{"small_table", "the table has one entry less than opportunistic.pt_entries"},
                {"lost_result", "every 16th result of an assistant warp is lost"},
                {"late_result", "results are stored even if their entry was replaced meanwhile"},
                {"ignored_geometry", "keys lack the layout of the lanes"},
                {"late_elimination", "the periodic elimination takes twice its period"}};
    d.examples = {{"figure3", "opportunistic computing, section III-A, Figure 3: steps 1 to 5"}};
    d.view = "precompute_table_testbench.gtkw";
    return d;
}

}  // namespace tessera::testbench
