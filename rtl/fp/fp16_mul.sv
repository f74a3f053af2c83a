// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Product of two binary16 numbers as FP32: always exact, subnormal operands included. Combinational.
module fp16_mul (
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  output logic [31:0] product_o
);

  logic sign;
  logic a_special, b_special, a_nan, b_nan, a_zero, b_zero;
  logic [10:0] a_significand, b_significand;
  logic [4:0] a_exponent, b_exponent;

  assign sign          = a_i[15] ^ b_i[15];
  assign a_special     = &a_i[14:10];
  assign b_special     = &b_i[14:10];
  assign a_nan         = a_special & (|a_i[9:0]);
  assign b_nan         = b_special & (|b_i[9:0]);
  assign a_zero        = ~(|a_i[14:0]);
  assign b_zero        = ~(|b_i[14:0]);
  // A subnormal has the exponent of the smallest normal number and no hidden bit.
  assign a_significand = {|a_i[14:10], a_i[9:0]};
  assign b_significand = {|b_i[14:10], b_i[9:0]};
  assign a_exponent    = (|a_i[14:10]) ? a_i[14:10] : 5'd1;
  assign b_exponent    = (|b_i[14:10]) ? b_i[14:10] : 5'd1;

  logic [21:0] exact;
  assign exact = a_significand * b_significand;

  // Shift left by the number of leading zeros, in powers of two.
  logic [4:0]  shift;
  logic [21:0] normal;

  always_comb begin
    shift  = '0;
    normal = exact;
    if (normal[21:6] == '0) begin
      shift[4] = 1'b1;
      normal   = normal << 16;
    end
    if (normal[21:14] == '0) begin
      shift[3] = 1'b1;
      normal   = normal << 8;
    end
    if (normal[21:18] == '0) begin
      shift[2] = 1'b1;
      normal   = normal << 4;
    end
    if (normal[21:20] == '0) begin
      shift[1] = 1'b1;
      normal   = normal << 2;
    end
    if (!normal[21]) begin
      shift[0] = 1'b1;
      normal   = normal << 1;
    end
  end

  // Bias: 127 - 2 * 15, plus one because bit 21 of the product weighs 2.
  logic [7:0] exponent;
  assign exponent = 8'd98 + {3'b0, a_exponent} + {3'b0, b_exponent} - {3'b0, shift};

  // The leading one, now bit 21, is the hidden bit.
  always_comb begin
    product_o = {sign, exponent, normal[20:0], 2'b0};
    if (a_nan || b_nan || (a_special && b_zero) || (b_special && a_zero)) begin
      product_o = fp_pkg::CanonicalNan;
    end else if (a_special || b_special) begin
      product_o = {sign, 8'hff, 23'b0};
    end else if (a_zero || b_zero) begin
      product_o = {sign, 31'b0};
    end
  end

endmodule
