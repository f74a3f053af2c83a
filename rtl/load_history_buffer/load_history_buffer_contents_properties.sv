// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the load history buffer's contents, if the caller inserts a register only when no
// entry names it: every result is that of a list of entries, the most recently used first. A key is
// found if and only if it was inserted and since then neither replaced, nor evicted, nor released;
// the victim of an insertion into a full set is the set's least recently used entry. Small sizes,
// any organisation that fits them, keys of ElementBits + 1 bits, sets by the lower element bits.
module load_history_buffer_contents_properties #(
  parameter int unsigned MaxEntries  = 4,
  parameter int unsigned MaxWays     = 2,
  parameter int unsigned PhysBits    = 2,
  parameter int unsigned ElementBits = 2
) (
  input logic                   clk_i,
  input logic                   setup_valid_i,
  input logic                   setup_keep_i,
  input logic [3:0]             setup_log_sets_i,
  input logic [2:0]             setup_log_ways_i,
  input logic                   in_valid_i,
  input logic [1:0]             op_i,
  input logic [ElementBits-1:0] element_i,
  input logic                   owner_i,
  input logic [PhysBits-1:0]    phys_i,
  input logic                   out_ready_i
);

  localparam int unsigned KeyBits   = ElementBits + 1;
  localparam int unsigned EntryBits = 1 + PhysBits + KeyBits;  // valid, register, key
  localparam int unsigned OpBits    = 2 + PhysBits + KeyBits;

  localparam logic [1:0] Lookup  = load_history_buffer_pkg::OpLookup;
  localparam logic [1:0] Insert  = load_history_buffer_pkg::OpInsert;
  localparam logic [1:0] Release = load_history_buffer_pkg::OpRelease;

  logic                started_q = 1'b0;
  logic                setup_ready, setup_error, in_ready, out_valid, found, same_key;
  logic [PhysBits-1:0] phys;

  logic [load_history_buffer_pkg::ElementBits-1:0] element;
  logic [load_history_buffer_pkg::BatchBits-1:0]   batch;
  logic [load_history_buffer_pkg::OwnerBits-1:0]   owner;
  assign element = element_i;
  assign batch   = '0;
  assign owner   = owner_i;

  load_history_buffer #(
    .MaxEntries(MaxEntries),
    .MaxWays   (MaxWays),
    .PhysBits  (PhysBits)
  ) u_buffer (
    .clk_i,
    .rst_ni          (started_q),
    .setup_valid_i,
    .setup_ready_o   (setup_ready),
    .setup_keep_i,
    .setup_log_sets_i,
    .setup_log_ways_i,
    .setup_shift_i   (5'd0),
    .setup_fold_i    (1'b0),
    .setup_error_o   (setup_error),
    .in_valid_i,
    .in_ready_o      (in_ready),
    .op_i,
    .element_i       (element),
    .batch_i         (batch),
    .owner_i         (owner),
    .phys_i,
    .out_valid_o     (out_valid),
    .out_ready_i,
    .found_o         (found),
    .same_key_o      (same_key),
    .phys_o          (phys)
  );

  // The operations under way, oldest last, and the organisation.
  logic              first_valid_q = 1'b0, second_valid_q = 1'b0;
  logic [OpBits-1:0] first_q, second_q;
  logic [3:0]        log_sets_q;
  logic [2:0]        log_ways_q;
  logic              take, advance, setup;
  assign take    = in_valid_i && in_ready;
  assign advance = out_ready_i || !out_valid;
  assign setup   = setup_valid_i && setup_ready;

  // The operation whose result is due.
  logic [1:0]          op;
  logic [PhysBits-1:0] op_phys;
  logic [KeyBits-1:0]  op_key;
  assign {op, op_phys, op_key} = second_q;

  // The list, entry 0 first: what it has of the key, of the key's set, of the register.
  logic [MaxEntries*EntryBits-1:0] list_q = '0, list_d;
  logic [MaxEntries-1:0]           of_key, of_set, of_register;
  logic [ElementBits-1:0]          set_mask;
  assign set_mask = ~({ElementBits{1'b1}} << log_sets_q);
  for (genvar n = 0; n < MaxEntries; n++) begin : gen_matches
    logic                valid;
    logic [PhysBits-1:0] register;
    logic [KeyBits-1:0]  key;
    assign {valid, register, key} = list_q[EntryBits*n +: EntryBits];
    assign of_key[n]      = valid && key == op_key;
    assign of_set[n]      = valid && ((key[ElementBits-1:0] ^ op_key[ElementBits-1:0]) & set_mask) == '0;
    assign of_register[n] = valid && register == op_phys;
  end

  // Entries that leave the list, and the result that follows from them.
  logic [MaxEntries-1:0] leaves, last_of_set;
  logic [3:0]            in_set;
  logic                  full, must_find;
  logic [PhysBits-1:0]   left_phys;

  always_comb begin
    in_set      = '0;
    last_of_set = '0;
    for (int unsigned n = 0; n < MaxEntries; n++) begin
      if (of_set[n]) begin
        in_set         = in_set + 4'd1;
        last_of_set    = '0;
        last_of_set[n] = 1'b1;
      end
    end
    full   = in_set == (4'd1 << log_ways_q);
    leaves = '0;
    unique case (op)
      Lookup:  leaves = of_key;
      Insert:  leaves = (of_key != '0) ? of_key : full ? last_of_set : '0;
      Release: leaves = of_register;
      default: ;
    endcase
    must_find = leaves != '0;
    left_phys = '0;
    for (int unsigned n = 0; n < MaxEntries; n++) begin
      if (leaves[n]) left_phys = list_q[EntryBits*n + KeyBits +: PhysBits];
    end
  end

  // The list behind the operation: without what leaves; what was looked up or inserted is first.
  logic enters, above;
  assign enters = op == Insert || (op == Lookup && must_find);
  always_comb begin
    list_d = list_q;
    above  = 1'b1;  // no entry down to this one leaves
    if (second_valid_q) begin
      if (enters) begin
        list_d[EntryBits-1:0] = {1'b1, op == Insert ? op_phys : left_phys, op_key};
        for (int unsigned n = 1; n < MaxEntries; n++) begin
          above = above && !leaves[n-1];
          if (above) list_d[EntryBits*n +: EntryBits] = list_q[EntryBits*(n-1) +: EntryBits];
        end
      end else begin
        for (int unsigned n = 0; n < MaxEntries; n++) begin
          above = above && !leaves[n];
          if (!above) begin
            list_d[EntryBits*n +: EntryBits] = (n == MaxEntries - 1)
                ? {EntryBits{1'b0}} : list_q[EntryBits*((n + 1) % MaxEntries) +: EntryBits];
          end
        end
      end
    end
  end

  // An entry names the register offered, or will when the operations under way have acted.
  logic named;
  always_comb begin
    named = 1'b0;
    for (int unsigned n = 0; n < MaxEntries; n++) begin
      if (list_d[EntryBits*(n+1)-1] && list_d[EntryBits*n + KeyBits +: PhysBits] == phys_i) named = 1'b1;
    end
    if (first_valid_q && first_q[KeyBits +: PhysBits] == phys_i) begin
      if (first_q[OpBits-1 -: 2] == Insert) named = 1'b1;
      if (first_q[OpBits-1 -: 2] == Release) named = 1'b0;
    end
  end

  logic used_again_q = 1'b0;  // the operation before used an entry that was not the first

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      if (advance) begin
        first_valid_q  <= take;
        first_q        <= {op_i, phys_i, owner_i, element_i};
        second_valid_q <= first_valid_q;
        second_q       <= first_q;
        list_q         <= list_d;
        used_again_q   <= second_valid_q && op == Lookup && leaves != '0 && !leaves[0];
      end
      if (setup) begin
        list_q <= '0;
        if (!setup_keep_i) begin
          log_sets_q <= setup_log_sets_i;
          log_ways_q <= setup_log_ways_i;
        end
      end
    end
  end

  always_comb begin
    if (started_q) begin
      // The caller's part.
      assume (!(in_valid_i && op_i == Insert && named));

      result_on_time: assert (out_valid == second_valid_q);
      if (out_valid) begin
        found_if_there: assert (found == must_find);
        same_key_if_there: assert (same_key == (op == Insert && of_key != '0));
        if (found && op != Release) begin
          names_the_register: assert (phys == left_phys);
        end else begin
          names_none: assert (phys == '0);
        end
        hit: cover (op == Lookup && found && !leaves[0]);
        miss: cover (op == Lookup && !found && list_q[EntryBits-1]);
        evicts: cover (op == Insert && found && !same_key);
        evicts_after_a_use: cover (op == Insert && found && !same_key && used_again_q);
        replaces: cover (op == Insert && same_key);
        releases: cover (op == Release && found);
        released_before: cover (op == Release && !found && list_q[EntryBits-1]);
        two_sets: cover (op == Insert && !found && log_sets_q == 4'd1 && in_set == 4'd1);
      end
    end
  end

endmodule
