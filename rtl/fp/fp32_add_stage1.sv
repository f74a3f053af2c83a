// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// First half of the FP32 adder: order by magnitude, align, add. Combinational.
module fp32_add_stage1 (
  input  logic [31:0]            x_i,
  input  logic [31:0]            y_i,
  output fp_pkg::fp32_add_mid_t  mid_o
);

  logic x_special, y_special, x_nan, y_nan;
  assign x_special = &x_i[30:23];
  assign y_special = &y_i[30:23];
  assign x_nan     = x_special & (|x_i[22:0]);
  assign y_nan     = y_special & (|y_i[22:0]);

  // Infinities and finite numbers order by their bits.
  logic swap, subtract, cancel;
  logic [31:0] larger;
  logic [30:0] lesser;
  assign swap     = x_i[30:0] < y_i[30:0];
  assign larger   = swap ? y_i : x_i;
  assign lesser   = swap ? x_i[30:0] : y_i[30:0];
  assign subtract = x_i[31] ^ y_i[31];
  assign cancel   = subtract & (x_i[30:0] == y_i[30:0]);

  // Subnormals have the exponent of the smallest normal number and no hidden bit.
  // Both distances are there before it is known which number is larger.
  logic [7:0] x_exponent, y_exponent, larger_exponent, distance;
  assign x_exponent      = (|x_i[30:23]) ? x_i[30:23] : 8'd1;
  assign y_exponent      = (|y_i[30:23]) ? y_i[30:23] : 8'd1;
  assign larger_exponent = swap ? y_exponent : x_exponent;
  assign distance        = swap ? y_exponent - x_exponent : x_exponent - y_exponent;

  logic [26:0] larger_significand, lesser_significand;
  assign larger_significand   = {|larger[30:23], larger[22:0], 3'b0};
  assign lesser_significand = {|lesser[30:23], lesser[22:0], 3'b0};

  // Right shift; what falls out of the last bit stays in it as sticky bit.
  logic [26:0] shifted_1, shifted_2, shifted_4, shifted_8, shifted_16, aligned;
  assign shifted_1  = distance[0] ? {1'b0, lesser_significand[26:2], |lesser_significand[1:0]}
                                  : lesser_significand;
  assign shifted_2  = distance[1] ? {2'b0, shifted_1[26:3], |shifted_1[2:0]} : shifted_1;
  assign shifted_4  = distance[2] ? {4'b0, shifted_2[26:5], |shifted_2[4:0]} : shifted_2;
  assign shifted_8  = distance[3] ? {8'b0, shifted_4[26:9], |shifted_4[8:0]} : shifted_4;
  assign shifted_16 = distance[4] ? {16'b0, shifted_8[26:17], |shifted_8[16:0]} : shifted_8;
  assign aligned    = (|distance[7:5]) ? {26'b0, |shifted_16} : shifted_16;

  always_comb begin
    mid_o          = '0;
    mid_o.nan      = x_nan | y_nan | (x_special & y_special & subtract);
    mid_o.inf      = x_special | y_special;
    // x + (-x) is +0.
    mid_o.sign     = cancel ? 1'b0 : larger[31];
    mid_o.exponent = larger_exponent;
    mid_o.sum      = subtract ? {1'b0, larger_significand} - {1'b0, aligned}
                              : {1'b0, larger_significand} + {1'b0, aligned};
  end

endmodule
