// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of accumulation_fifo: it takes the lowest lanes that fit, and (Order) outputs its
// entries in order, checked for any one entry.
module accumulation_fifo_properties #(
  parameter int unsigned Depth = 4,
  parameter int unsigned Lanes = 4,
  parameter int unsigned Width = 2,
  parameter int unsigned Order = 1
) (
  input logic                   clk_i,
  input logic [Lanes-1:0]       want_i,
  input logic [Lanes*Width-1:0] data_i,
  input logic                   pop_i,
  input logic [Lanes-1:0]       watch_i
);

  localparam int unsigned CountBits = $clog2(Depth) + 1;

  logic                 started_q = 1'b0;
  logic [Lanes-1:0]     take;
  logic                 all_taken, pop;
  logic [Width-1:0]     head;
  logic [CountBits-1:0] count;

  assign pop = pop_i && (count != '0);

  accumulation_fifo #(
    .Depth(Depth),
    .Lanes(Lanes),
    .Width(Width)
  ) u_fifo (
    .clk_i  (clk_i),
    .rst_ni (started_q),
    .want_i (want_i),
    .data_i (data_i),
    .take_o (take),
    .all_o  (all_taken),
    .pop_i  (pop),
    .head_o (head),
    .count_o(count)
  );

  // How many are taken, and whether lanes are left out of order.
  logic [CountBits:0] length;
  logic               refused, gap;

  always_comb begin
    length  = {1'b0, count};
    refused = 1'b0;
    gap     = 1'b0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      gap = gap | (take[i] & refused);
      refused = refused | (want_i[i] & ~take[i]);
      if (take[i]) begin
        length = length + 1'b1;
      end
    end
  end

  logic [CountBits:0] last_length_q;
  logic               last_pop_q, stepped_q = 1'b0;

  always_ff @(posedge clk_i) begin
    started_q     <= 1'b1;
    stepped_q     <= started_q;
    last_length_q <= length;
    last_pop_q    <= pop;
  end

  always_comb begin
    if (started_q) begin
      never_overflows: assert ((count <= CountBits'(Depth)) && (length <= {1'b0, CountBits'(Depth)}));
      takes_what_is_wanted: assert ((take & ~want_i) == '0);
      takes_in_lane_order: assert (!gap);
      all_is_all: assert (all_taken == (take == want_i));
      if (refused) begin
        refuses_when_full_only: assert (length == {1'b0, CountBits'(Depth)});
      end
      if (stepped_q) begin
        counts: assert ({1'b0, count} + {{CountBits{1'b0}}, last_pop_q} == last_length_q);
      end
      full: cover (stepped_q && count == CountBits'(Depth) && pop);
      takes_some: cover (refused && take != '0);
    end
  end

  // An entry, any: it comes out when those before it have.
  if (Order) begin : gen_order
    logic               watching_q = 1'b0;
    logic               advanced_q = 1'b0;  // another was output before the watched entry
    logic [CountBits:0] ahead_q;
    logic [Width-1:0]   data_q;
    logic               seen;
    logic [CountBits:0] ahead;
    logic [Width-1:0]   data;

    always_comb begin
      seen  = 1'b0;
      ahead = {1'b0, count} - {{CountBits{1'b0}}, pop};
      data  = '0;
      for (int unsigned i = 0; i < Lanes; i++) begin
        if (take[i] && !seen) begin
          if (watch_i[i]) begin
            seen = 1'b1;
            data = data_i[Width*i +: Width];
          end else begin
            ahead = ahead + 1'b1;
          end
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (watching_q) begin
        ahead_q    <= ahead_q - {{CountBits{1'b0}}, pop};
        advanced_q <= advanced_q || pop;
        watching_q <= !(pop && (ahead_q == '0));
      end else if (started_q && seen) begin
        watching_q <= 1'b1;
        ahead_q    <= ahead;
        data_q     <= data;
      end
    end

    always_comb begin
      if (started_q && watching_q) begin
        is_held: assert (ahead_q < {1'b0, count});
        if (ahead_q == '0) begin
          keeps_the_order: assert (head == data_q);
          comes_out: cover (pop && advanced_q);
        end
      end
    end
  end

endmodule
