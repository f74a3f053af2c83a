// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of accumulation_control for any banks that empty only by themselves and fill only on
// push_o and dense_o.
module accumulation_control_properties #(
  parameter int unsigned History = 1  // also what depends on the OHMMAs accepted so far
) (
  input logic       clk_i,
  input logic       op_valid_i,
  input logic       op_dense_i,
  input logic       op_first_i,
  input logic       op_last_i,
  input logic [2:0] op_word_i,
  input logic       preload_valid_i,
  input logic       drain_valid_i,
  input logic       drain_clear_i,
  input logic       row_ready_i,
  input logic       result_ready_i,
  input logic       holds_i,
  input logic       adds_i,
  input logic       all_i
);

  logic started_q = 1'b0;
  logic op_ready, accept, preload_ready, preload, drain_ready, row_valid, drain, clear;
  logic result_valid, idle, push, dense, dense_first, advance;
  logic [2:0] row_word, result_word, dense_word;

  // The banks: a push fills FIFOs, adders work off what is in them; a dense OHMMA is in the adders
  // until they advance.
  logic may_hold_q = 1'b0, may_add_q = 1'b0, adding_dense_q = 1'b0;
  logic holds, adds;
  assign holds = holds_i & may_hold_q;
  assign adds  = adding_dense_q | (adds_i & may_add_q);

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
    .holds_i        (holds),
    .adds_i         (adds),
    .all_i          (all_i),
    .push_o         (push),
    .dense_o        (dense),
    .dense_first_o  (dense_first),
    .dense_word_o   (dense_word),
    .advance_o      (advance)
  );

  logic       held_q = 1'b0;                        // an accepted OHMMA is in the input register
  logic       done;
  logic       row_waits_q = 1'b0, result_waits_q = 1'b0;
  logic [2:0] last_row_q, last_result_q;
  logic       draining_q = 1'b0;
  logic [3:0] rows_q = '0;                          // taken of the drain under way

  assign done = dense | (push & all_i);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      may_hold_q <= push | holds;
      may_add_q  <= holds;
      if (advance) begin
        adding_dense_q <= dense;
      end
      held_q         <= accept | (held_q & ~done);
      row_waits_q    <= row_valid & ~row_ready_i;
      result_waits_q <= result_valid & ~result_ready_i;
      last_row_q     <= row_word;
      last_result_q  <= result_word;
      if (drain_valid_i && drain_ready) begin
        draining_q <= 1'b1;
        rows_q     <= '0;
      end else if (row_valid && row_ready_i) begin
        rows_q     <= rows_q + 4'd1;
        draining_q <= rows_q != 4'd7;
      end
    end
  end

  always_comb begin
    if (started_q) begin
      row_stays: assert (!row_waits_q || (row_valid && (row_word == last_row_q)));
      result_stays: assert (!result_waits_q || (result_valid && (result_word == last_result_q)));
      drain_is_8_rows: assert (drain_ready == !draining_q);
      rows_in_order: assert (!draining_q || ({1'b0, row_word} == rows_q));
      row_in_a_drain: assert (!row_valid || draining_q);
      row_when_empty: assert (!row_valid || (!holds && !adds));
      clears_what_is_taken: assert (!clear || (row_valid && row_ready_i));
      reads_for_rows_only: assert (drain == row_valid);
      nothing_new_in_a_drain: assert (!draining_q || (!op_ready && !preload_ready && !idle));
      preload_when_idle: assert (!preload || (idle && preload_valid_i));
      one_at_a_time: assert (!(push && dense));
      kinds_apart: assert (!push || !adding_dense_q);
      dense_alone: assert (!dense || (!holds && (!adds || adding_dense_q)));
      adder_stands_for_results_only: assert (advance || (adding_dense_q && result_valid));
      idle_is_empty: assert (!idle || (!holds && !adds));
    end
  end

  if (History) begin : gen_history
    always_comb begin
      if (started_q) begin
        no_work_from_nowhere: assert (!(push || dense) || held_q);
        never_overwritten: assert (!accept || !held_q || done);
        row_behind_everything: assert (!row_valid || !held_q);
        idle_holds_nothing: assert (!idle || !held_q);
        ready_when_free: assert (draining_q || (op_ready == (!held_q || done)));
      end
    end
  end

endmodule
