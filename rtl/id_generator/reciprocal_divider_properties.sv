// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of reciprocal_divider: with a reciprocal of ceil(2^(Width + l) / d), l = ceil(log2 d),
// quotient and remainder of every dividend are exact.
module reciprocal_divider_properties #(
  parameter int unsigned Width     = 6,
  parameter int unsigned ShiftBits = $clog2(Width + 1)
) (
  input logic                 clk_i,
  input logic                 enable_i,
  input logic [Width-1:0]     dividend_i,
  input logic [Width-1:0]     divisor_i,
  input logic [Width-1:0]     reciprocal_i,
  input logic [ShiftBits-1:0] shift_i
);

  // The program: constant, and what the divider of reciprocals makes of the divisor.
  logic [Width-1:0]     divisor_q, reciprocal_q;
  logic [ShiftBits-1:0] shift_q;
  logic [2*Width:0]     scaled, excess;
  logic [1:0]           taken_q = 2'd0;
  logic                 started_q = 1'b0;

  assign scaled = {{Width{1'b0}}, 1'b1, reciprocal_q} * {{Width + 1{1'b0}}, divisor_q};
  assign excess = scaled - ({{Width{1'b0}}, 1'b1, {Width{1'b0}}} << shift_q);

  logic [Width-1:0] quotient, remainder;
  reciprocal_divider #(
    .Width    (Width),
    .ShiftBits(ShiftBits)
  ) u_divider (
    .clk_i,
    .rst_ni      (started_q),
    .enable_i,
    .divisor_i   (divisor_q),
    .reciprocal_i(reciprocal_q),
    .shift_i     (shift_q),
    .dividend_i,
    .quotient_o  (quotient),
    .remainder_o (remainder)
  );

  logic [Width-1:0]   first_q, second_q, third_q;  // dividends under way
  logic [2*Width-1:0] product;
  assign product = {{Width{1'b0}}, quotient} * {{Width{1'b0}}, divisor_q};

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      divisor_q    <= divisor_i;
      reciprocal_q <= reciprocal_i;
      shift_q      <= shift_i;
    end else if (enable_i) begin
      first_q  <= dividend_i;
      second_q <= first_q;
      third_q  <= second_q;
      if (taken_q != 2'd3) taken_q <= taken_q + 2'd1;
    end
  end

  always_comb begin
    if (started_q) begin
      assume (divisor_q != '0);
      assume (shift_q <= ShiftBits'(Width));
      assume (({{Width{1'b0}}, 1'b1} << shift_q) >= {1'b0, divisor_q});
      assume (shift_q == '0 || ({{Width{1'b0}}, 1'b1} << shift_q) < {divisor_q, 1'b0});
      assume (excess < {{Width + 1{1'b0}}, divisor_q});
      if (taken_q == 2'd3) begin
        is_the_dividend: assert (product + {{Width{1'b0}}, remainder} == {{Width{1'b0}}, third_q});
        below_the_divisor: assert (remainder < divisor_q);
        with_remainder: cover (quotient > Width'(2) && remainder > Width'(2));
      end
    end
  end

endmodule
