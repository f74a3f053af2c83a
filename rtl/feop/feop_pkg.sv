// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes and timing of the four-element outer-product unit; the C++ side checks them.
package feop_pkg;

  localparam int unsigned Lanes /*verilator public*/ = 4;
  // Cycles from the operands to d while every stage moves.
  localparam int unsigned ProductLatency /*verilator public*/ = 1;
  localparam int unsigned SumLatency /*verilator public*/ = 3;

endpackage
