// SPDX-License-Identifier: Apache-2.0
// A cover that is reached in the third clock cycle.
module late_cover (
  input logic        clk_i,
  input logic [15:0] a_i
);

  logic [31:0] product;
  logic [1:0]  cycle_q = 2'd0;

  fp16_mul u_mul (.a_i(a_i), .b_i(16'h3c00), .product_o(product));

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 2'd1;
  end

  always_comb begin
    if (a_i == '0) zero_stays: assert (product == '0);
    third_cycle: cover (cycle_q == 2'd2);
  end

endmodule
