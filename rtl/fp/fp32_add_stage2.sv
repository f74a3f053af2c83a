// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Second half of the FP32 adder: normalise, round to nearest (ties to even), pack. Combinational.
module fp32_add_stage2 (
  input  fp_pkg::fp32_add_mid_t  mid_i,
  output logic [31:0]            sum_o
);

  // Left shift to bit 26, but never below the exponent of subnormals.
  logic [7:0] room;
  assign room = mid_i.exponent - 8'd1;

  logic [4:0]  zeros, shift;
  logic [26:0] scan;

  always_comb begin
    zeros = '0;
    scan  = mid_i.sum[26:0];
    if (scan[26:11] == '0) begin
      zeros[4] = 1'b1;
      scan     = scan << 16;
    end
    if (scan[26:19] == '0) begin
      zeros[3] = 1'b1;
      scan     = scan << 8;
    end
    if (scan[26:23] == '0) begin
      zeros[2] = 1'b1;
      scan     = scan << 4;
    end
    if (scan[26:25] == '0) begin
      zeros[1] = 1'b1;
      scan     = scan << 2;
    end
    zeros[0] = ~scan[26];
  end

  assign shift = ({3'b0, zeros} > room) ? room[4:0] : zeros;

  logic        carry;
  logic [26:0] normal;
  logic [7:0]  exponent;

  always_comb begin
    carry    = mid_i.sum[27];
    normal   = mid_i.sum[26:0] << shift;
    exponent = mid_i.exponent - {3'b0, shift};
    if (carry) begin
      normal   = {mid_i.sum[27:2], |mid_i.sum[1:0]};
      exponent = mid_i.exponent + 8'd1;
    end
  end

  // Without a leading one the number is subnormal: its exponent field is 0.
  logic        round_up;
  logic [30:0] rounded;
  assign round_up = normal[2] & (normal[3] | (|normal[1:0]));
  assign rounded  = {exponent & {8{normal[26]}}, normal[25:3]} + {30'b0, round_up};

  always_comb begin
    sum_o = {mid_i.sign, rounded};
    if (mid_i.nan) begin
      sum_o = fp_pkg::CanonicalNan;
    end else if (mid_i.inf || (&rounded[30:23])) begin
      sum_o = {mid_i.sign, 8'hff, 23'b0};
    end
  end

endmodule
