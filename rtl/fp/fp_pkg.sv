// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants and types of the floating-point units.
package fp_pkg;

  // NaN result of every unit (FP32).
  localparam logic [31:0] CanonicalNan = 32'h7fff_ffff;

  // Between the two halves of the FP32 adder; 39 bits.
  typedef struct packed {
    logic        nan;       // the result is the canonical NaN
    logic        inf;       // the result is an infinity of `sign`
    logic        sign;
    logic [7:0]  exponent;  // biased, of bit 26 of `sum`; at least 1
    logic [27:0] sum;       // carry, 24 significand bits, guard, round, sticky
  } fp32_add_mid_t;

endpackage
