// SPDX-License-Identifier: Apache-2.0
// Many multipliers and adders side by side, for the test bench: one evaluation checks them all.
module fp_bench_top (
  input  logic [fp_bench_pkg::MulLanes*16-1:0] a_i,
  input  logic [fp_bench_pkg::MulLanes*16-1:0] b_i,
  output logic [fp_bench_pkg::MulLanes*32-1:0] product_o,

  input  logic [fp_bench_pkg::AddLanes*32-1:0] x_i,
  input  logic [fp_bench_pkg::AddLanes*32-1:0] y_i,
  output logic [fp_bench_pkg::AddLanes*32-1:0] sum_o
);

  // Seen by the C++ side.
  localparam int unsigned MulLanes /*verilator public*/ = fp_bench_pkg::MulLanes;
  localparam int unsigned AddLanes /*verilator public*/ = fp_bench_pkg::AddLanes;

  for (genvar lane = 0; lane < MulLanes; lane++) begin : gen_mul
    fp16_mul u_mul (
      .a_i      (a_i[lane*16+:16]),
      .b_i      (b_i[lane*16+:16]),
      .product_o(product_o[lane*32+:32])
    );
  end

  for (genvar lane = 0; lane < AddLanes; lane++) begin : gen_add
    fp32_add u_add (
      .x_i  (x_i[lane*32+:32]),
      .y_i  (y_i[lane*32+:32]),
      .sum_o(sum_o[lane*32+:32])
    );
  end

endmodule
