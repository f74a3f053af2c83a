// SPDX-License-Identifier: Apache-2.0
// An assertion that is wrong and whose condition is never met, and a cover that nothing reaches.
module vacuous (
  input logic        clk_i,
  input logic [15:0] a_i,
  input logic [15:0] b_i
);

  logic [31:0] product;
  logic        asked_q = 1'b0;

  fp16_mul u_mul (.a_i(a_i), .b_i(b_i), .product_o(product));

  always_ff @(posedge clk_i) begin
    asked_q <= asked_q && b_i == '0;
  end

  always_comb begin
    if (asked_q) never_asked: assert (product == '0);
    if (a_i == '0 && b_i == '0) sign_of_both: assert (!product[31]);
    is_infinite_and_zero: cover (a_i[14:0] == '0 && product[30:0] == 31'h7f80_0000);
  end

endmodule
