// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Replacement of the FP32 adder's halves in proofs about the order of additions: a sum that depends
// on the order of the operands and is tractable for a solver: x shifted to the left, y's lowest bit
// behind it.
module fp32_add_stage1 (
  input  logic [31:0]           x_i,
  input  logic [31:0]           y_i,
  output fp_pkg::fp32_add_mid_t mid_o
);

  assign mid_o = {7'b0, x_i[30:0], y_i[0]};

endmodule

module fp32_add_stage2 (
  input  fp_pkg::fp32_add_mid_t mid_i,
  output logic [31:0]           sum_o
);

  assign sum_o = mid_i[31:0];

endmodule
