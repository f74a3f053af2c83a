// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Restoring division, one quotient bit a cycle: {high, low} / divisor, which must fit Width bits
// (high < divisor). The result comes Width + 1 cycles after the operands were taken; the divisor
// must stay until then.
module sequential_divider #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] high_i,
  input  logic [Width-1:0] low_i,
  input  logic [Width-1:0] divisor_i,

  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] quotient_o,
  output logic [Width-1:0] remainder_o
);

  if (Width < 2) begin : gen_check_width
    $error("sequential_divider: Width must be at least 2");
  end

  localparam int unsigned CountBits = $clog2(Width + 1);

  logic                 busy_d, busy_q;
  logic [CountBits-1:0] left_d, left_q;  // quotient bits to come
  logic [Width-1:0]     remainder_d, remainder_q;
  logic [Width-1:0]     low_d, low_q;    // dividend bits to come above quotient bits made

  // The remainder stays below the divisor, so the difference fits where it is taken.
  logic [Width:0]   trial;
  logic [Width-1:0] difference;
  logic             fits;
  assign trial      = {remainder_q, low_q[Width-1]};
  assign difference = trial[Width-1:0] - divisor_i;
  assign fits       = trial >= {1'b0, divisor_i};

  assign in_ready_o  = !busy_q;
  assign out_valid_o = busy_q && left_q == '0;
  assign quotient_o  = low_q;
  assign remainder_o = remainder_q;

  always_comb begin
    busy_d      = busy_q;
    left_d      = left_q;
    remainder_d = remainder_q;
    low_d       = low_q;
    if (!busy_q) begin
      if (in_valid_i) begin
        busy_d      = 1'b1;
        left_d      = CountBits'(Width);
        remainder_d = high_i;
        low_d       = low_i;
      end
    end else if (left_q != '0) begin
      left_d      = left_q - 1'b1;
      remainder_d = fits ? difference : trial[Width-1:0];
      low_d       = {low_q[Width-2:0], fits};
    end else if (out_ready_i) begin
      busy_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      left_q      <= '0;
      remainder_q <= '0;
      low_q       <= '0;
    end else begin
      busy_q      <= busy_d;
      left_q      <= left_d;
      remainder_q <= remainder_d;
      low_q       <= low_d;
    end
  end

endmodule
