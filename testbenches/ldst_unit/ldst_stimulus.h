// Built-in stimulus of the LDST unit: contents, directed cases and random instructions.
#pragma once

#include <vector>

#include "testbenches/harness/session.h"
#include "testbenches/ldst_unit/ldst_checker.h"
#include "testbenches/ldst_unit/warp_operation.h"

namespace tessera::testbench {

/// Each kind alone, with and without conflicts, to be played one after the other.
[[nodiscard]] std::vector<WarpOperation> directed_operations(const Config& config);
/// Fragments of all sub-cores at one cycle.
[[nodiscard]] std::vector<WarpOperation> burst_of_fragments(const Config& config);
/// Draws an instruction for any cycle.
[[nodiscard]] WarpOperation draw_operation(Session& session);
/// Fills registers and memory, those of the reference too, with small whole numbers as FP32, so
/// that sums are exact.
void draw_contents(Session& session, const SubCoreDrivers& drivers, NaiveLdst& naive,
                   const LdstSurroundings& around);

}  // namespace tessera::testbench
