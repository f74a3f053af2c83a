// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of sequential_divider as used by packet_programmer: {2^l - d, 0} / d rounded up,
// behind a 1, is ceil(2^(Width + l) / d), and fits Width bits.
module reciprocal_properties #(
  parameter int unsigned Width = 6,
  parameter int unsigned ShiftBits = $clog2(Width + 1)
) (
  input logic                 clk_i,
  input logic [Width-1:0]     divisor_i,
  input logic [ShiftBits-1:0] shift_i
);

  logic                 started_q = 1'b0;
  logic                 taken_q = 1'b0;
  logic [Width-1:0]     divisor_q;
  logic [ShiftBits-1:0] shift_q;
  logic                 in_ready, out_valid;
  logic [Width-1:0]     quotient, remainder;

  sequential_divider #(
    .Width(Width)
  ) u_divider (
    .clk_i,
    .rst_ni     (started_q),
    .in_valid_i (!taken_q),
    .in_ready_o (in_ready),
    .high_i     (Width'(({{Width{1'b0}}, 1'b1} << shift_i) - {1'b0, divisor_i})),
    .low_i      ({Width{1'b0}}),
    .divisor_i,
    .out_valid_o(out_valid),
    .out_ready_i(1'b1),
    .quotient_o (quotient),
    .remainder_o(remainder)
  );

  logic [Width:0]   rounded;
  logic [2*Width:0] scaled, excess;
  assign rounded = {1'b0, quotient} + {{Width{1'b0}}, remainder != '0};
  assign scaled  = {{Width{1'b0}}, 1'b1, rounded[Width-1:0]} * {{Width + 1{1'b0}}, divisor_q};
  assign excess  = scaled - ({{Width{1'b0}}, 1'b1, {Width{1'b0}}} << shift_q);

  // Cycles since the operands were offered, and from there to the result.
  localparam logic [7:0] Cycles = 8'(Width + 1);
  logic [7:0] cycles_q = '0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) cycles_q <= cycles_q + 8'd1;
    if (started_q && in_ready && !taken_q) begin
      taken_q   <= 1'b1;
      divisor_q <= divisor_i;
      shift_q   <= shift_i;
    end
  end

  always_comb begin
    assume (divisor_i != '0);
    assume (shift_i <= ShiftBits'(Width));
    assume (({{Width{1'b0}}, 1'b1} << shift_i) >= {1'b0, divisor_i});
    assume (shift_i == '0 || ({{Width{1'b0}}, 1'b1} << shift_i) < {divisor_i, 1'b0});
    // The divider does not keep the divisor.
    assume (!taken_q || divisor_i == divisor_q);
    if (started_q && out_valid) begin
      fits: assert (!rounded[Width]);
      is_the_reciprocal: assert (excess < {{Width + 1{1'b0}}, divisor_q});
      of_a_power_of_two: cover (excess == '0 && divisor_q > Width'(2));
      rounded_up: cover (excess != '0);
    end
    if (cycles_q == Cycles) begin
      result_in_time: assert (out_valid);
    end
  end

endmodule
