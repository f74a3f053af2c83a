// Rules that the reads of a DRAM channel keep when they overlap.
#pragma once

#include <vector>

#include "testbenches/dram/naive_dram.h"
#include "testbenches/harness/initiator.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Checks finished reads: the data bus carries no more than it can in any interval and, if
/// `in_order`, reads of a port to one row end in the order in which they were sent.
/// `dram_cycles`: DRAM cycles in a core cycle.
void check_dram_reads(Session& session, const NaiveDram& naive,
                      const std::vector<Initiator*>& initiators, double dram_cycles, bool in_order);

}  // namespace tessera::testbench
