// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of accumulation_bank: sparse additions on any one word give the sum in the order of
// cycles, then lanes. Progress: an entry of the FIFO enters the adder at least every second cycle.
// accumulation_bank_stand_in replaces the adder. The number of lanes with
// entries, the number of words, and the width of products and preloaded values are limited.
module accumulation_bank_properties #(
  parameter int unsigned Lanes = 8,
  parameter int unsigned Words = 8,
  parameter int unsigned Width = 32
) (
  input logic            clk_i,
  input logic [7:0]      want_i,
  input logic [8*3-1:0]  lane_word_i,
  input logic [8*32-1:0] lane_product_i,
  input logic            preload_i,
  input logic [2:0]      preload_word_i,
  input logic [31:0]     preload_data_i,
  input logic            drain_i,
  input logic            drain_clear_i,
  input logic [2:0]      drain_word_i,
  input logic [2:0]      watch_i
);

  logic        started_q = 1'b0;
  logic [7:0]  take;
  logic        all_taken, holds, adds;
  logic [31:0] result, row;

  accumulation_bank u_bank (
    .clk_i          (clk_i),
    .rst_ni         (started_q),
    .want_i         (want_i),
    .lane_word_i    (lane_word_i),
    .lane_product_i (lane_product_i),
    .take_o         (take),
    .all_o          (all_taken),
    .dense_i        (1'b0),
    .dense_first_i  (1'b0),
    .dense_word_i   (3'b0),
    .dense_product_i(32'b0),
    .dense_c_i      (32'b0),
    .advance_i      (1'b1),
    .result_o       (result),
    .preload_i      (preload_i),
    .preload_word_i (preload_word_i),
    .preload_data_i (preload_data_i),
    .drain_i        (drain_i),
    .drain_clear_i  (drain_clear_i),
    .drain_word_i   (drain_word_i),
    .row_o          (row),
    .holds_o        (holds),
    .adds_o         (adds)
  );

  logic [2:0]  watch_q;
  logic        known_q = 1'b0;  // the word has a value
  logic [1:0]  added_q = '0;    // additions to it since it has one
  logic [31:0] sum_q, sum_d;    // of what was taken for it

  always_comb begin
    sum_d = sum_q;
    for (int unsigned i = 0; i < 8; i++) begin
      if (take[i] && lane_word_i[3*i +: 3] == watch_q) begin
        sum_d = {sum_d[30:0], lane_product_i[32*i]};
      end
    end
    if (preload_i && preload_word_i == watch_q) begin
      sum_d = (preload_data_i == 32'h8000_0000) ? '0 : preload_data_i;
    end else if (drain_clear_i && drain_word_i == watch_q) begin
      sum_d = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      watch_q <= watch_i;
    end else begin
      sum_q   <= sum_d;
      if (known_q && sum_d != sum_q && !(&added_q)) added_q <= added_q + 2'd1;
      must_add_q <= holds && !adds;
      known_q <= known_q || (preload_i && preload_word_i == watch_q) ||
                 (drain_clear_i && drain_word_i == watch_q);
    end
  end

  // Guarantees of accumulation_control: it preloads, drains or clears only when no operand is held
  // or in the adder, and one at a time.
  logic must_add_q = 1'b0;  // an entry was held, and the adder was empty
  logic others, in_size;
  always_comb begin
    in_size = (preload_data_i >> Width) == '0;
    for (int unsigned i = 0; i < 8; i++) begin
      in_size = in_size && (i < Lanes || !want_i[i]) && 32'(lane_word_i[3*i +: 3]) < Words &&
                (lane_product_i[32*i +: 32] >> Width) == '0;
    end
  end

  assign others = preload_i || drain_i || drain_clear_i;
  always_comb begin
    assume (in_size && 32'(watch_i) < Words);
    assume (started_q || !others);
    assume (!others || (!holds && !adds && want_i == '0));
    assume (!(preload_i && (drain_i || drain_clear_i)));
    assume (!drain_clear_i || drain_i);
    if (started_q && known_q && drain_i && drain_word_i == watch_q) begin
      adds_in_order: assert (row == sum_q);
      two_additions: cover (added_q == 2'd2);
    end
    if (must_add_q) begin
      adds_in_time: assert (adds);
    end
  end

endmodule
