// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the precompute table: every answer is that of a table indexed by its keys, whose
// entries carry the order in which they came. A look-up finds a key if and only if it was predicted
// and since then neither looked up, nor replaced, nor dropped; it gives the results that were stored
// for it. A full table replaces the oldest entry that is not being computed. Everything comes in
// time. Small sizes, keys of two bits (the geometry is their sum), any set-up that fits or not.
module precompute_table_properties #(
  parameter int unsigned EntryBits      = 2,
  parameter int unsigned GenerationBits = 1
) (
  input logic                      clk_i,
  input logic                      setup_valid_i,
  input logic [EntryBits:0]        setup_entries_i,
  input logic                      in_valid_i,
  input logic [2:0]                op_i,
  input logic                      input_i,
  input logic                      weights_i,
  input logic [EntryBits-1:0]      slot_i,
  input logic                      after_i,
  input logic [GenerationBits-1:0] generation_i,
  input logic [EntryBits:0]        count_i,
  input logic                      results_i,
  input logic                      out_ready_i
);

  localparam int unsigned Keys      = 4;
  localparam int unsigned Slots     = 2 ** EntryBits;
  localparam int unsigned StampBits = 3;
  localparam int unsigned PinBits   = 7 + 2 * EntryBits + 1 + GenerationBits;

  localparam logic [2:0] Lookup  = precompute_table_pkg::OpLookup;
  localparam logic [2:0] Predict = precompute_table_pkg::OpPredict;
  localparam logic [2:0] Waiting = precompute_table_pkg::OpWaiting;
  localparam logic [2:0] Start   = precompute_table_pkg::OpStart;
  localparam logic [2:0] Finish  = precompute_table_pkg::OpFinish;
  localparam logic [2:0] Drop    = precompute_table_pkg::OpDrop;

  logic                      started_q = 1'b0;
  logic                      setup_ready, setup_error, in_ready, out_valid, done, present, replaced, complete;
  logic                      input_key, weights_key, geometry_key, results, some_wait;
  logic [EntryBits-1:0]      slot;
  logic [GenerationBits-1:0] generation;
  logic [EntryBits:0]        count, size;

  precompute_table #(
    .EntryBits     (EntryBits),
    .AddressBits   (1),
    .GeometryBits  (1),
    .GenerationBits(GenerationBits),
    .Lanes         (1),
    .ResultBits    (1)
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
    .geometry_i     (input_i ^ weights_i),
    .slot_i,
    .after_i,
    .generation_i,
    .count_i,
    .results_i,
    .out_valid_o    (out_valid),
    .out_ready_i,
    .done_o         (done),
    .present_o      (present),
    .replaced_o     (replaced),
    .complete_o     (complete),
    .slot_o         (slot),
    .generation_o   (generation),
    .input_o        (input_key),
    .weights_o      (weights_key),
    .geometry_o     (geometry_key),
    .count_o        (count),
    .results_o      (results),
    .size_o         (size),
    .waiting_o      (some_wait)
  );

  // 1. The operation under way: offered, then applied, then answered.
  typedef enum logic [1:0] {PhIdle, PhApply, PhAnswer} phase_e;
  phase_e             phase_q = PhIdle;
  logic               organised_q = 1'b0, refused_q = 1'b0;
  logic [EntryBits:0] entries_q = '0, dropped_q = '0;
  logic [PinBits-1:0] pins, pins_q = '0;
  logic               setup, fits, dropping, take;
  assign pins  = {in_valid_i, op_i, input_i, weights_i, slot_i, after_i, generation_i, count_i,
                  results_i};
  assign setup = phase_q == PhIdle && setup_valid_i;
  assign fits  = setup_entries_i != '0 && setup_entries_i <= (EntryBits + 1)'(Slots);
  assign take  = phase_q == PhApply && !dropping;

  // 2. Entries by their key, and generations of slots.
  logic [Keys-1:0]                 has_q = '0, waits_q = '0, runs_q = '0, result_q = '0;
  logic [Keys*StampBits-1:0]       stamp_q = '0;
  logic [Keys*EntryBits-1:0]       slot_q = '0;
  logic [Slots*GenerationBits-1:0] generation_q = '0;
  logic [StampBits-1:0]            next_stamp_q = '0;
  logic [1:0]                      key;
  logic [EntryBits:0]              has_count;
  assign key      = {input_i, weights_i};
  assign dropping = op_i == Drop && dropped_q != count_i && has_q != '0;

  // The oldest of all entries, of those that wait (behind slot_i), of those that are not computed;
  // the entry of slot_i.
  logic [Keys-1:0] at_slot, behind, asked, oldest, first_waiting, first_idle;
  always_comb begin
    has_count = '0;
    behind    = '0;
    for (int unsigned n = 0; n < Keys; n++) begin
      if (has_q[n]) has_count = has_count + 1'b1;
      at_slot[n] = has_q[n] && slot_q[EntryBits*n +: EntryBits] == slot_i;
      for (int unsigned m = 0; m < Keys; m++) begin
        if (waits_q[m] && has_q[m] && slot_q[EntryBits*m +: EntryBits] == slot_i &&
            stamp_q[StampBits*m +: StampBits] < stamp_q[StampBits*n +: StampBits]) behind[n] = 1'b1;
      end
    end
    asked         = after_i ? has_q & waits_q & behind : has_q & waits_q;
    oldest        = has_q;
    first_waiting = asked;
    first_idle    = has_q & ~runs_q;
    for (int unsigned n = 0; n < Keys; n++) begin
      for (int unsigned m = 0; m < Keys; m++) begin
        if (stamp_q[StampBits*m +: StampBits] < stamp_q[StampBits*n +: StampBits]) begin
          if (has_q[m]) oldest[n] = 1'b0;
          if (asked[m]) first_waiting[n] = 1'b0;
          if (has_q[m] && !runs_q[m]) first_idle[n] = 1'b0;
        end
      end
    end
  end

  // 3. What the operation does.
  logic            full, inserts, starts, stores, same_generation;
  logic [Keys-1:0] leaves;
  assign full            = has_count == entries_q;
  assign inserts         = take && op_i == Predict && !has_q[key] && (!full || first_idle != '0);
  assign same_generation = generation_q[GenerationBits*slot_i +: GenerationBits] == generation_i;
  assign starts          = take && op_i == Start && (at_slot & waits_q) != '0;
  assign stores          = take && op_i == Finish && (at_slot & runs_q) != '0 && same_generation;
  always_comb begin
    leaves = '0;
    if (take && op_i == Lookup) leaves[key] = has_q[key];
    if (inserts && full) leaves = first_idle;
    if (phase_q == PhApply && dropping) leaves = oldest;
  end

  // The answer that has to come: in the cycle after.
  logic                      done_q = 1'b0, present_q = 1'b0, replaced_q = 1'b0, complete_q = 1'b0;
  logic                      wanted_q = 1'b0, spared_q = 1'b0;
  logic [2:0]                op_q = '0;
  logic [1:0]                key_q = '0, waiting_key_q = '0, waiting_key;
  logic [EntryBits-1:0]      old_slot_q = '0;
  logic [GenerationBits-1:0] started_generation_q = '0;
  always_comb begin
    waiting_key = '0;
    for (int unsigned n = 0; n < Keys; n++) if (first_waiting[n]) waiting_key = 2'(n);
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      pins_q <= pins;
      unique case (phase_q)
        PhIdle:  if (in_valid_i && organised_q && !setup_valid_i) phase_q <= PhApply;
        PhApply: if (take) phase_q <= PhAnswer;
        default: if (out_ready_i) phase_q <= PhIdle;
      endcase
      if (phase_q == PhIdle) dropped_q <= '0;
      if (phase_q == PhApply && dropping) dropped_q <= dropped_q + 1'b1;
      if (take) begin
        op_q       <= op_i;
        key_q      <= key;
        done_q     <= (op_i == Lookup && has_q[key]) || inserts || (op_i == Waiting && asked != '0) || starts ||
                      stores || (op_i == Drop && dropped_q != '0);
        present_q  <= op_i == Predict && has_q[key];
        replaced_q <= inserts && full;
        spared_q   <= inserts && full && first_idle != oldest;
        complete_q <= op_i == Lookup && has_q[key] && !waits_q[key] && !runs_q[key];
        wanted_q   <= result_q[key];
        waiting_key_q        <= waiting_key;
        old_slot_q           <= op_i == Lookup ? slot_q[EntryBits*key +: EntryBits] : slot_i;
        started_generation_q <= generation_q[GenerationBits*slot_i +: GenerationBits];
      end
      for (int unsigned n = 0; n < Keys; n++) begin
        if (leaves[n]) begin
          has_q[n] <= 1'b0;
          generation_q[GenerationBits*slot_q[EntryBits*n +: EntryBits] +: GenerationBits] <=
            generation_q[GenerationBits*slot_q[EntryBits*n +: EntryBits] +: GenerationBits] + 1'b1;
        end
        if (starts && at_slot[n]) begin
          waits_q[n] <= 1'b0;
          runs_q[n]  <= 1'b1;
        end
        if (stores && at_slot[n]) begin
          runs_q[n]   <= 1'b0;
          result_q[n] <= results_i;
        end
      end
      if (inserts) begin
        has_q[key]   <= 1'b1;
        waits_q[key] <= 1'b1;
        runs_q[key]  <= 1'b0;
        stamp_q[StampBits*key +: StampBits] <= next_stamp_q;
        next_stamp_q <= next_stamp_q + 1'b1;
      end
      // Which slot a new entry gets is the table's choice.
      if (phase_q == PhAnswer && op_q == Predict && done_q) begin
        slot_q[EntryBits*key_q +: EntryBits] <= slot;
      end
      if (setup) begin
        organised_q <= fits;
        refused_q   <= !fits;
        if (fits) begin
          entries_q    <= setup_entries_i;
          has_q        <= '0;
          generation_q <= '0;
          next_stamp_q <= '0;
        end
      end
    end
  end

  // The slot of a new entry, if it is another one's.
  logic taken_slot;
  always_comb begin
    taken_slot = 1'b0;
    for (int unsigned n = 0; n < Keys; n++) begin
      if (has_q[n] && n != key_q && slot_q[EntryBits*n +: EntryBits] == slot) taken_slot = 1'b1;
    end
  end

  always_comb begin
    if (started_q) begin
      // The caller's part: an operation stays until it is taken.
      if (phase_q == PhApply) assume (pins == pins_q);

      set_up_when_idle: assert (setup_ready == (phase_q == PhIdle));
      refuses_what_does_not_fit: assert (setup_error == refused_q);
      taken_in_time: assert (in_ready == take);
      answer_in_time: assert (out_valid == (phase_q == PhAnswer));
      if (organised_q) begin
        counts_the_entries: assert (size == has_count);
        shows_that_some_wait: assert (some_wait == ((has_q & waits_q) != '0));
      end
      if (out_valid) begin
        does_what_it_can: assert (done == done_q);
        finds_a_predicted_key: assert (present == present_q);
        replaces_when_full: assert (replaced == replaced_q);
        complete_once_stored: assert (complete == complete_q);
        counts_what_it_drops: assert (count == (op_q == Drop ? dropped_q : '0));
        if (complete) begin
          gives_the_stored_results: assert (results == wanted_q);
        end
        if (done && (op_q == Lookup || op_q == Start || op_q == Finish)) begin
          names_the_slot: assert (slot == old_slot_q);
        end
        if (done && op_q == Start) begin
          names_the_generation: assert (generation == started_generation_q);
        end
        if (done && op_q == Waiting) begin
          names_the_oldest: assert ({input_key, weights_key} == waiting_key_q && geometry_key == ^waiting_key_q &&
                                    slot == slot_q[EntryBits*waiting_key_q +: EntryBits]);
        end
        if (done && op_q == Predict) begin
          new_slot_is_free: assert (!taken_slot && {1'b0, slot} < entries_q);
        end
      end
      spares_what_runs: cover (out_valid && spared_q && op_q == Predict);
      rejected: cover (out_valid && op_q == Predict && !done && !present);
      replaces_the_oldest: cover (out_valid && replaced && entries_q == 2);
      results_of_one: cover (complete && results);
      too_late: cover (take && op_i == Finish && (at_slot & runs_q) != '0 && !same_generation);
      drops_what_runs: cover (phase_q == PhApply && dropping && (oldest & runs_q) != '0);
      next_waiting: cover (out_valid && op_q == Waiting && done && after_i && phase_q == PhAnswer &&
                           waiting_key_q != '0 && in_valid_i == 1'b0);
      refused: cover (setup_error && setup_valid_i);
    end
  end

endmodule
