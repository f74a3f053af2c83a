// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Lanes of the test bench's top; the C++ side checks them.
package fp_bench_pkg;

  localparam int unsigned MulLanes /*verilator public*/ = 64;
  localparam int unsigned AddLanes /*verilator public*/ = 16;
  localparam int unsigned StagedLanes /*verilator public*/ = 4;

endpackage
