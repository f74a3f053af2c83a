// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of normalising and rounding: the result is the number nearest to the sum, and the even
// one of two that are equally near. See fp32_add_stage1_properties.
module fp32_add_stage2_properties (
  input logic        nan_i,
  input logic        inf_i,
  input logic        sign_i,
  input logic [7:0]  exponent_i,
  input logic [27:0] sum_i
);

  fp_pkg::fp32_add_mid_t mid;
  logic [31:0] sum;
  assign mid = {nan_i, inf_i, sign_i, exponent_i, sum_i};

  fp32_add_stage2 u_sum (.mid_i(mid), .sum_o(sum));

  // The sum is a number as it stands: nothing to shift, nothing to round.
  logic representable;
  assign representable = !nan_i && !inf_i && (sum_i[2:0] == '0) && !sum_i[27] &&
                         (sum_i[26] || (exponent_i == 8'd1)) && (exponent_i != 8'd255);

  // The sum's unit is 2^(exponent_i - 153), that of the result 2^(e - 150). Where the result's is not the larger one
  // it is the sum itself, in units of its own; otherwise they differ by half a unit of the result at most.
  logic        finite, overflow, coarse;
  logic [8:0]  result_exponent;
  logic [7:0]  unit_bits, finer_bits;
  logic [23:0] significand;
  logic [31:0] unit, result, given, distance;
  logic [59:0] given_in_units;
  assign finite          = !nan_i && !inf_i;
  assign result_exponent = (sum[30:23] == '0) ? 9'd1 : {1'b0, sum[30:23]};
  assign significand     = {sum[30:23] != '0, sum[22:0]};
  assign coarse          = (result_exponent + 9'd3) > {1'b0, exponent_i};
  assign unit_bits       = 8'(result_exponent + 9'd3 - {1'b0, exponent_i});
  assign finer_bits      = 8'({1'b0, exponent_i} - result_exponent - 9'd3);
  assign given_in_units  = {32'b0, sum_i} << finer_bits;
  assign unit            = 32'd1 << unit_bits;
  assign result          = {8'b0, significand} << unit_bits;
  assign given           = {4'b0, sum_i};
  assign distance        = (result > given) ? result - given : given - result;

  // From half a unit above the largest number on.
  assign overflow = (exponent_i == 8'd254) && (sum_i >= 28'h7ff_fffc);

  // Below a power of two numbers lie twice as close.
  logic lowest;
  assign lowest = (significand == 24'h80_0000) && (result_exponent != 9'd1) && (result > given);

  always_comb begin
    // Ranges that fp32_add_stage1_properties proves.
    assume (exponent_i != '0);
    assume (!finite || ((exponent_i != 8'd255) && (sum_i <= 28'hfff_fff0)));
    if (nan_i) begin
      nan_is_canonical: assert (sum == fp_pkg::CanonicalNan);
    end else begin
      only_nan_is_nan: assert (sum[30:0] <= 31'h7f80_0000);
      sign_stays: assert (sum[31] == sign_i);
      if (inf_i) begin
        infinity_stays: assert (sum == {sign_i, 8'hff, 23'b0});
      end
    end
    if (finite) begin
      overflow_is_infinity: assert ((sum[30:0] == 31'h7f80_0000) == overflow);
      if (sum_i == '0) begin
        zero_is_zero: assert (sum[30:0] == '0);
      end
      overflows: cover (overflow);
    end
    if (finite && !overflow) begin
      if (!coarse && sum_i != '0) begin
        needs_no_rounding: assert ((finer_bits < 8'd32) && (given_in_units == {36'b0, significand}));
      end
      if (coarse) begin
        is_nearest: assert ((unit_bits <= 8'd4) && ((distance << 1) <= unit) &&
                            (!lowest || ((distance << 2) <= unit)));
        rounds_up: cover (result > given);
        rounds_down: cover (result < given);
        if ((distance << 1) == unit) begin
          ties_are_even: assert (!sum[0]);
        end
      end
    end
    if (representable) begin
      representable_stays: assert (sum == {sign_i, sum_i[26] ? exponent_i : 8'd0, sum_i[25:3]});
    end
  end

endmodule
