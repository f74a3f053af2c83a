// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Progress of the load history buffer: a set-up is accepted as soon as no operation is under way and
// no set-up empties rows; it empties a row in every cycle, as many as its organisation uses; from
// then on, an operation is accepted in every cycle in which no result waits and no set-up is
// offered, and its result is output two such cycles later. Small sizes, any organisation.
module load_history_buffer_progress_properties #(
  parameter int unsigned MaxEntries = 32,
  parameter int unsigned MaxWays    = 4
) (
  input logic       clk_i,
  input logic       setup_valid_i,
  input logic       setup_keep_i,
  input logic [3:0] setup_log_sets_i,
  input logic [2:0] setup_log_ways_i,
  input logic       in_valid_i,
  input logic [1:0] op_i,
  input logic       out_ready_i
);

  localparam int unsigned LogEntries = $clog2(MaxEntries);
  localparam int unsigned LogWays    = $clog2(MaxWays);

  logic started_q = 1'b0;
  logic setup_ready, setup_error, in_ready, out_valid, found, same_key, phys;

  load_history_buffer #(
    .MaxEntries(MaxEntries),
    .MaxWays   (MaxWays),
    .PhysBits  (1)
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
    .element_i       (48'd0),
    .batch_i         (16'd0),
    .owner_i         (64'd0),
    .phys_i          (1'b0),
    .out_valid_o     (out_valid),
    .out_ready_i,
    .found_o         (found),
    .same_key_o      (same_key),
    .phys_o          (phys)
  );

  // The organisation, its rows, and those still to be emptied.
  logic       organised_q = 1'b0, refused_q = 1'b0, fits, setup;
  logic [7:0] rows, rows_q = '0, to_empty_q = '0;
  logic [4:0] log_entries;
  assign setup       = setup_valid_i && setup_ready;
  assign log_entries = {1'b0, setup_log_sets_i} + {2'b0, setup_log_ways_i};
  assign fits        = log_entries <= 5'(LogEntries) && 32'(setup_log_ways_i) <= LogWays;
  assign rows        = (log_entries <= 5'(LogWays)) ? 8'd1 : 8'd1 << (log_entries - 5'(LogWays));

  // Operations under way.
  logic       flows;
  logic [1:0] ages_q = '0;
  assign flows = !out_valid || out_ready_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      if (flows) ages_q <= {ages_q[0], in_valid_i && in_ready};
      if (setup && !setup_keep_i) begin
        organised_q <= fits;
        refused_q   <= !fits;
        rows_q      <= rows;
        to_empty_q  <= fits ? rows : 8'd0;
      end else if (setup) begin
        to_empty_q <= organised_q ? rows_q : 8'd0;
      end else if (to_empty_q != '0) begin
        to_empty_q <= to_empty_q - 8'd1;
      end
    end
  end

  always_comb begin
    if (started_q) begin
      set_up_when_empty: assert (setup_ready == (to_empty_q == '0 && ages_q == '0));
      refuses_what_does_not_fit: assert (setup_error == refused_q);
      operation_in_time: assert (in_ready == (organised_q && to_empty_q == '0 && flows && !setup_valid_i));
      result_in_time: assert (out_valid == ages_q[1]);
      full: cover (ages_q == 2'd3 && in_valid_i && in_ready && op_i == load_history_buffer_pkg::OpInsert);
      emptied_again: cover (setup && setup_keep_i && organised_q && rows_q == 8'd2);
      refused: cover (setup_error && setup_valid_i);
      all_rows: cover (to_empty_q == 8'(MaxEntries / MaxWays));
    end
  end

endmodule
