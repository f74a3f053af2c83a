// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Clock gate: the clock passes in cycles whose first half has enable_i.
module clock_gate (
  input  logic clk_i,
  input  logic enable_i,
  output logic clk_o
);

  logic enable_q;

  always_latch begin
    if (!clk_i) enable_q = enable_i;
  end

  assign clk_o = clk_i & enable_q;

endmodule
