// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the sum between the adder's halves: it is the exact sum rounded to odd, that is,
// truncated behind its last bit, which is 1 if anything was lost; in that case at least two of its
// bits are to be rounded away. Rounded to nearest (fp32_add_stage2_properties) it is therefore the
// exact sum rounded to nearest. Negating the operands negates the sum, and x + 0 is x.
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

  // The exact sum of the magnitudes: 28 bits as the sum has them, and Behind more. What is shifted by more than Behind
  // bits is below a unit of the sum, as it is when shifted by Behind.
  localparam int unsigned Behind = 28;
  logic                 y_finite, finite, y_normal, swap;
  logic [7:0]           y_exponent, larger_exponent, distance;
  logic [23:0]          x_significand, y_significand;
  logic [Behind+27:0]   larger, lesser, exact;
  logic                 lost;
  assign y_finite        = y_i[30:0] < 31'h7f80_0000;
  assign finite          = x_finite && y_finite;
  assign y_normal        = y_i[30:23] != '0;
  assign y_exponent      = y_normal ? y_i[30:23] : 8'd1;
  assign x_significand   = {x_normal, x_i[22:0]};
  assign y_significand   = {y_normal, y_i[22:0]};
  assign swap            = {x_exponent, x_significand} < {y_exponent, y_significand};
  assign larger_exponent = (x_exponent > y_exponent) ? x_exponent : y_exponent;
  assign distance        = swap ? y_exponent - x_exponent : x_exponent - y_exponent;
  assign larger          = {1'b0, swap ? y_significand : x_significand, {(Behind + 3){1'b0}}};
  assign lesser          = {1'b0, swap ? x_significand : y_significand, {(Behind + 3){1'b0}}} >>
                           ((distance > 8'(Behind)) ? 8'(Behind) : distance);
  assign exact           = (x_i[31] == y_i[31]) ? larger + lesser : larger - lesser;
  assign lost            = exact[Behind-1:0] != '0;

  always_comb begin
    special_is_special: assert ((mid.nan || mid.inf) == !finite);
    if (finite) begin
      exponent_is_the_larger: assert (mid.exponent == larger_exponent);
      is_in_range: assert ((mid.exponent != '1) && (mid.sum <= 28'hfff_fff0));
      sign_is_of_the_larger: assert (mid.sign == ((exact == '0) ? (x_i[31] && y_i[31])
                                                                : (swap ? y_i[31] : x_i[31])));
      is_rounded_to_odd: assert (mid.sum == {exact[Behind+27:Behind+1], exact[Behind] | lost});
      if (lost) begin
        two_bits_are_left: assert (mid.sum >= 28'h200_0000);
      end
      carry: cover (mid.sum[27]);
      cancels: cover (mid.sum == 28'd4 && distance == 8'd1);
    end
    not_a_number: cover (mid.nan && !x_nan);
    infinite: cover (mid.inf);
    sign_is_symmetric: assert ((negated.nan == mid.nan) && (negated.inf == mid.inf) &&
                               (negated.exponent == mid.exponent) && (negated.sum == mid.sum) &&
                               (mid.nan || (negated.sign == (opposite ? 1'b0 : ~mid.sign))));
    if (x_nan) begin
      nan_stays: assert (mid.nan);
    end
    exponent_is_not_zero: assert (mid.exponent != '0);
    if (x_finite) begin
      zero_is_neutral: assert (!plus_zero.nan && !plus_zero.inf &&
                               (plus_zero.sign == (x_i[31] && (x_i[30:0] != '0))) &&
                               (plus_zero.exponent == x_exponent) &&
                               (plus_zero.sum == {1'b0, x_normal, x_i[22:0], 3'b0}));
    end
  end

endmodule
