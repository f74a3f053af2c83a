// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the load history buffer, for any one register, if the caller puts a register in one
// entry at a time: an entry never outlives its register (after the register's release no look-up
// returns it until it is inserted again), at most one entry names it, waiting results are stable.
// Small sizes, any organisation that fits them.
module load_history_buffer_properties #(
  parameter int unsigned MaxEntries = 4,
  parameter int unsigned MaxWays    = 2,
  parameter int unsigned PhysBits   = 1
) (
  input logic                 clk_i,
  input logic                 setup_valid_i,
  input logic                 setup_keep_i,
  input logic [3:0]           setup_log_sets_i,
  input logic [2:0]           setup_log_ways_i,
  input logic                 setup_fold_i,
  input logic                 in_valid_i,
  input logic [1:0]           op_i,
  input logic [3:0]           element_i,
  input logic                 owner_i,
  input logic [PhysBits-1:0] phys_i,
  input logic                 out_ready_i,
  input logic [PhysBits-1:0] watched_i
);
  localparam logic [1:0] Lookup  = load_history_buffer_pkg::OpLookup;
  localparam logic [1:0] Insert  = load_history_buffer_pkg::OpInsert;
  localparam logic [1:0] Release = load_history_buffer_pkg::OpRelease;

  logic                 started_q = 1'b0;
  logic                 setup_ready, setup_error, in_ready, out_valid, found, same_key;
  logic [PhysBits-1:0] phys;

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
    .setup_fold_i,
    .setup_error_o   (setup_error),
    .in_valid_i,
    .in_ready_o      (in_ready),
    .op_i,
    .element_i       ({44'b0, element_i}),
    .batch_i         (16'b0),
    .owner_i         ({63'b0, owner_i}),
    .phys_i,
    .out_valid_o     (out_valid),
    .out_ready_i,
    .found_o         (found),
    .same_key_o      (same_key),
    .phys_o          (phys)
  );

  // One register, whichever it is. `named_q`: from an insertion of it taken until its release taken.
  logic [PhysBits-1:0] watched_q;
  logic                 named_q = 1'b0;
  // The key it was inserted with last.
  logic [4:0]           key_q;
  // Operations under way, as the buffer holds them: the second one's result shows.
  logic                 first_valid_q = 1'b0, second_valid_q = 1'b0;
  logic [1:0]           first_op_q, second_op_q;
  logic [PhysBits-1:0] first_phys_q, second_phys_q;
  logic [4:0]           first_key_q, second_key_q;
  // Named state and key of the register when each was taken, with all earlier operations applied.
  logic                 first_named_q, second_named_q;
  logic [4:0]           first_home_q, second_home_q;
  logic                 take, advance;
  logic                 waits_q = 1'b0, found_q, same_key_q;
  logic [PhysBits-1:0] phys_q;

  assign take    = in_valid_i && in_ready;
  assign advance = out_ready_i || !out_valid;

  always_ff @(posedge clk_i) begin
    started_q  <= 1'b1;
    waits_q    <= started_q && out_valid && !out_ready_i;
    found_q    <= found;
    same_key_q <= same_key;
    phys_q     <= phys;
    if (!started_q) begin
      watched_q <= watched_i;
    end else begin
      if (take && phys_i == watched_q && op_i == Insert) begin
        named_q <= 1'b1;
        key_q   <= {owner_i, element_i};
      end
      if (take && phys_i == watched_q && op_i == Release) named_q <= 1'b0;
      if (setup_valid_i && setup_ready) named_q <= 1'b0;
      if (advance) begin
        first_valid_q  <= take;
        first_op_q     <= op_i;
        first_phys_q   <= phys_i;
        first_key_q    <= {owner_i, element_i};
        first_named_q  <= named_q;
        first_home_q   <= key_q;
        second_valid_q <= first_valid_q;
        second_op_q    <= first_op_q;
        second_phys_q  <= first_phys_q;
        second_key_q   <= first_key_q;
        second_named_q <= first_named_q;
        second_home_q  <= first_home_q;
      end
    end
  end

  always_comb begin
    if (started_q) begin
      assume (op_i != 2'd3);
      // The caller's part.
      assume (!(in_valid_i && op_i == Insert && phys_i == watched_q && named_q));

      result_on_time: assert (out_valid == second_valid_q);
      if (out_valid && second_op_q == Lookup && found && phys == watched_q) begin
        hits_a_live_register: assert (second_named_q);
        // No other entry names it.
        hits_its_key: assert (second_key_q == second_home_q);
      end
      if (out_valid && second_op_q == Insert && found && phys == watched_q) begin
        replaces_a_live_register: assert (second_named_q);
        if (same_key) begin
          replaces_its_key: assert (second_key_q == second_home_q);
        end
      end
      if (out_valid && second_op_q == Release && second_phys_q == watched_q && found) begin
        releases_a_live_register: assert (second_named_q);
      end
      if (out_valid && !found) begin
        shows_nothing: assert (!same_key && phys == '0);
      end
      if (waits_q) begin
        result_stays: assert (out_valid && found == found_q && same_key == same_key_q && phys == phys_q);
        if (in_ready) begin
          stands_while_a_result_waits: assert (out_ready_i);
        end
      end
      if (setup_valid_i) begin
        nothing_beside_a_set_up: assert (!in_ready);
      end
      found_again: cover (out_valid && second_op_q == Lookup && found && waits_q);
    end
  end

endmodule
