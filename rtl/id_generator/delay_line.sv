// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Depth registers in a row.
module delay_line #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 3
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             enable_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  if (Width < 1) begin : gen_check_width
    $error("delay_line: Width must be at least 1");
  end

  if (Depth < 1) begin : gen_check_depth
    $error("delay_line: Depth must be at least 1");
  end

  logic [Width*Depth-1:0] line_d, line_q;

  if (Depth == 1) begin : gen_single
    assign line_d = data_i;
  end else begin : gen_line
    assign line_d = {line_q[Width*(Depth-1)-1:0], data_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_q <= '0;
    end else if (enable_i) begin
      line_q <= line_d;
    end
  end

  assign data_o = line_q[Width*Depth-1 -: Width];

endmodule
