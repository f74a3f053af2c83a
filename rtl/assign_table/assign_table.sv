// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Assign table of a cluster of SMs: which SM has both blocks of a pair, fully associative, replaced
// in FIFO order. An operation in every cycle; one that makes entries leave removes one in a cycle.
// Its pins stay until it is taken. See README.md for timing.
module assign_table #(
  parameter int unsigned EntryBits /*verilator public*/ = 10,
  parameter int unsigned BlockBits /*verilator public*/ = 33,
  parameter int unsigned SmBits    /*verilator public*/ = 3
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Empties the table and sets its number of entries.
  input  logic                 setup_valid_i,
  output logic                 setup_ready_o,
  input  logic [EntryBits:0]   setup_entries_i,
  output logic                 setup_error_o,  // none, or more than there are

  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [1:0]           op_i,           // op_e
  input  logic [BlockBits-1:0] input_i,        // OpInvalidate: the block, of either kind
  input  logic [BlockBits-1:0] weights_i,
  input  logic [SmBits-1:0]    sm_i,           // of OpInsert and OpInvalidate

  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic                 done_o,
  output logic                 replaced_o,     // OpInsert: the oldest entry left
  output logic [SmBits-1:0]    sm_o,           // OpLookup
  output logic [EntryBits:0]   count_o,        // OpInvalidate and OpFlush: entries that left

  output logic [EntryBits:0]   size_o          // entries
);

  if (EntryBits < 1 || EntryBits > 12) begin : gen_check_entry_bits
    $error("assign_table: EntryBits must be 1 to 12");
  end

  if (BlockBits < 1 || BlockBits > 64) begin : gen_check_block_bits
    $error("assign_table: BlockBits must be 1 to 64");
  end

  if (SmBits < 1 || SmBits > 10) begin : gen_check_sm_bits
    $error("assign_table: SmBits must be 1 to 10");
  end

  if (assign_table_pkg::AnswerLatency != 1) begin : gen_check_answer_latency
    $error("assign_table: AnswerLatency of the package must be 1");
  end

  // For the C++ side only.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Latency /*verilator public*/ = assign_table_pkg::AnswerLatency;
  // verilator lint_on UNUSEDPARAM

  // 1. Set-up: before an operation that is offered with it, but behind one that has begun.
  logic               ready_d, ready_q;  // there are entries
  logic               error_d, error_q;  // there was a wrong number
  logic [EntryBits:0] entries_d, entries_q, size_d, size_q, removed_d, removed_q;
  logic               setup, fits;
  assign fits          = setup_entries_i != '0 && setup_entries_i <= {1'b1, {EntryBits{1'b0}}};
  assign setup_ready_o = removed_q == '0;
  assign setup         = setup_valid_i && setup_ready_o;
  assign setup_error_o = error_q;
  assign size_o        = size_q;

  always_comb begin
    ready_d   = ready_q;
    error_d   = error_q;
    entries_d = entries_q;
    if (setup) begin
      ready_d   = fits;
      error_d   = !fits;
      entries_d = setup_entries_i;
    end
  end

  // 2. The operation changes the table, and is taken unless an entry has left that may not be the
  //    last.
  logic              advance, may_apply, apply, taken, lookup, insert, invalidate, flush;
  logic              full, pair, either, remove_one, inserts, replaces, clears;
  logic [SmBits-1:0] pair_sm;
  logic              valid_d, valid_q;

  assign advance    = !valid_q || out_ready_i;
  assign may_apply  = ready_q && advance && !setup;
  assign apply      = in_valid_i && may_apply;
  assign lookup     = op_i == assign_table_pkg::OpLookup;
  assign insert     = op_i == assign_table_pkg::OpInsert;
  assign invalidate = op_i == assign_table_pkg::OpInvalidate;
  assign flush      = op_i == assign_table_pkg::OpFlush;
  assign full       = size_q == entries_q;
  assign remove_one = apply && invalidate && either;
  assign in_ready_o = may_apply && !(invalidate && either);
  assign taken      = in_valid_i && in_ready_o;
  assign inserts    = apply && insert && !pair;
  assign replaces   = inserts && full;
  assign clears     = (setup && fits) || (apply && flush);

  assign_entries #(
    .EntryBits(EntryBits),
    .BlockBits(BlockBits),
    .SmBits   (SmBits)
  ) u_entries (
    .clk_i,
    .rst_ni,
    .clear_i        (clears),
    .input_i,
    .weights_i      (invalidate ? input_i : weights_i),
    .sm_i,
    .pair_o         (pair),
    .pair_sm_o      (pair_sm),
    .either_o       (either),
    .remove_either_i(remove_one),
    .remove_oldest_i(replaces),
    .append_i       (inserts)
  );

  always_comb begin
    size_d    = size_q;
    removed_d = removed_q;
    if (inserts && !replaces) size_d = size_q + 1'b1;
    if (remove_one) begin
      size_d    = size_q - 1'b1;
      removed_d = removed_q + 1'b1;
    end
    if (taken) removed_d = '0;
    if (clears) size_d = '0;
  end

  // 3. The answer.
  logic               done_d, done_q, replaced_d, replaced_q;
  logic [SmBits-1:0]  sm_d, sm_q;
  logic [EntryBits:0] count_d, count_q;

  always_comb begin
    valid_d    = valid_q;
    done_d     = done_q;
    replaced_d = replaced_q;
    sm_d       = sm_q;
    count_d    = count_q;
    if (out_ready_i) valid_d = 1'b0;
    if (taken) begin
      valid_d    = 1'b1;
      replaced_d = replaces;
      sm_d       = lookup ? pair_sm : '0;
      count_d    = '0;
      if (invalidate) count_d = removed_q;
      if (flush) count_d = size_q;
      done_d     = (lookup && pair) || inserts || count_d != '0;
    end
  end

  assign out_valid_o = valid_q;
  assign done_o      = valid_q && done_q;
  assign replaced_o  = valid_q && replaced_q;
  assign sm_o        = valid_q ? sm_q : '0;
  assign count_o     = valid_q ? count_q : '0;

  always_ff @(posedge clk_i) begin
    done_q     <= done_d;
    replaced_q <= replaced_d;
    sm_q       <= sm_d;
    count_q    <= count_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q   <= 1'b0;
      error_q   <= 1'b0;
      entries_q <= '0;
      size_q    <= '0;
      removed_q <= '0;
      valid_q   <= 1'b0;
    end else begin
      ready_q   <= ready_d;
      error_q   <= error_d;
      entries_q <= entries_d;
      size_q    <= size_d;
      removed_q <= removed_d;
      valid_q   <= valid_d;
    end
  end

endmodule
