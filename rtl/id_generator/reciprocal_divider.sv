// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Exact division by a programmed divisor, one a cycle in three stages: high half of the product with
// the reciprocal; sum and shift; remainder.
module reciprocal_divider #(
  parameter int unsigned Width     = id_generator_pkg::DivisionBits,
  parameter int unsigned ShiftBits = $clog2(Width + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 enable_i,

  input  logic [Width-1:0]     divisor_i,
  input  logic [Width-1:0]     reciprocal_i,  // without its top bit, which is always 1
  input  logic [ShiftBits-1:0] shift_i,

  input  logic [Width-1:0]     dividend_i,
  output logic [Width-1:0]     quotient_o,
  output logic [Width-1:0]     remainder_o
);

  if (Width < 2) begin : gen_check_width
    $error("reciprocal_divider: Width must be at least 2");
  end

  if (ShiftBits != $clog2(Width + 1)) begin : gen_check_shift_bits
    $error("reciprocal_divider: ShiftBits must be clog2(Width + 1)");
  end

  logic [Width-1:0] high_d, high_q, dividend_q, dividend_2_q;
  logic [Width-1:0] quotient_d, quotient_q, quotient_2_q;
  logic [Width-1:0] remainder_d, remainder_q;

  always_comb begin
    high_d      = Width'(({{Width{1'b0}}, dividend_i} * {{Width{1'b0}}, reciprocal_i}) >> Width);
    quotient_d  = Width'(({1'b0, high_q} + {1'b0, dividend_q}) >> shift_i);
    remainder_d = dividend_2_q - quotient_q * divisor_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      high_q       <= '0;
      dividend_q   <= '0;
      quotient_q   <= '0;
      dividend_2_q <= '0;
      quotient_2_q <= '0;
      remainder_q  <= '0;
    end else if (enable_i) begin
      high_q       <= high_d;
      dividend_q   <= dividend_i;
      quotient_q   <= quotient_d;
      dividend_2_q <= dividend_q;
      quotient_2_q <= quotient_q;
      remainder_q  <= remainder_d;
    end
  end

  assign quotient_o  = quotient_2_q;
  assign remainder_o = remainder_q;

endmodule
