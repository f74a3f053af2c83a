// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes and timing of the pair of outer-product tensor cores; the C++ side checks them.
package feop_array_pkg;

  // One OHMMA.8161: two cores of 8x8x1.
  localparam int unsigned Rows /*verilator public*/ = 8;
  localparam int unsigned Columns /*verilator public*/ = 16;

  // One BOHMMA.32321.
  localparam int unsigned BitRows /*verilator public*/ = 32;
  localparam int unsigned BitColumns /*verilator public*/ = 32;

  // Cycles from an operation's acceptance to its result, when nothing stalls.
  localparam int unsigned Latency /*verilator public*/ = 2;

  typedef enum logic {
    OpOhmma  = 1'b0,
    OpBohmma = 1'b1
  } op_e;

endpackage
