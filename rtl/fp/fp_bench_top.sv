// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Many multipliers and adders side by side behind input registers, for the test bench: one clock
// cycle checks them all. The staged adders have a register between their halves, too.
module fp_bench_top #(
  localparam int unsigned MulLanes = fp_bench_pkg::MulLanes,
  localparam int unsigned AddLanes = fp_bench_pkg::AddLanes,
  localparam int unsigned StagedLanes = fp_bench_pkg::StagedLanes
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic [MulLanes*16-1:0]    a_i,
  input  logic [MulLanes*16-1:0]    b_i,
  output logic [MulLanes*32-1:0]    product_o,

  input  logic [AddLanes*32-1:0]    x_i,
  input  logic [AddLanes*32-1:0]    y_i,
  output logic [AddLanes*32-1:0]    sum_o,
  output logic [StagedLanes*32-1:0] staged_o
);

  logic [MulLanes*16-1:0] a_q, b_q;
  logic [AddLanes*32-1:0] x_q, y_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_q <= '0;
      b_q <= '0;
      x_q <= '0;
      y_q <= '0;
    end else begin
      a_q <= a_i;
      b_q <= b_i;
      x_q <= x_i;
      y_q <= y_i;
    end
  end

  for (genvar lane = 0; lane < MulLanes; lane++) begin : gen_mul
    fp16_mul u_mul (
      .a_i      (a_q[lane*16+:16]),
      .b_i      (b_q[lane*16+:16]),
      .product_o(product_o[lane*32+:32])
    );
  end

  for (genvar lane = 0; lane < AddLanes; lane++) begin : gen_add
    fp32_add u_add (
      .x_i  (x_q[lane*32+:32]),
      .y_i  (y_q[lane*32+:32]),
      .sum_o(sum_o[lane*32+:32])
    );
  end

  for (genvar lane = 0; lane < StagedLanes; lane++) begin : gen_staged
    fp_pkg::fp32_add_mid_t mid_d, mid_q;

    fp32_add_stage1 u_stage1 (
      .x_i  (x_q[lane*32+:32]),
      .y_i  (y_q[lane*32+:32]),
      .mid_o(mid_d)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        mid_q <= '0;
      end else begin
        mid_q <= mid_d;
      end
    end

    fp32_add_stage2 u_stage2 (
      .mid_i(mid_q),
      .sum_o(staged_o[lane*32+:32])
    );
  end

endmodule
