// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the assign table: every answer is that of a table indexed by its pairs, whose entries
// carry their rank by age. A look-up finds a pair if and only if it was inserted and since then
// neither replaced, nor invalidated, nor flushed, and gives the SM that it was inserted for. A full
// table replaces its oldest entry. An SM that loses a block loses its entries with it, and no other
// SM does. Everything comes in time. Small sizes, blocks of one bit, any set-up that fits or not.
module assign_table_properties #(
  parameter int unsigned EntryBits = 2
) (
  input logic               clk_i,
  input logic               setup_valid_i,
  input logic [EntryBits:0] setup_entries_i,
  input logic               in_valid_i,
  input logic [1:0]         op_i,
  input logic               input_i,
  input logic               weights_i,
  input logic               sm_i,
  input logic               out_ready_i
);

  localparam int unsigned Pairs    = 4;
  localparam int unsigned Slots    = 2 ** EntryBits;
  localparam int unsigned RankBits = 2;

  localparam logic [1:0] Lookup     = assign_table_pkg::OpLookup;
  localparam logic [1:0] Insert     = assign_table_pkg::OpInsert;
  localparam logic [1:0] Invalidate = assign_table_pkg::OpInvalidate;
  localparam logic [1:0] Flush      = assign_table_pkg::OpFlush;

  logic               started_q = 1'b0;
  logic               setup_ready, setup_error, in_ready, out_valid, done, replaced, sm;
  logic [EntryBits:0] count, size;

  assign_table #(
    .EntryBits(EntryBits),
    .BlockBits(1),
    .SmBits   (1)
  ) u_table (
    .clk_i,
    .rst_ni         (started_q),
    .setup_valid_i,
    .setup_ready_o  (setup_ready),
    .setup_entries_i,
    .setup_error_o  (setup_error),
    .in_valid_i,
    .in_ready_o     (in_ready),
    .op_i,
    .input_i,
    .weights_i,
    .sm_i,
    .out_valid_o    (out_valid),
    .out_ready_i,
    .done_o         (done),
    .replaced_o     (replaced),
    .sm_o           (sm),
    .count_o        (count),
    .size_o         (size)
  );

  // 1. Set-ups and operations.
  logic               organised_q = 1'b0, refused_q = 1'b0, valid_q = 1'b0, waits_q = 1'b0;
  logic [EntryBits:0] entries_q = '0, removed_q = '0;
  logic [5:0]         pins, pins_q = '0;
  logic               setup, fits, may_apply, removes_one, take;
  assign pins      = {in_valid_i, op_i, input_i, weights_i, sm_i};
  assign setup     = setup_valid_i && removed_q == '0;
  assign fits      = setup_entries_i != '0 && setup_entries_i <= (EntryBits + 1)'(Slots);
  assign may_apply = organised_q && (!valid_q || out_ready_i) && !setup;

  // 2. Entries by their pair: the SM, and how many are older.
  logic [Pairs-1:0]          has_q = '0, sm_q = '0, has_block, lost, first_lost, leaves;
  logic [Pairs*RankBits-1:0] rank_q = '0;
  logic [1:0]                pair;
  logic [EntryBits:0]        has_count;
  logic                      full, inserts;
  assign pair        = {input_i, weights_i};
  assign has_block   = input_i ? 4'b1110 : 4'b0111;  // pairs with the block, as input or as weights
  assign lost        = has_q & has_block & ~(sm_q ^ {Pairs{sm_i}});
  assign removes_one = in_valid_i && may_apply && op_i == Invalidate && lost != '0;
  assign take        = in_valid_i && may_apply && !removes_one;
  assign full        = has_count == entries_q;
  assign inserts     = take && op_i == Insert && !has_q[pair];

  always_comb begin
    has_count  = '0;
    first_lost = lost;
    for (int unsigned n = 0; n < Pairs; n++) begin
      if (has_q[n]) has_count = has_count + 1'b1;
      for (int unsigned m = 0; m < Pairs; m++) begin
        if (lost[m] && rank_q[RankBits*m +: RankBits] < rank_q[RankBits*n +: RankBits]) first_lost[n] = 1'b0;
      end
    end
    leaves = removes_one ? first_lost : '0;
    for (int unsigned n = 0; n < Pairs; n++) begin
      if (inserts && full && has_q[n] && rank_q[RankBits*n +: RankBits] == '0) leaves[n] = 1'b1;
    end
  end

  // The answer that has to come, and what led to it.
  logic               done_q = 1'b0, replaced_q = 1'b0, answer_sm_q = 1'b0, others_q = 1'b0, gap_q = 1'b0;
  logic [1:0]         op_q = '0;
  logic [EntryBits:0] count_q = '0, wait_q = '0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      pins_q  <= pins;
      waits_q <= in_valid_i && !take;
      wait_q  <= removes_one ? wait_q + 1'b1 : '0;
      if (out_ready_i) valid_q <= 1'b0;
      if (removes_one) removed_q <= removed_q + 1'b1;
      if (take) begin
        removed_q   <= '0;
        valid_q     <= 1'b1;
        op_q        <= op_i;
        done_q      <= (op_i == Lookup && has_q[pair]) || inserts || (op_i == Invalidate && removed_q != '0) ||
                       (op_i == Flush && has_q != '0);
        replaced_q  <= inserts && full;
        answer_sm_q <= sm_q[pair];
        count_q     <= op_i == Invalidate ? removed_q : has_count;
        others_q    <= (has_q & has_block) != '0;
      end
      for (int unsigned n = 0; n < Pairs; n++) begin
        if (leaves[n]) has_q[n] <= 1'b0;
        for (int unsigned m = 0; m < Pairs; m++) begin
          if (leaves[m] && has_q[n] && rank_q[RankBits*m +: RankBits] < rank_q[RankBits*n +: RankBits]) begin
            rank_q[RankBits*n +: RankBits] <= rank_q[RankBits*n +: RankBits] - 1'b1;
            gap_q <= removes_one;
          end
        end
      end
      if (inserts) begin
        has_q[pair] <= 1'b1;
        sm_q[pair]  <= sm_i;
        rank_q[RankBits*pair +: RankBits] <= RankBits'(full ? has_count - 1'b1 : has_count);
      end
      if (take && op_i == Flush) has_q <= '0;
      if (setup) begin
        organised_q <= fits;
        refused_q   <= !fits;
        if (fits) begin
          entries_q <= setup_entries_i;
          has_q     <= '0;
        end
      end
    end
  end

  always_comb begin
    if (started_q) begin
      // The caller's part: an operation stays until it is taken.
      if (waits_q) assume (pins == pins_q);

      set_up_before_an_operation: assert (setup_ready == (removed_q == '0));
      refuses_what_does_not_fit: assert (setup_error == refused_q);
      taken_in_time: assert (in_ready == (may_apply && !(op_i == Invalidate && lost != '0)));
      taken_once_all_left: assert (wait_q <= entries_q);
      answer_in_time: assert (out_valid == valid_q);
      if (organised_q) begin
        counts_the_entries: assert (size == has_count);
      end
      if (out_valid) begin
        does_what_it_can: assert (done == done_q);
        replaces_when_full: assert (replaced == replaced_q);
        if (done && op_q == Lookup) begin
          names_the_sm: assert (sm == answer_sm_q);
        end else begin
          names_no_other_sm: assert (sm == 1'b0);
        end
        counts_what_leaves: assert (count == (op_q == Invalidate || op_q == Flush ? count_q : '0));
      end
      finds_the_other_sm: cover (out_valid && op_q == Lookup && done && sm);
      finds_none: cover (out_valid && op_q == Lookup && !done && size != '0);
      has_it_already: cover (out_valid && op_q == Insert && !done);
      replaces_behind_a_gap: cover (out_valid && replaced && gap_q && entries_q == 3);
      loses_two_entries: cover (out_valid && op_q == Invalidate && count == 2 && size != '0);
      other_sm_keeps_its_own: cover (out_valid && op_q == Invalidate && done && others_q);
      flushes: cover (out_valid && op_q == Flush && count == entries_q && entries_q == 4);
      in_every_cycle: cover (out_valid && take && op_q == Lookup && op_i == Insert);
      set_up_waits: cover (setup_valid_i && !setup_ready);
      refused: cover (setup_error && setup_valid_i);
    end
  end

endmodule
