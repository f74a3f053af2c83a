// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// What holds for the exact sum between the adder's halves. With fp32_add_stage2_properties: the sum
// changes its sign with its operands, and x + 0 is x.
module fp32_add_stage1_properties (
  input logic [31:0] x_i,
  input logic [31:0] y_i
);

  fp_pkg::fp32_add_mid_t mid, negated, plus_zero;

  logic [31:0] minus_x, minus_y;
  assign minus_x = {~x_i[31], x_i[30:0]};
  assign minus_y = {~y_i[31], y_i[30:0]};

  fp32_add_stage1 u_mid (.x_i(x_i), .y_i(y_i), .mid_o(mid));
  fp32_add_stage1 u_negated (.x_i(minus_x), .y_i(minus_y), .mid_o(negated));
  fp32_add_stage1 u_plus_zero (.x_i(x_i), .y_i(32'b0), .mid_o(plus_zero));

  logic x_nan, x_finite, opposite;
  assign x_nan    = x_i[30:0] > 31'h7f80_0000;
  assign x_finite = x_i[30:0] < 31'h7f80_0000;
  assign opposite = x_i == minus_y;

  logic       x_normal;
  logic [7:0] x_exponent;
  assign x_normal   = x_i[30:23] != '0;
  assign x_exponent = x_normal ? x_i[30:23] : 8'd1;

  always_comb begin
    sign_is_symmetric: assert ((negated.nan == mid.nan) && (negated.inf == mid.inf) &&
                               (negated.exponent == mid.exponent) && (negated.sum == mid.sum) &&
                               (mid.nan || (negated.sign == (opposite ? 1'b0 : ~mid.sign))));
    nan_stays: assert (!x_nan || mid.nan);
    exponent_is_not_zero: assert (mid.exponent != '0);
    zero_is_neutral: assert (!x_finite ||
                             (!plus_zero.nan && !plus_zero.inf &&
                              (plus_zero.sign == (x_i[31] && (x_i[30:0] != '0))) &&
                              (plus_zero.exponent == x_exponent) &&
                              (plus_zero.sum == {1'b0, x_normal, x_i[22:0], 3'b0})));
  end

endmodule
