// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Replacement of the FIFO in proofs about the blocks around it: two entries that shift instead of
// pointers, tractable for a solver. It takes, outputs and refuses entries as accumulation_fifo does
// (proof fifo_order).
module accumulation_fifo #(
  parameter int unsigned Depth = 8,  // has no effect
  parameter int unsigned Lanes = 8,
  parameter int unsigned Width = 35
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [Lanes-1:0]         want_i,
  input  logic [Lanes*Width-1:0]   data_i,
  output logic [Lanes-1:0]         take_o,
  output logic                     all_o,
  input  logic                     pop_i,
  output logic [Width-1:0]         head_o,
  output logic [$clog2(Depth):0]   count_o
);

  logic [1:0]       count_q, count_d;
  logic [Width-1:0] first_q, first_d, second_q, second_d;

  always_comb begin
    take_o   = '0;
    count_d  = count_q;
    first_d  = first_q;
    second_d = second_q;
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (want_i[i] && count_d != 2'd2) begin
        take_o[i] = 1'b1;
        if (count_d == 2'd0) begin
          first_d = data_i[Width*i +: Width];
        end else begin
          second_d = data_i[Width*i +: Width];
        end
        count_d = count_d + 2'd1;
      end
    end
    if (pop_i) begin
      first_d = second_d;
      count_d = count_d - 2'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) begin
    first_q  <= first_d;
    second_q <= second_d;
  end

  assign all_o   = take_o == want_i;
  assign head_o  = first_q;
  assign count_o = {{($clog2(Depth) - 1){1'b0}}, count_q};

endmodule
