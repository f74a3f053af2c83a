// Example of opportunistic computing, Figure 3: a window that moves down over rows of the input.
#pragma once

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Plays steps 1 to 5 of Figure 3 (section III-A) on a precompute table, prints each with the
/// table's contents, and checks each against the paper's statement.
void play_figure3(Session& session);

}  // namespace tessera::testbench
