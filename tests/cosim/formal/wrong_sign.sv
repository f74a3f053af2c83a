// SPDX-License-Identifier: Apache-2.0
// A property that does not hold: a product does not always have the sign of its first factor.
module wrong_sign (
  input logic        clk_i,
  input logic [15:0] a_i,
  input logic [15:0] b_i
);

  logic [31:0] product;
  logic        late_q = 1'b0;

  fp16_mul u_mul (.a_i(a_i), .b_i(b_i), .product_o(product));

  always_ff @(posedge clk_i) begin
    late_q <= 1'b1;
  end

  // Only from the second clock cycle on, so that there is something to see in the trace.
  always_comb begin
    if (late_q) sign_of_first_factor: assert (product[31] == a_i[15]);
  end

endmodule
