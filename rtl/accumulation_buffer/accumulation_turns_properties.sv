// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of accumulation_control with a bank behind the input register, as in
// accumulation_buffer: dense and sparse OHMMAs, preloads and drains in any order, with any stalls,
// leave in any one word the same sums as sequential execution, and dense results are those sums.
// accumulation_bank_stand_in replaces the adder, accumulation_fifo_stand_in the FIFO. The other
// banks are unconstrained, as in accumulation_control_properties. The number of lanes with entries,
// the number of words, the width of products and first values, and the compared bits of the sums
// are limited.
module accumulation_turns_properties #(
  parameter int unsigned Lanes = 2,
  parameter int unsigned Words = 2,
  parameter int unsigned Width = 1,
  parameter int unsigned Bits  = 2
) (
  input logic            clk_i,
  input logic            op_valid_i,
  input logic            op_dense_i,
  input logic            op_first_i,
  input logic            op_last_i,
  input logic [2:0]      op_word_i,
  input logic [7:0]      op_hits_i,     // sparse: lanes with an entry for the bank
  input logic [8*3-1:0]  op_lane_word_i,
  input logic [8*32-1:0] op_lane_product_i,
  input logic [31:0]     op_product_i,  // dense
  input logic [31:0]     op_c_i,
  input logic            preload_valid_i,
  input logic [2:0]      preload_word_i,
  input logic [31:0]     preload_data_i,
  input logic            drain_valid_i,
  input logic            drain_clear_i,
  input logic            row_ready_i,
  input logic            result_ready_i,
  input logic            others_hold_i,
  input logic            others_add_i,
  input logic            others_fit_i,
  input logic [2:0]      watch_i
);

  logic started_q = 1'b0;
  logic op_ready, accept, preload_ready, preload, drain_ready, row_valid, drain, clear;
  logic result_valid, idle, push, dense, dense_first, advance;
  logic [2:0] row_word, result_word, dense_word;

  // Unconstrained behaviour of the other banks.
  logic may_hold_q = 1'b0, may_add_q = 1'b0;
  logic others_hold, others_add, bank_holds, bank_adds, bank_fits;
  assign others_hold = others_hold_i & may_hold_q;
  assign others_add  = others_add_i & may_add_q;

  accumulation_control u_control (
    .clk_i          (clk_i),
    .rst_ni         (started_q),
    .op_valid_i     (op_valid_i),
    .op_ready_o     (op_ready),
    .op_dense_i     (op_dense_i),
    .op_first_i     (op_first_i),
    .op_last_i      (op_last_i),
    .op_word_i      (op_word_i),
    .accept_o       (accept),
    .preload_valid_i(preload_valid_i),
    .preload_ready_o(preload_ready),
    .preload_o      (preload),
    .drain_valid_i  (drain_valid_i),
    .drain_ready_o  (drain_ready),
    .drain_clear_i  (drain_clear_i),
    .row_valid_o    (row_valid),
    .row_ready_i    (row_ready_i),
    .row_word_o     (row_word),
    .drain_o        (drain),
    .clear_o        (clear),
    .result_valid_o (result_valid),
    .result_ready_i (result_ready_i),
    .result_word_o  (result_word),
    .idle_o         (idle),
    .holds_i        (bank_holds | others_hold),
    .adds_i         (bank_adds | others_add),
    .all_i          (bank_fits & others_fit_i),
    .push_o         (push),
    .dense_o        (dense),
    .dense_first_o  (dense_first),
    .dense_word_o   (dense_word),
    .advance_o      (advance)
  );

  // The input register.
  logic [7:0]      left_q = '0;
  logic [7:0]      take;
  logic [8*3-1:0]  lane_word_q;
  logic [8*32-1:0] lane_product_q;
  logic [31:0]     product_q, c_q, result, row;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    left_q    <= left_q & ~take;
    if (started_q) begin
      may_hold_q <= push | others_hold;
      may_add_q  <= others_hold;
    end
    if (started_q && accept) begin
      left_q         <= op_dense_i ? '0 : op_hits_i;
      lane_word_q    <= op_lane_word_i;
      lane_product_q <= op_lane_product_i;
      product_q      <= op_product_i;
      c_q            <= op_c_i;
    end
  end

  accumulation_bank u_bank (
    .clk_i          (clk_i),
    .rst_ni         (started_q),
    .want_i         ({8{push}} & left_q),
    .lane_word_i    (lane_word_q),
    .lane_product_i (lane_product_q),
    .take_o         (take),
    .all_o          (bank_fits),
    .dense_i        (dense),
    .dense_first_i  (dense_first),
    .dense_word_i   (dense_word),
    .dense_product_i(product_q),
    .dense_c_i      (c_q),
    .advance_i      (advance),
    .result_o       (result),
    .preload_i      (preload),
    .preload_word_i (preload_word_i),
    .preload_data_i (preload_data_i),
    .drain_i        (drain),
    .drain_clear_i  (clear),
    .drain_word_i   (row_word),
    .row_o          (row),
    .holds_o        (bank_holds),
    .adds_o         (bank_adds)
  );

  // One after the other: what the word is behind all that was accepted, if it is known.
  logic [2:0]  watch_q;
  logic        known_q = 1'b0, known_d;
  logic        dense_q = 1'b0, sparse_q = 1'b0;  // the word got an addition of each kind
  logic [31:0] sum_q, sum_d;

  always_comb begin
    sum_d   = sum_q;
    known_d = known_q;
    if (preload && preload_word_i == watch_q) begin
      sum_d   = (preload_data_i == 32'h8000_0000) ? '0 : preload_data_i;
      known_d = 1'b1;
    end
    if (clear && row_word == watch_q) begin
      sum_d   = '0;
      known_d = 1'b1;
    end
    if (accept && op_dense_i && op_word_i == watch_q) begin
      if (op_first_i) begin
        sum_d   = (op_c_i == 32'h8000_0000) ? '0 : op_c_i;
        known_d = 1'b1;
      end
      sum_d = {sum_d[30:0], op_product_i[0]};
    end
    for (int unsigned i = 0; i < 8; i++) begin
      if (accept && !op_dense_i && op_hits_i[i] && op_lane_word_i[3*i +: 3] == watch_q) begin
        sum_d = {sum_d[30:0], op_lane_product_i[32*i]};
      end
    end
  end

  // The sum behind the dense OHMMA in the input register, and behind that in the adder.
  logic        held_known_q = 1'b0, added_known_q = 1'b0;
  logic [31:0] held_sum_q, added_sum_q;

  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      watch_q <= watch_i;
    end else begin
      sum_q   <= sum_d;
      known_q <= known_d;
      if (known_q && accept && op_dense_i && op_word_i == watch_q && !op_first_i) begin
        dense_q <= 1'b1;
      end
      if (known_q && accept && !op_dense_i && op_hits_i[0] && op_lane_word_i[2:0] == watch_q) begin
        sparse_q <= 1'b1;
      end
      if (accept) begin
        held_known_q <= op_dense_i && op_word_i == watch_q && known_d;
        held_sum_q   <= sum_d;
      end
      if (dense) begin
        added_known_q <= held_known_q;
        added_sum_q   <= held_sum_q;
      end
    end
  end

  logic in_size;
  always_comb begin
    in_size = (preload_data_i >> Width) == '0 && (op_product_i >> Width) == '0 &&
              (op_c_i >> Width) == '0 && 32'(op_word_i) < Words && 32'(watch_i) < Words &&
              32'(preload_word_i) < Words;
    for (int unsigned i = 0; i < 8; i++) begin
      in_size = in_size && (i < Lanes || !op_hits_i[i]) && 32'(op_lane_word_i[3*i +: 3]) < Words &&
                (op_lane_product_i[32*i +: 32] >> Width) == '0;
    end
  end

  always_comb begin
    assume (in_size);
    if (started_q && row_valid && row_word == watch_q && known_q) begin
      adds_in_turn: assert (row[Bits-1:0] == sum_q[Bits-1:0]);
      both_kinds: cover (dense_q && sparse_q);
    end
    if (started_q && result_valid && result_word == watch_q && added_known_q) begin
      shows_the_sum: assert (result[Bits-1:0] == added_sum_q[Bits-1:0]);
      behind_a_sparse_one: cover (sparse_q);
    end
  end

endmodule
