// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// What holds for normalising and rounding. See fp32_add_stage1_properties.
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

  always_comb begin
    assume (exponent_i != '0);
    nan_is_canonical: assert (!nan_i || (sum == fp_pkg::CanonicalNan));
    only_nan_is_nan: assert (nan_i || (sum[30:0] <= 31'h7f80_0000));
    infinity_stays: assert (nan_i || !inf_i || (sum == {sign_i, 8'hff, 23'b0}));
    sign_stays: assert (nan_i || (sum[31] == sign_i));
    zero_is_zero: assert (nan_i || inf_i || (sum_i != '0) || (sum[30:0] == '0));
    representable_stays: assert (!representable ||
                                 (sum == {sign_i, sum_i[26] ? exponent_i : 8'd0, sum_i[25:3]}));
  end

endmodule
