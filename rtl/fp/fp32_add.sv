// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// FP32 addition, round to nearest, ties to even, subnormals supported; every NaN is canonical.
// Combinational; a register between the two halves makes it a two-stage pipeline.
module fp32_add (
  input  logic [31:0] x_i,
  input  logic [31:0] y_i,
  output logic [31:0] sum_o
);

  fp_pkg::fp32_add_mid_t mid;

  fp32_add_stage1 u_stage1 (
    .x_i  (x_i),
    .y_i  (y_i),
    .mid_o(mid)
  );

  fp32_add_stage2 u_stage2 (
    .mid_i(mid),
    .sum_o(sum_o)
  );

endmodule
