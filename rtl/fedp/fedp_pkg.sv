// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes and timing of the four-element dot-product unit; the C++ side checks them.
package fedp_pkg;

  localparam int unsigned Elements /*verilator public*/ = 4;
  // Cycles from the operands to d while every stage moves.
  localparam int unsigned Latency /*verilator public*/ = 3;

  // The accumulator: significand in units of 2^(exponent - 150).
  typedef struct packed {
    logic        sign;
    logic [7:0]  exponent;
    logic [23:0] significand;
  } addend_t;

  // Which operands are not numbers.
  typedef struct packed {
    logic nan;
    logic plus_inf;
    logic minus_inf;
  } special_t;

  // The aligned sum: in units of 2^(largest - 153).
  typedef struct packed {
    special_t    special;
    logic [7:0]  largest;
    logic [28:0] sum;
  } sum_t;

endpackage
