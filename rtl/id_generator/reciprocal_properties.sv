// SPDX-License-Identifier: Apache-2.0
// What must hold of sequential_divider as packet_programmer uses it: {2^l - d, 0} / d rounded up,
// behind a 1, is ceil(2^(WIDTH + l) / d), and fits WIDTH bits.
module reciprocal_properties #(
  parameter int unsigned WIDTH = 6,
  parameter int unsigned SHIFTBITS = $clog2(WIDTH + 1)
) (
  input logic                 clk_i,
  input logic [WIDTH-1:0]     divisor_i,
  input logic [SHIFTBITS-1:0] shift_i
);

  logic                 started_q = 1'b0;
  logic                 taken_q = 1'b0;
  logic [WIDTH-1:0]     divisor_q;
  logic [SHIFTBITS-1:0] shift_q;
  logic                 in_ready, out_valid;
  logic [WIDTH-1:0]     quotient, remainder;

  sequential_divider #(
    .WIDTH(WIDTH)
  ) u_divider (
    .clk_i,
    .rst_ni     (started_q),
    .in_valid_i (!taken_q),
    .in_ready_o (in_ready),
    .high_i     (WIDTH'(({{WIDTH{1'b0}}, 1'b1} << shift_i) - {1'b0, divisor_i})),
    .low_i      ({WIDTH{1'b0}}),
    .divisor_i,
    .out_valid_o(out_valid),
    .out_ready_i(1'b1),
    .quotient_o (quotient),
    .remainder_o(remainder)
  );

  logic [WIDTH:0]   rounded;
  logic [2*WIDTH:0] scaled, excess;
  assign rounded = {1'b0, quotient} + {{WIDTH{1'b0}}, remainder != '0};
  assign scaled  = {{WIDTH{1'b0}}, 1'b1, rounded[WIDTH-1:0]} * {{WIDTH + 1{1'b0}}, divisor_q};
  assign excess  = scaled - ({{WIDTH{1'b0}}, 1'b1, {WIDTH{1'b0}}} << shift_q);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q && in_ready && !taken_q) begin
      taken_q   <= 1'b1;
      divisor_q <= divisor_i;
      shift_q   <= shift_i;
    end
  end

  always_comb begin
    assume (divisor_i != '0);
    assume (shift_i <= SHIFTBITS'(WIDTH));
    assume (({{WIDTH{1'b0}}, 1'b1} << shift_i) >= {1'b0, divisor_i});
    assume (shift_i == '0 || ({{WIDTH{1'b0}}, 1'b1} << shift_i) < {divisor_i, 1'b0});
    // The divider does not keep the divisor.
    assume (!taken_q || divisor_i == divisor_q);
    if (started_q && out_valid) begin
      assert (!rounded[WIDTH]);
      assert (excess < {{WIDTH + 1{1'b0}}, divisor_q});
    end
  end

endmodule
