// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Four-element outer-product unit: one FP16 a times four FP16 b, each added to an FP32 c.
//
// Stages: product, aligned sum, rounded sum; without Accumulate only the product, and c is not
// used. Bit s of en_i moves stage s: the stage takes what the one before it holds.
module feop #(
  parameter bit Accumulate = 1'b1,
  localparam int unsigned Lanes = feop_pkg::Lanes,
  localparam int unsigned Stages = Accumulate ? feop_pkg::SumLatency : feop_pkg::ProductLatency
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [Stages-1:0]   en_i,
  input  logic [15:0]         a_i,
  input  logic [Lanes*16-1:0] b_i,
  input  logic [Lanes*32-1:0] c_i,
  output logic [Lanes*32-1:0] d_o
);

  if (feop_pkg::Lanes < 1 || feop_pkg::ProductLatency != 1 ||
      feop_pkg::SumLatency != 3) begin : gen_check_sizes
    $error("feop: Lanes of the package must be at least 1, its latencies 1 and 3");
  end

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic [31:0] product, product_d, product_q;

    fp16_mul u_mul (
      .a_i      (a_i),
      .b_i      (b_i[lane*16+:16]),
      .product_o(product)
    );

    assign product_d = en_i[0] ? product : product_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        product_q <= '0;
      end else begin
        product_q <= product_d;
      end
    end

    if (Accumulate) begin : gen_accumulate
      logic [31:0] c_d, c_q, sum, sum_d, sum_q;
      fp_pkg::fp32_add_mid_t mid, mid_d, mid_q;

      fp32_add_stage1 u_stage1 (
        .x_i  (c_q),
        .y_i  (product_q),
        .mid_o(mid)
      );

      fp32_add_stage2 u_stage2 (
        .mid_i(mid_q),
        .sum_o(sum)
      );

      assign c_d   = en_i[0] ? c_i[lane*32+:32] : c_q;
      assign mid_d = en_i[1] ? mid : mid_q;
      assign sum_d = en_i[2] ? sum : sum_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          c_q   <= '0;
          mid_q <= '0;
          sum_q <= '0;
        end else begin
          c_q   <= c_d;
          mid_q <= mid_d;
          sum_q <= sum_d;
        end
      end

      assign d_o[lane*32+:32] = sum_q;
    end else begin : gen_product
      logic unused_c;
      assign unused_c = ^c_i[lane*32+:32];

      assign d_o[lane*32+:32] = product_q;
    end
  end

endmodule
