// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of bitmap_unit, checked for any one tile: its OHMMAs are those that its counts
// require, each once, k sets, rows and columns ascending, with its own bitmaps, groups and offsets,
// the first and the last marked; waiting outputs are stable; no tile is lost. Progress, in cycles in
// which no OHMMA waits: a tile is accepted unless two are inside, its first OHMMA is output at most
// three cycles after it was accepted or the tile before it was done, one more follows in every
// cycle, and tile_done_o comes when the last is made. bitmap_stand_in replaces counts and lanes;
// there are Depth k sets, and only Width bits of a bitmap may be nonzero.
module bitmap_unit_properties #(
  parameter int unsigned Depth = 2,
  parameter int unsigned Width = 8
) (
  input logic                clk_i,
  input logic                tile_valid_i,
  input logic [Depth*32-1:0] a_bitmap_i,
  input logic [Depth*32-1:0] b_bitmap_i,
  input logic                ohmma_ready_i,
  input logic                watch_i,
  input logic [3:0]          k_i,
  input logic [1:0]          i_i,
  input logic                j_i
);

  localparam int unsigned KBits = $clog2(Depth);

  logic               started_q = 1'b0;
  logic               tile_ready, summary_valid, done, valid, j, first, last, idle;
  logic [Depth*6-1:0] a_count, b_count;
  logic [Depth*9-1:0] a_offset, b_offset;
  logic [Depth*3-1:0] row_groups;
  logic [Depth*2-1:0] column_groups;
  logic [Depth*8-1:0] predicates;
  logic [3:0]         k;
  logic [1:0]         i;
  logic [7:0]         row_valid;
  logic [8*5-1:0]     row;
  logic [15:0]        column_valid;
  logic [16*5-1:0]    column;
  logic [8:0]         ohmma_a_offset, ohmma_b_offset;

  bitmap_unit #(
    .Depth(Depth)
  ) u_unit (
    .clk_i               (clk_i),
    .rst_ni              (started_q),
    .tile_valid_i        (tile_valid_i),
    .tile_ready_o        (tile_ready),
    .a_bitmap_i          (a_bitmap_i),
    .b_bitmap_i          (b_bitmap_i),
    .summary_valid_o     (summary_valid),
    .a_count_o           (a_count),
    .b_count_o           (b_count),
    .a_offset_o          (a_offset),
    .b_offset_o          (b_offset),
    .row_groups_o        (row_groups),
    .column_groups_o     (column_groups),
    .predicates_o        (predicates),
    .tile_done_o         (done),
    .ohmma_valid_o       (valid),
    .ohmma_ready_i       (ohmma_ready_i),
    .ohmma_k_o           (k),
    .ohmma_i_o           (i),
    .ohmma_j_o           (j),
    .ohmma_row_valid_o   (row_valid),
    .ohmma_row_o         (row),
    .ohmma_column_valid_o(column_valid),
    .ohmma_column_o      (column),
    .ohmma_a_offset_o    (ohmma_a_offset),
    .ohmma_b_offset_o    (ohmma_b_offset),
    .ohmma_first_o       (first),
    .ohmma_last_o        (last),
    .idle_o              (idle)
  );

  // Tiles in the unit in front of the output register, and those of them before the watched one.
  logic       accept, watching_q = 1'b0;
  logic [1:0] tiles_q = '0, ahead_q = '0;
  assign accept = tile_valid_i && tile_ready;

  logic [Depth*32-1:0] a_q, b_q;  // the watched tile's
  logic                current;   // its OHMMAs are being made
  logic                shows_q = 1'b0;  // the output register has one of them
  logic [6:0]          next_q;    // none of them below number 8 k + 2 i + j is to come
  logic                ended_q = 1'b0;

  assign current = watching_q && ahead_q == '0 && !ended_q && summary_valid;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      tiles_q <= tiles_q + {1'b0, accept} - {1'b0, done};
      if (accept && watch_i && !watching_q) begin
        watching_q <= 1'b1;
        ahead_q    <= tiles_q - {1'b0, done};
        a_q        <= a_bitmap_i;
        b_q        <= b_bitmap_i;
        next_q     <= '0;
      end else if (watching_q && done) begin
        if (ahead_q != '0) begin
          ahead_q <= ahead_q - 2'd1;
        end else begin
          ended_q <= 1'b1;
        end
      end
      if (!valid || ohmma_ready_i) begin
        shows_q <= current;
      end
      if (valid && ohmma_ready_i && shows_q) begin
        next_q <= number + 7'd1;
      end
    end
  end

  // Which OHMMAs the watched tile needs.
  logic [Depth*8-1:0] needs;
  logic [5:0]         a_n, b_n;
  always_comb begin
    needs = '0;
    a_n   = '0;
    b_n   = '0;
    for (int unsigned n = 0; n < Depth; n++) begin
      a_n = a_q[32*n +: 6];
      b_n = b_q[32*n +: 6];
      for (int unsigned g = 0; g < 8; g++) begin
        needs[8*n + g] = a_n > 6'(8 * (g / 2)) && b_n > 6'(16 * (g % 2));
      end
    end
  end

  logic [6:0]  number;
  logic [31:0] a_k, b_k;
  assign number = {k, i, j};
  assign a_k    = a_q[32*k[KBits-1:0] +: 32];
  assign b_k    = b_q[32*k[KBits-1:0] +: 32];

  // Counts of sets of 32, zero only for a bitmap of zeros.
  logic        all_bitmaps;
  logic [31:0] bits;
  always_comb begin
    all_bitmaps = 1'b1;
    bits        = '0;
    for (int unsigned n = 0; n < 2 * Depth; n++) begin
      bits        = n < Depth ? a_bitmap_i[32*(n%Depth) +: 32] : b_bitmap_i[32*(n%Depth) +: 32];
      all_bitmaps = all_bitmaps && bits[5:0] <= 6'd32 && (bits >> Width) == '0 && (bits[5:0] != '0 || bits == '0);
    end
  end

  // Any OHMMA, to say something about all of them.
  logic [6:0] any;
  logic       is_needed;
  assign any       = {k_i, i_i, j_i};
  assign is_needed = needs[any[KBits+2:0]];

  // Progress: cycles without a waiting OHMMA since the watched tile is the oldest, before its first
  // OHMMA; what the cycle before asks of this one.
  logic       flows, oldest, must_show_q = 1'b0, must_end_q = 1'b0;
  logic [1:0] idle_cycles_q = '0;
  assign flows  = !valid || ohmma_ready_i;
  assign oldest = watching_q && ahead_q == '0 && !ended_q;

  always_ff @(posedge clk_i) begin
    must_show_q <= started_q && current && flows && needs != '0;
    must_end_q  <= started_q && current && needs == '0;
    if (started_q && oldest && flows && !(&idle_cycles_q)) begin
      idle_cycles_q <= idle_cycles_q + 2'd1;
    end
  end

  logic         waits_q = 1'b0;
  logic [170:0] shown, last_shown_q;
  assign shown = {k, i, j, first, last, row_valid, row, column_valid, column, ohmma_a_offset,
                  ohmma_b_offset};

  // Outputs of the unit for k set k_i of the watched tile.
  logic [31:0] a_any, b_any;
  logic        sums_up;
  assign a_any   = a_q[32*k_i[KBits-1:0] +: 32];
  assign b_any   = b_q[32*k_i[KBits-1:0] +: 32];
  assign sums_up = a_count[6*k_i[KBits-1:0] +: 6] == a_any[5:0] &&
                   b_count[6*k_i[KBits-1:0] +: 6] == b_any[5:0] &&
                   a_offset[9*k_i[KBits-1:0] +: 9] == a_any[14:6] &&
                   b_offset[9*k_i[KBits-1:0] +: 9] == b_any[14:6] &&
                   row_groups[3*k_i[KBits-1:0] +: 3] == 3'((a_any[5:0] + 6'd7) >> 3) &&
                   column_groups[2*k_i[KBits-1:0] +: 2] == 2'((b_any[5:0] + 6'd15) >> 4);

  always_ff @(posedge clk_i) begin
    waits_q      <= started_q && valid && !ohmma_ready_i;
    last_shown_q <= shown;
  end

  always_comb begin
    assume (all_bitmaps);
    assume (32'(k_i) < Depth);
    if (started_q) begin
      keeps_count: assert (tiles_q <= 2'd2 && (summary_valid || !done));
      idle_is_empty: assert (idle == (tiles_q == '0 && !valid));
      accepts_unless_full: assert (tile_ready == (tiles_q != 2'd2 || done));
      if (waits_q) begin
        stays: assert (valid && shown == last_shown_q);
      end
      if (oldest && !(valid && shows_q) && next_q == '0) begin
        begins_in_time: assert (idle_cycles_q <= 2'd1);
      end
      if (must_show_q) begin
        issues_every_cycle: assert (valid && shows_q);
      end
      if (must_end_q) begin
        ends_without_any: assert (ended_q && !(valid && shows_q));
      end
      if (current) begin
        counts_its_own: assert (sums_up);
        predicts: assert (predicates == needs);
      end
      if (valid && shows_q) begin
        is_one_of_them: assert (32'(k) < Depth && needs[number[KBits+2:0]]);
        ascends: assert (number >= next_q);
        if (any >= next_q && any < number) begin
          leaves_none_out: assert (!is_needed);
        end
        first_is_marked: assert (first == (next_q == '0));
        if (last && any > number) begin
          only_last_is_marked: assert (!is_needed);
        end
        has_its_rows: assert (row[31:0] == a_k && row[33:32] == i && row_valid[1:0] == i);
        has_its_columns: assert (column[31:0] == b_k && column[32] == j && column_valid[0] == j);
        has_its_offsets: assert (ohmma_a_offset == a_k[14:6] + {4'b0, i, 3'b0} &&
                                 ohmma_b_offset == b_k[14:6] + {4'b0, j, 4'b0});
      end
      // tile_done_o comes in the cycle that makes the last OHMMA.
      if (ended_q && !shows_q && any >= next_q) begin
        made_them_all: assert (!is_needed);
      end
      if (ended_q && shows_q && any > number) begin
        done_after_all: assert (!is_needed);
      end
      if (valid && shows_q && ended_q) begin
        last_is_marked: assert (last);
      end
      all_groups: cover (valid && shows_q && last && i == 2'd3 && j && !first);
      second_set: cover (valid && shows_q && first && k == 4'd1);
      both_sets: cover (valid && shows_q && last && k == 4'd1 && needs[0]);
      follows_another: cover (watching_q && ahead_q != '0 && done);
      full: cover (tiles_q == 2'd2 && tile_valid_i && !tile_ready);
    end
  end

endmodule
