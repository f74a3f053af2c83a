// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Bitmap unit: counts the non-zeros of a sparse 32x32x16 tile and issues the OHMMAs it needs. See
// README.md for pins and timing. The machine has 16 pairs of bitmaps a tile (Depth).
module bitmap_unit #(
  parameter int unsigned Depth = bitmap_unit_pkg::TileDepth
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                tile_valid_i,
  output logic                tile_ready_o,
  input  logic [Depth*32-1:0] a_bitmap_i,
  input  logic [Depth*32-1:0] b_bitmap_i,

  // Summary of the tile whose OHMMAs are being issued.
  output logic                summary_valid_o,
  output logic [Depth*6-1:0]  a_count_o,
  output logic [Depth*6-1:0]  b_count_o,
  output logic [Depth*9-1:0]  a_offset_o,       // non-zeros of smaller k
  output logic [Depth*9-1:0]  b_offset_o,
  output logic [Depth*3-1:0]  row_groups_o,
  output logic [Depth*2-1:0]  column_groups_o,
  output logic [Depth*8-1:0]  predicates_o,     // bit 2 i + j: OHMMA (i, j) is needed
  output logic                tile_done_o,      // that tile's last cycle

  output logic                ohmma_valid_o,
  input  logic                ohmma_ready_i,
  output logic [3:0]          ohmma_k_o,
  output logic [1:0]          ohmma_i_o,
  output logic                ohmma_j_o,
  output logic [7:0]          ohmma_row_valid_o,
  output logic [8*5-1:0]      ohmma_row_o,
  output logic [15:0]         ohmma_column_valid_o,
  output logic [16*5-1:0]     ohmma_column_o,
  output logic [8:0]          ohmma_a_offset_o,  // of the group's first value in the tile's
  output logic [8:0]          ohmma_b_offset_o,
  output logic                ohmma_first_o,     // of its tile
  output logic                ohmma_last_o,

  output logic                idle_o
);

  if (Depth < 2 || Depth > 16) begin : gen_check_depth
    $error("bitmap_unit: Depth must be 2 to 16");
  end

  if (bitmap_unit_pkg::TileSize != 32 || bitmap_unit_pkg::Rows != 8 ||
      bitmap_unit_pkg::Columns != 16) begin : gen_check_sizes
    $error("bitmap_unit: TileSize, Rows and Columns of the package must be 32, 8 and 16");
  end

  // The tile as given.
  logic                arrived_q, arrived_d;
  logic [Depth*32-1:0] arrived_a_q, arrived_b_q;

  // The tile whose OHMMAs are made: what is known of it, k sets that have OHMMAs to come, the next.
  logic                current_q, current_d;
  logic [Depth*32-1:0] a_q, b_q;
  logic [Depth*6-1:0]  a_count_q, b_count_q, a_count, b_count;
  logic [Depth*9-1:0]  a_offset_q, b_offset_q, a_offset, b_offset;
  logic [Depth-1:0]    k_left_q, k_left_d, needed;
  logic [1:0]          i_q, i_d;
  logic                j_q, j_d;
  logic                first_q, first_d;

  // The OHMMA at the output.
  logic                ohmma_q, ohmma_d;

  // The lowest k set left, one-hot and as a number; its counts, offsets and bitmaps.
  logic [Depth-1:0] k_lowest;
  logic [3:0]       k;
  logic [31:0]      a, b;
  logic [5:0]       a_count_k, b_count_k;
  logic [8:0]       a_offset_k, b_offset_k;
  assign k_lowest = k_left_q & ~(k_left_q - 1'b1);

  always_comb begin
    k          = '0;
    a          = '0;
    b          = '0;
    a_count_k  = '0;
    b_count_k  = '0;
    a_offset_k = '0;
    b_offset_k = '0;
    for (int unsigned n = 0; n < Depth; n++) begin
      k          |= {4{k_lowest[n]}} & n[3:0];
      a          |= {32{k_lowest[n]}} & a_q[32*n +: 32];
      b          |= {32{k_lowest[n]}} & b_q[32*n +: 32];
      a_count_k  |= {6{k_lowest[n]}} & a_count_q[6*n +: 6];
      b_count_k  |= {6{k_lowest[n]}} & b_count_q[6*n +: 6];
      a_offset_k |= {9{k_lowest[n]}} & a_offset_q[9*n +: 9];
      b_offset_k |= {9{k_lowest[n]}} & b_offset_q[9*n +: 9];
    end
  end

  logic last_row, last_column, last_set, last;
  assign last_row    = a_count_k <= {1'b0, i_q, 3'b0} + 6'd8;
  assign last_column = b_count_k <= {1'b0, j_q, 4'b0} + 6'd16;
  assign last_set    = (k_left_q & (k_left_q - 1'b1)) == '0;
  assign last        = last_row & last_column & last_set;

  logic room, makes, done, moves, accepts;
  assign room    = ~ohmma_q | ohmma_ready_i;
  assign makes   = current_q & (|k_left_q) & room;
  assign done    = current_q & (~(|k_left_q) | (makes & last));
  assign moves   = arrived_q & (~current_q | done);
  assign accepts = tile_valid_i & tile_ready_o;

  assign tile_ready_o    = ~arrived_q | moves;
  assign summary_valid_o = current_q;
  assign tile_done_o     = done;
  assign ohmma_valid_o   = ohmma_q;
  assign idle_o          = ~arrived_q & ~current_q & ~ohmma_q;

  bitmap_count #(
    .Depth(Depth)
  ) u_count_a (
    .bitmap_i(arrived_a_q),
    .count_o (a_count),
    .offset_o(a_offset)
  );

  bitmap_count #(
    .Depth(Depth)
  ) u_count_b (
    .bitmap_i(arrived_b_q),
    .count_o (b_count),
    .offset_o(b_offset)
  );

  for (genvar n = 0; n < Depth; n++) begin : gen_sets
    logic [5:0] a_n, b_n;
    logic [3:0] row_needed;
    logic [1:0] column_needed;
    assign needed[n] = (|arrived_a_q[32*n +: 32]) & (|arrived_b_q[32*n +: 32]);

    assign a_n           = a_count_q[6*n +: 6];
    assign b_n           = b_count_q[6*n +: 6];
    assign row_needed    = {a_n > 6'd24, a_n > 6'd16, a_n > 6'd8, a_n > 6'd0};
    assign column_needed = {b_n > 6'd16, b_n > 6'd0};
    assign row_groups_o[3*n +: 3]    = 3'((a_n + 6'd7) >> 3);
    assign column_groups_o[2*n +: 2] = 2'((b_n + 6'd15) >> 4);
    for (genvar g = 0; g < 4; g++) begin : gen_predicates
      assign predicates_o[8*n + 2*g +: 2] = column_needed & {2{row_needed[g]}};
    end
  end

  always_comb begin
    arrived_d = accepts | (arrived_q & ~moves);
    current_d = moves | (current_q & ~done);
    ohmma_d   = room ? makes : ohmma_q;
    k_left_d  = k_left_q;
    i_d       = i_q;
    j_d       = j_q;
    first_d   = first_q;
    if (makes) begin
      first_d = 1'b0;
      j_d     = ~last_column;
      if (last_column) begin
        i_d = i_q + 2'd1;
      end
      if (last_row && last_column) begin
        i_d      = '0;
        k_left_d = k_left_q & (k_left_q - 1'b1);
      end
    end
    if (moves) begin
      first_d  = 1'b1;
      i_d      = '0;
      j_d      = 1'b0;
      k_left_d = needed;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      arrived_q <= 1'b0;
      current_q <= 1'b0;
      ohmma_q   <= 1'b0;
      k_left_q  <= '0;
      i_q       <= '0;
      j_q       <= 1'b0;
      first_q   <= 1'b0;
    end else begin
      arrived_q <= arrived_d;
      current_q <= current_d;
      ohmma_q   <= ohmma_d;
      k_left_q  <= k_left_d;
      i_q       <= i_d;
      j_q       <= j_d;
      first_q   <= first_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accepts) begin
      arrived_a_q <= a_bitmap_i;
      arrived_b_q <= b_bitmap_i;
    end
    if (moves) begin
      a_q        <= arrived_a_q;
      b_q        <= arrived_b_q;
      a_count_q  <= a_count;
      b_count_q  <= b_count;
      a_offset_q <= a_offset;
      b_offset_q <= b_offset;
    end
  end

  assign a_count_o  = a_count_q;
  assign b_count_o  = b_count_q;
  assign a_offset_o = a_offset_q;
  assign b_offset_o = b_offset_q;

  // The output register.
  logic [7:0]      row_valid;
  logic [8*5-1:0]  row;
  logic [15:0]     column_valid;
  logic [16*5-1:0] column;

  bitmap_condense #(
    .Lanes    (bitmap_unit_pkg::Rows),
    .GroupBits(2)
  ) u_condense_rows (
    .bitmap_i(a),
    .group_i (i_q),
    .valid_o (row_valid),
    .index_o (row)
  );

  bitmap_condense #(
    .Lanes    (bitmap_unit_pkg::Columns),
    .GroupBits(1)
  ) u_condense_columns (
    .bitmap_i(b),
    .group_i (j_q),
    .valid_o (column_valid),
    .index_o (column)
  );

  typedef struct packed {
    logic [3:0]      k;
    logic [1:0]      i;
    logic            j;
    logic [7:0]      row_valid;
    logic [8*5-1:0]  row;
    logic [15:0]     column_valid;
    logic [16*5-1:0] column;
    logic [8:0]      a_offset;
    logic [8:0]      b_offset;
    logic            first;
    logic            last;
  } ohmma_t;

  ohmma_t made, offered_q;

  always_comb begin
    made.k            = k;
    made.i            = i_q;
    made.j            = j_q;
    made.row_valid    = row_valid;
    made.row          = row;
    made.column_valid = column_valid;
    made.column       = column;
    made.a_offset     = a_offset_k + {4'b0, i_q, 3'b0};
    made.b_offset     = b_offset_k + {4'b0, j_q, 4'b0};
    made.first        = first_q;
    made.last         = last;
  end

  always_ff @(posedge clk_i) begin
    if (makes) begin
      offered_q <= made;
    end
  end

  assign ohmma_k_o            = offered_q.k;
  assign ohmma_i_o            = offered_q.i;
  assign ohmma_j_o            = offered_q.j;
  assign ohmma_row_valid_o    = offered_q.row_valid;
  assign ohmma_row_o          = offered_q.row;
  assign ohmma_column_valid_o = offered_q.column_valid;
  assign ohmma_column_o       = offered_q.column;
  assign ohmma_a_offset_o     = offered_q.a_offset;
  assign ohmma_b_offset_o     = offered_q.b_offset;
  assign ohmma_first_o        = offered_q.first;
  assign ohmma_last_o         = offered_q.last;

endmodule
