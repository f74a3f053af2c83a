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
    overflow_is_infinity: assert (!finite || ((sum[30:0] == 31'h7f80_0000) == overflow));
    needs_no_rounding: assert (!finite || overflow || coarse || (sum_i == '0) ||
                               ((finer_bits < 8'd32) && (given_in_units == {36'b0, significand})));
    is_nearest: assert (!finite || overflow || !coarse ||
                        ((unit_bits <= 8'd4) && ((distance << 1) <= unit) &&
                         (!lowest || ((distance << 2) <= unit))));
    ties_are_even: assert (!finite || overflow || !coarse || ((distance << 1) != unit) || !sum[0]);
    nan_is_canonical: assert (!nan_i || (sum == fp_pkg::CanonicalNan));
    only_nan_is_nan: assert (nan_i || (sum[30:0] <= 31'h7f80_0000));
    infinity_stays: assert (nan_i || !inf_i || (sum == {sign_i, 8'hff, 23'b0}));
    sign_stays: assert (nan_i || (sum[31] == sign_i));
    zero_is_zero: assert (nan_i || inf_i || (sum_i != '0) || (sum[30:0] == '0));
    representable_stays: assert (!representable ||
                                 (sum == {sign_i, sum_i[26] ? exponent_i : 8'd0, sum_i[25:3]}));
  end

endmodule
