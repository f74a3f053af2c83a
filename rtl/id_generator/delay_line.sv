// SPDX-License-Identifier: Apache-2.0
// DEPTH registers in a row.
module delay_line #(
  parameter int unsigned WIDTH = 8,
  parameter int unsigned DEPTH = 3
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             enable_i,
  input  logic [WIDTH-1:0] data_i,
  output logic [WIDTH-1:0] data_o
);

  logic [WIDTH*DEPTH-1:0] line_d, line_q;

  if (DEPTH == 1) begin : gen_single
    assign line_d = data_i;
  end else begin : gen_line
    assign line_d = {line_q[WIDTH*(DEPTH-1)-1:0], data_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_q <= '0;
    end else if (enable_i) begin
      line_q <= line_d;
    end
  end

  assign data_o = line_q[WIDTH*DEPTH-1 -: WIDTH];

endmodule
