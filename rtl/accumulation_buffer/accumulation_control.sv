// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Handshakes and sequencing of the accumulation buffer: what is in the input register and whether it
// may go, dense issue, preload, drain.
module accumulation_control (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       op_valid_i,
  output logic       op_ready_o,
  input  logic       op_dense_i,
  input  logic       op_first_i,
  input  logic       op_last_i,
  input  logic [2:0] op_word_i,
  output logic       accept_o,       // an OHMMA enters the input register

  input  logic       preload_valid_i,
  output logic       preload_ready_o,
  output logic       preload_o,      // the banks write

  input  logic       drain_valid_i,
  output logic       drain_ready_o,
  input  logic       drain_clear_i,

  output logic       row_valid_o,
  input  logic       row_ready_i,
  output logic [2:0] row_word_o,
  output logic       drain_o,        // the banks read row_word_o
  output logic       clear_o,        // the banks clear row_word_o

  output logic       result_valid_o,
  input  logic       result_ready_i,
  output logic [2:0] result_word_o,

  output logic       idle_o,

  // Handshake with the banks.
  input  logic       holds_i,        // a FIFO is not empty
  input  logic       adds_i,         // an adder is not empty
  input  logic       all_i,          // what is left of a sparse OHMMA fits

  output logic       push_o,         // a sparse OHMMA enters the FIFOs
  output logic       dense_o,        // a dense OHMMA is issued
  output logic       dense_first_o,
  output logic [2:0] dense_word_o,
  output logic       advance_o
);

  typedef struct packed {
    logic       dense;
    logic       first;
    logic       last;
    logic [2:0] word;
  } op_t;

  // Input register.
  logic held_q, held_d;
  op_t  op_q, op_d;

  // Dense OHMMA in the adders.
  logic       adding_q, adding_d, adding_last_q, adding_last_d;
  logic [2:0] adding_word_q, adding_word_d;

  logic       draining_q, draining_d, clear_q, clear_d;
  logic [2:0] row_q, row_d;

  assign result_valid_o = adding_q & adding_last_q;
  assign result_word_o  = adding_word_q;
  assign advance_o      = ~result_valid_o | result_ready_i;

  // Dense and sparse work do not overlap.
  logic interlock, sparse_busy, done;
  assign interlock     = adding_q & (adding_word_q == op_q.word) & ~op_q.first;
  assign sparse_busy   = holds_i | (adds_i & ~adding_q);
  assign push_o        = held_q & ~op_q.dense & ~adding_q;
  assign dense_o       = held_q & op_q.dense & ~sparse_busy & ~interlock & advance_o;
  assign dense_first_o = op_q.first;
  assign dense_word_o  = op_q.word;
  assign done          = dense_o | (push_o & all_i);

  logic empty;
  assign empty  = ~held_q & ~holds_i & ~adds_i;
  assign idle_o = empty & ~draining_q;

  assign op_ready_o      = ~draining_q & (~held_q | done);
  assign accept_o        = op_valid_i & op_ready_o;
  assign preload_ready_o = idle_o;
  assign preload_o       = preload_valid_i & preload_ready_o;
  assign drain_ready_o   = ~draining_q;

  assign row_valid_o = draining_q & empty;
  assign row_word_o  = row_q;
  assign drain_o     = row_valid_o;
  assign clear_o     = row_valid_o & row_ready_i & clear_q;

  always_comb begin
    held_d = held_q & ~done;
    op_d   = op_q;
    if (accept_o) begin
      held_d = 1'b1;
      op_d   = {op_dense_i, op_first_i, op_last_i, op_word_i};
    end
  end

  always_comb begin
    adding_d      = adding_q;
    adding_last_d = adding_last_q;
    adding_word_d = adding_word_q;
    if (advance_o) begin
      adding_d      = dense_o;
      adding_last_d = op_q.last;
      adding_word_d = op_q.word;
    end
  end

  always_comb begin
    draining_d = draining_q;
    clear_d    = clear_q;
    row_d      = row_q;
    if (drain_valid_i && drain_ready_o) begin
      draining_d = 1'b1;
      clear_d    = drain_clear_i;
      row_d      = '0;
    end else if (row_valid_o && row_ready_i) begin
      draining_d = ~(&row_q);
      row_d      = row_q + 3'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q        <= 1'b0;
      op_q          <= '0;
      adding_q      <= 1'b0;
      adding_last_q <= 1'b0;
      adding_word_q <= '0;
      draining_q    <= 1'b0;
      clear_q       <= 1'b0;
      row_q         <= '0;
    end else begin
      held_q        <= held_d;
      op_q          <= op_d;
      adding_q      <= adding_d;
      adding_last_q <= adding_last_d;
      adding_word_q <= adding_word_d;
      draining_q    <= draining_d;
      clear_q       <= clear_d;
      row_q         <= row_d;
    end
  end

endmodule
