// Example of opportunistic computing, Figure 4: SM 1 finds its pair of blocks in SM 0.
#pragma once

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Plays the workflow of Figure 4 (section III-B), prints each step with the tables' contents, and
/// checks each against the paper's statement.
void play_figure4(Session& session);

}  // namespace tessera::testbench
