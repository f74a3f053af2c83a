// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of accumulation_control for any banks that empty only by themselves and fill only on
// push_o and dense_o. Progress (History): a sparse OHMMA enters the FIFOs in the first cycle without
// a dense one in the adders, a dense one the adders at most two cycles after the banks are empty,
// and a row of a drain is output in the first cycle in which nothing is held or added; cycles in
// which a dense result waits do not count.
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
      if (row_waits_q) begin
        row_stays: assert (row_valid && (row_word == last_row_q));
      end
      if (result_waits_q) begin
        result_stays: assert (result_valid && (result_word == last_result_q));
      end
      drain_is_8_rows: assert (drain_ready == !draining_q);
      if (draining_q) begin
        rows_in_order: assert ({1'b0, row_word} == rows_q);
        nothing_new_in_a_drain: assert (!op_ready && !preload_ready && !idle);
      end
      if (row_valid) begin
        row_in_a_drain: assert (draining_q);
        row_when_empty: assert (!holds && !adds);
      end
      if (clear) begin
        clears_what_is_taken: assert (row_valid && row_ready_i);
      end
      reads_for_rows_only: assert (drain == row_valid);
      if (preload) begin
        preload_when_idle: assert (idle && preload_valid_i);
      end
      if (push) begin
        kinds_apart: assert (!dense && !adding_dense_q);
      end
      if (dense) begin
        dense_alone: assert (!push && !holds && (!adds || adding_dense_q));
      end
      if (!advance) begin
        adder_stands_for_results_only: assert (adding_dense_q && result_valid && !result_ready_i);
      end
      if (idle) begin
        idle_is_empty: assert (!holds && !adds);
      end
      last_row: cover (row_valid && row_word == 3'd7 && row_ready_i);
      row_behind_an_addition: cover (row_valid && may_add_q);
    end
  end

  if (History) begin : gen_history
    logic       held_dense_q;
    logic [1:0] dense_waits_q = '0;  // cycles with a dense OHMMA held, empty banks and no stall
    logic       sparse_done;
    assign sparse_done = !holds && (!adds || adding_dense_q);

    always_ff @(posedge clk_i) begin
      if (accept) begin
        held_dense_q <= op_dense_i;
      end
      if (!started_q || accept || !held_q || !held_dense_q || !sparse_done) begin
        dense_waits_q <= '0;
      end else if (advance && !(&dense_waits_q)) begin
        dense_waits_q <= dense_waits_q + 2'd1;
      end
    end

    always_comb begin
      if (started_q) begin
        if (push || dense) begin
          no_work_from_nowhere: assert (held_q);
        end
        if (accept && held_q) begin
          never_overwritten: assert (done);
        end
        if (row_valid || idle) begin
          behind_everything: assert (!held_q);
        end
        if (!draining_q) begin
          ready_when_free: assert (op_ready == (!held_q || done));
          idle_when_empty: assert (idle == (!held_q && !holds && !adds));
        end else begin
          row_when_nothing_is_left: assert (row_valid == (!held_q && !holds && !adds));
        end
        if (held_q && !held_dense_q) begin
          pushes_at_once: assert (push == !adding_dense_q);
        end
        if (held_q && held_dense_q && sparse_done && advance && dense_waits_q != '0) begin
          issues_in_time: assert (dense);
        end
        waits_for_its_word: cover (dense && dense_waits_q != '0);
        dense_behind_sparse: cover (dense && may_hold_q && !holds);
      end
    end
  end

endmodule
