// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Precompute table of an SM: results of predicted vector operations, fully associative, replaced in
// FIFO order. An entry waits, is being computed by an assistant warp, or is complete. One operation
// at a time; its pins stay until it is taken. See README.md for timing.
module precompute_table #(
  parameter int unsigned EntryBits      /*verilator public*/ = 9,
  parameter int unsigned AddressBits    /*verilator public*/ = 40,
  parameter int unsigned GeometryBits   /*verilator public*/ = 8,
  parameter int unsigned GenerationBits /*verilator public*/ = 4,
  parameter int unsigned Lanes          /*verilator public*/ = 32,
  parameter int unsigned ResultBits     /*verilator public*/ = 32
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  // Empties the table and sets its number of entries.
  input  logic                        setup_valid_i,
  output logic                        setup_ready_o,
  input  logic [EntryBits:0]          setup_entries_i,
  output logic                        setup_error_o,  // none, or more than there are

  input  logic                        in_valid_i,
  output logic                        in_ready_o,
  input  logic [2:0]                  op_i,          // op_e
  input  logic [AddressBits-1:0]      input_i,       // key of OpLookup and OpPredict: input vector,
  input  logic [AddressBits-1:0]      weights_i,     // weight vector,
  input  logic [GeometryBits-1:0]     geometry_i,    // layout of the lanes
  input  logic [EntryBits-1:0]        slot_i,        // of OpWaiting, OpStart and OpFinish
  input  logic                        after_i,       // OpWaiting: behind slot_i
  input  logic [GenerationBits-1:0]   generation_i,  // OpFinish: as OpStart gave it
  input  logic [EntryBits:0]          count_i,       // OpDrop
  input  logic [Lanes*ResultBits-1:0] results_i,     // OpFinish

  output logic                        out_valid_o,
  input  logic                        out_ready_i,
  output logic                        done_o,
  output logic                        present_o,     // OpPredict: the key has an entry
  output logic                        replaced_o,    // OpPredict: an older entry left
  output logic                        complete_o,    // OpLookup: results_o is the result
  output logic [EntryBits-1:0]        slot_o,
  output logic [GenerationBits-1:0]   generation_o,  // OpStart
  output logic [AddressBits-1:0]      input_o,       // OpWaiting
  output logic [AddressBits-1:0]      weights_o,
  output logic [GeometryBits-1:0]     geometry_o,
  output logic [EntryBits:0]          count_o,       // OpDrop: entries that left
  output logic [Lanes*ResultBits-1:0] results_o,

  output logic [EntryBits:0]          size_o,        // entries
  output logic                        waiting_o      // some entry waits
);

  if (EntryBits < 1 || EntryBits > 12) begin : gen_check_entry_bits
    $error("precompute_table: EntryBits must be 1 to 12");
  end

  if (AddressBits < 1 || AddressBits > 64) begin : gen_check_address_bits
    $error("precompute_table: AddressBits must be 1 to 64");
  end

  if (GeometryBits < 1 || GeometryBits > 32) begin : gen_check_geometry_bits
    $error("precompute_table: GeometryBits must be 1 to 32");
  end

  if (GenerationBits < 1 || GenerationBits > 32) begin : gen_check_generation_bits
    $error("precompute_table: GenerationBits must be 1 to 32");
  end

  if (Lanes < 1 || Lanes > 32) begin : gen_check_lanes
    $error("precompute_table: Lanes must be 1 to 32");
  end

  if (ResultBits < 1) begin : gen_check_result_bits
    $error("precompute_table: ResultBits must be at least 1");
  end

  if (precompute_table_pkg::AnswerLatency != 2) begin : gen_check_answer_latency
    $error("precompute_table: AnswerLatency of the package must be 2");
  end

  // For the C++ side only.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Latency /*verilator public*/ = precompute_table_pkg::AnswerLatency;
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned KeyBits = 2 * AddressBits + GeometryBits;

  typedef enum logic [1:0] {
    StIdle,   // a set-up is taken, or an operation searches for its entry
    StApply,  // the operation changes the table and is taken
    StAnswer  // its answer waits
  } state_e;

  state_e state_d, state_q;

  // 1. Set-up.
  logic               ready_d, ready_q;  // there are entries
  logic               error_d, error_q;  // there was a wrong number
  logic [EntryBits:0] entries_d, entries_q, size_d, size_q;
  logic               setup, fits;
  assign fits          = setup_entries_i != '0 && setup_entries_i <= {1'b1, {EntryBits{1'b0}}};
  assign setup_ready_o = state_q == StIdle;
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

  // 2. Search: the slot of a key, the first waiting entry, the one to be replaced.
  logic                      hit, hit_d, hit_q, waiting, replaceable, pick_d, pick_q;
  logic [EntryBits-1:0]      hit_slot, waiting_slot, replaceable_slot, oldest, slot_d, slot_q;
  logic                      lookup, predict, search_waiting, start, finish, drop, full;
  assign lookup         = op_i == precompute_table_pkg::OpLookup;
  assign predict        = op_i == precompute_table_pkg::OpPredict;
  assign search_waiting = op_i == precompute_table_pkg::OpWaiting;
  assign start          = op_i == precompute_table_pkg::OpStart;
  assign finish         = op_i == precompute_table_pkg::OpFinish;
  assign drop           = op_i == precompute_table_pkg::OpDrop;
  assign full           = size_q == entries_q;

  always_comb begin
    hit_d  = hit_q;
    pick_d = pick_q;
    slot_d = slot_q;
    if (state_q == StIdle) begin
      hit_d  = hit;
      pick_d = predict ? replaceable : waiting;
      unique case (op_i)
        precompute_table_pkg::OpLookup:  slot_d = hit_slot;
        precompute_table_pkg::OpPredict: slot_d = replaceable_slot;
        precompute_table_pkg::OpWaiting: slot_d = waiting_slot;
        precompute_table_pkg::OpStart:   slot_d = slot_i;
        precompute_table_pkg::OpFinish:  slot_d = slot_i;
        default:                         slot_d = '0;
      endcase
    end
  end

  // 3. Change.
  logic                      apply, taken, waits, runs, empty, drop_one, stored, removes, inserts, replaces, starts;
  logic [EntryBits-1:0]      place_slot, free_slot, new_slot;
  logic [GenerationBits-1:0] generation, next_generation, free_generation, new_generation;
  logic [EntryBits:0]        dropped_d, dropped_q;

  assign apply           = state_q == StApply;
  assign drop_one        = apply && drop && !empty && dropped_q != count_i;
  assign taken           = apply && !drop_one;
  assign in_ready_o      = taken;
  assign inserts         = apply && predict && !hit_q && (!full || pick_q);
  assign replaces        = inserts && full;
  assign removes         = (apply && lookup && hit_q) || replaces || drop_one;
  assign starts          = apply && start && waits;
  assign stored          = apply && finish && runs && generation == generation_i;
  assign next_generation = generation + 1'b1;
  assign new_slot        = replaces ? slot_q : free_slot;
  assign new_generation  = replaces ? next_generation : free_generation;

  // The entry of a slot: the one that waiting entries are searched behind, then the one that changes.
  always_comb begin
    place_slot = slot_q;
    if (state_q == StIdle) place_slot = slot_i;
    if (apply && drop) place_slot = oldest;
  end

  precompute_keys #(
    .SlotBits(EntryBits),
    .KeyBits (KeyBits)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .clear_i   (setup && fits),
    .write_i   (inserts),
    .remove_i  (removes && !replaces),
    .slot_i    (inserts ? new_slot : place_slot),
    .key_i     ({input_i, weights_i, geometry_i}),
    .hit_o     (hit),
    .hit_slot_o(hit_slot)
  );

  precompute_order #(
    .SlotBits      (EntryBits),
    .GenerationBits(GenerationBits)
  ) u_order (
    .clk_i,
    .rst_ni,
    .clear_i            (setup && fits),
    .slot_i             (place_slot),
    .waits_o            (waits),
    .runs_o             (runs),
    .generation_o       (generation),
    .start_i            (starts),
    .finish_i           (stored),
    .remove_i           (removes),
    .append_i           (inserts),
    .append_slot_i      (new_slot),
    .append_generation_i(new_generation),
    .empty_o            (empty),
    .oldest_o           (oldest),
    .after_i,
    .some_wait_o        (waiting_o),
    .waiting_o          (waiting),
    .waiting_slot_o     (waiting_slot),
    .replaceable_o      (replaceable),
    .replaceable_slot_o (replaceable_slot)
  );

  precompute_free_slots #(
    .SlotBits      (EntryBits),
    .GenerationBits(GenerationBits)
  ) u_free_slots (
    .clk_i,
    .rst_ni,
    .clear_i          (setup && fits),
    .push_i           (removes && !replaces),
    .push_slot_i      (place_slot),
    .push_generation_i(next_generation),
    .pop_i            (inserts && !replaces),
    .slot_o           (free_slot),
    .generation_o     (free_generation)
  );

  always_comb begin
    size_d = size_q;
    if (removes && !replaces) size_d = size_q - 1'b1;
    if (inserts && !replaces) size_d = size_q + 1'b1;
    if (setup && fits) size_d = '0;
  end

  // 4. Keys for the assistant warp, and results.
  logic [KeyBits-1:0]          key;
  logic [Lanes*ResultBits-1:0] results;

  lhb_memory #(
    .Width(KeyBits),
    .Depth(2 ** EntryBits)
  ) u_key_memory (
    .clk_i,
    .write_i        (inserts),
    .write_address_i(new_slot),
    .write_data_i   ({input_i, weights_i, geometry_i}),
    .read_i         (apply && search_waiting),
    .read_address_i (slot_q),
    .read_data_o    (key)
  );
  lhb_memory #(
    .Width(Lanes * ResultBits),
    .Depth(2 ** EntryBits)
  ) u_results (
    .clk_i,
    .write_i        (stored),
    .write_address_i(slot_q),
    .write_data_i   (results_i),
    .read_i         (apply && lookup),
    .read_address_i (slot_q),
    .read_data_o    (results)
  );

  // 5. The answer.
  logic                      done_d, done_q, present_d, present_q, replaced_d, replaced_q;
  logic                      complete_d, complete_q, waiting_d, waiting_q, started_d, started_q;
  logic [EntryBits-1:0]      answer_slot_d, answer_slot_q;
  logic [GenerationBits-1:0] generation_d, generation_q;
  always_comb begin
    done_d        = done_q;
    present_d     = present_q;
    replaced_d    = replaced_q;
    complete_d    = complete_q;
    waiting_d     = waiting_q;
    started_d     = started_q;
    answer_slot_d = answer_slot_q;
    generation_d  = generation_q;
    dropped_d     = dropped_q;
    if (state_q == StIdle) dropped_d = '0;
    if (drop_one) dropped_d = dropped_q + 1'b1;
    if (taken) begin
      present_d     = predict && hit_q;
      replaced_d    = replaces;
      complete_d    = lookup && hit_q && !waits && !runs;
      waiting_d     = search_waiting && pick_q;
      started_d     = starts;
      done_d        = (lookup && hit_q) || inserts || waiting_d || starts || stored ||
                      (drop && dropped_q != '0);
      answer_slot_d = predict ? new_slot : slot_q;
      generation_d  = generation;
    end
  end

  assign out_valid_o  = state_q == StAnswer;
  assign done_o       = out_valid_o && done_q;
  assign present_o    = out_valid_o && present_q;
  assign replaced_o   = out_valid_o && replaced_q;
  assign complete_o   = out_valid_o && complete_q;
  assign slot_o       = done_o ? answer_slot_q : '0;
  assign generation_o = out_valid_o && started_q ? generation_q : '0;
  assign count_o      = out_valid_o ? dropped_q : '0;
  assign {input_o, weights_o, geometry_o} = out_valid_o && waiting_q ? key : '0;
  assign results_o    = complete_o ? results : '0;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:  if (in_valid_i && ready_q && !setup_valid_i) state_d = StApply;
      StApply: if (taken) state_d = StAnswer;
      default: if (out_ready_i) state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    hit_q         <= hit_d;
    pick_q        <= pick_d;
    slot_q        <= slot_d;
    done_q        <= done_d;
    present_q     <= present_d;
    replaced_q    <= replaced_d;
    complete_q    <= complete_d;
    waiting_q     <= waiting_d;
    started_q     <= started_d;
    answer_slot_q <= answer_slot_d;
    generation_q  <= generation_d;
    dropped_q     <= dropped_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      ready_q   <= 1'b0;
      error_q   <= 1'b0;
      entries_q <= '0;
      size_q    <= '0;
    end else begin
      state_q   <= state_d;
      ready_q   <= ready_d;
      error_q   <= error_d;
      entries_q <= entries_d;
      size_q    <= size_d;
    end
  end

endmodule
