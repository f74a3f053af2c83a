// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Sparse tensor core of a sub-core: bitmap unit, operand fetch, pair of outer-product tensor cores
// and accumulation buffer, joined by their handshakes. See README.md for pins and timing.
module spwmma_core #(
  parameter int unsigned TagBits /*verilator public*/ = 4,
  localparam int unsigned Depth = bitmap_unit_pkg::TileDepth
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // A tile of 32x32x16: its bitmaps. Its values are read below.
  input  logic                tile_valid_i,
  output logic                tile_ready_o,
  input  logic [TagBits-1:0]  tile_tag_i,
  input  logic [Depth*32-1:0] a_bitmap_i,
  input  logic [Depth*32-1:0] b_bitmap_i,

  // Summary of the tile whose OHMMAs are being made.
  output logic                summary_valid_o,
  output logic [Depth*6-1:0]  a_count_o,
  output logic [Depth*6-1:0]  b_count_o,
  output logic [Depth*9-1:0]  a_offset_o,
  output logic [Depth*9-1:0]  b_offset_o,
  output logic [Depth*3-1:0]  row_groups_o,
  output logic [Depth*2-1:0]  column_groups_o,
  output logic [Depth*8-1:0]  predicates_o,
  output logic                tile_done_o,      // that tile's last cycle

  // The read of an OHMMA's values; they come a cycle later and stay until the next read.
  output logic                read_o,
  output logic [TagBits-1:0]  read_tag_o,       // of the tile
  output logic [4:0]          a_even_word_o,    // words of 8 values of A
  output logic [4:0]          a_odd_word_o,
  output logic [3:0]          b_even_word_o,    // words of 16 values of B
  output logic [3:0]          b_odd_word_o,
  input  logic [8*16-1:0]     a_even_i,
  input  logic [8*16-1:0]     a_odd_i,
  input  logic [16*16-1:0]    b_even_i,
  input  logic [16*16-1:0]    b_odd_i,

  // The OHMMA at the accumulation buffer, for counters; the buffer takes it with ready.
  output logic                ohmma_valid_o,
  output logic                ohmma_ready_o,
  output logic [TagBits-1:0]  ohmma_tag_o,
  output logic [3:0]          ohmma_k_o,
  output logic [7:0]          ohmma_row_valid_o,
  output logic [15:0]         ohmma_column_valid_o,
  output logic                front_idle_o,     // no tile and no OHMMA before the buffer

  // The buffer's clock runs with an OHMMA or run_i. The pins below mean something with run_i only.
  input  logic                run_i,
  input  logic                preload_valid_i,
  output logic                preload_ready_o,
  input  logic [2:0]          preload_word_i,
  input  logic [128*32-1:0]   preload_data_i,
  input  logic                drain_valid_i,
  output logic                drain_ready_o,
  input  logic                drain_clear_i,
  output logic                row_valid_o,
  input  logic                row_ready_i,
  output logic [2:0]          row_word_o,
  output logic [128*32-1:0]   row_data_o,
  output logic                idle_o            // every OHMMA is added
);

  if (TagBits < 1 || TagBits > 16) begin : gen_check_tag_bits
    $error("spwmma_core: TagBits must be 1 to 16");
  end

  // 1. Bitmaps to OHMMAs.
  logic            bitmap_idle, made, takes, unused_j, unused_first, unused_last;
  logic [1:0]      unused_i;
  logic [3:0]      k;
  logic [7:0]      row_valid;
  logic [8*5-1:0]  row;
  logic [15:0]     column_valid;
  logic [16*5-1:0] column;
  logic [8:0]      a_offset, b_offset;

  bitmap_unit u_bitmap_unit (
    .clk_i,
    .rst_ni,
    .tile_valid_i,
    .tile_ready_o,
    .a_bitmap_i,
    .b_bitmap_i,
    .summary_valid_o,
    .a_count_o,
    .b_count_o,
    .a_offset_o,
    .b_offset_o,
    .row_groups_o,
    .column_groups_o,
    .predicates_o,
    .tile_done_o,
    .ohmma_valid_o       (made),
    .ohmma_ready_i       (takes),
    .ohmma_k_o           (k),
    .ohmma_i_o           (unused_i),
    .ohmma_j_o           (unused_j),
    .ohmma_row_valid_o   (row_valid),
    .ohmma_row_o         (row),
    .ohmma_column_valid_o(column_valid),
    .ohmma_column_o      (column),
    .ohmma_a_offset_o    (a_offset),
    .ohmma_b_offset_o    (b_offset),
    .ohmma_first_o       (unused_first),
    .ohmma_last_o        (unused_last),
    .idle_o              (bitmap_idle)
  );

  // Tags of the tiles whose OHMMAs are not all made, at most two, and of the OHMMA that is offered.
  logic               accepts;
  logic [1:0]         tiles_d, tiles_q, tiles_left;
  logic [TagBits-1:0] tag_d, tag_q, next_tag_d, next_tag_q, made_tag_d, made_tag_q;

  assign accepts    = tile_valid_i & tile_ready_o;
  assign tiles_left = tiles_q - 2'(tile_done_o);
  always_comb begin
    tiles_d    = tiles_left + 2'(accepts);
    tag_d      = tile_done_o ? next_tag_q : tag_q;
    next_tag_d = next_tag_q;
    made_tag_d = (!made || takes) ? tag_q : made_tag_q;
    if (accepts) begin
      if (tiles_left == 2'd0) tag_d = tile_tag_i;
      else next_tag_d = tile_tag_i;
    end
  end

  // 2. The OHMMA's values.
  localparam int unsigned MetaWidth = TagBits + 4 + 8 + 8*5 + 16 + 16*5;

  logic                 fetched, multiplies;
  logic [8*16-1:0]      a;
  logic [16*16-1:0]     b;
  logic [MetaWidth-1:0] fetched_meta, product_meta;

  assign read_tag_o = made_tag_q;

  operand_fetch #(
    .MetaWidth(MetaWidth)
  ) u_operand_fetch (
    .clk_i,
    .rst_ni,
    .valid_i       (made),
    .ready_o       (takes),
    .row_valid_i   (row_valid),
    .column_valid_i(column_valid),
    .a_offset_i    (a_offset),
    .b_offset_i    (b_offset),
    .meta_i        ({made_tag_q, k, row_valid, row, column_valid, column}),
    .read_o,
    .a_even_word_o,
    .a_odd_word_o,
    .b_even_word_o,
    .b_odd_word_o,
    .a_even_i,
    .a_odd_i,
    .b_even_i,
    .b_odd_i,
    .valid_o       (fetched),
    .ready_i       (multiplies),
    .a_o           (a),
    .b_o           (b),
    .meta_o        (fetched_meta)
  );

  // 3. The products.
  logic               multiplied, moves;
  logic [128*32-1:0]  product;
  feop_array_pkg::op_e unused_op;
  logic [32*32-1:0]   unused_bits;

  feop_array #(
    .MetaWidth(MetaWidth)
  ) u_feop_array (
    .clk_i,
    .rst_ni,
    .valid_i    (fetched),
    .ready_o    (multiplies),
    .op_i       (feop_array_pkg::OpOhmma),
    .predicate_i(1'b1),
    .a_i        (a),
    .b_i        (b),
    .meta_i     (fetched_meta),
    .valid_o    (multiplied),
    .ready_i    (moves),
    .op_o       (unused_op),
    .product_o  (product),
    .bits_o     (unused_bits),
    .meta_o     (product_meta)
  );

  // OHMMAs in the array.
  logic       enters, leaves;
  logic [1:0] inside_d, inside_q;
  assign enters   = fetched & multiplies;
  assign leaves   = multiplied & moves;
  assign inside_d = inside_q + 2'(enters) - 2'(leaves);

  // 4. The result register, at the input of the buffer.
  typedef struct packed {
    logic [TagBits-1:0] tag;
    logic [3:0]         k;
    logic [7:0]         row_valid;
    logic [8*5-1:0]     row;
    logic [15:0]        column_valid;
    logic [16*5-1:0]    column;
  } lanes_t;

  logic              result_d, result_q, adds;
  lanes_t            lanes_q;
  logic [128*32-1:0] product_q;

  assign moves    = ~result_q | adds;
  assign result_d = moves ? multiplied : result_q;

  assign ohmma_valid_o        = result_q;
  assign ohmma_ready_o        = result_q & adds;
  assign ohmma_tag_o          = lanes_q.tag;
  assign ohmma_k_o            = lanes_q.k;
  assign ohmma_row_valid_o    = lanes_q.row_valid;
  assign ohmma_column_valid_o = lanes_q.column_valid;
  assign front_idle_o         = bitmap_idle & ~fetched & (inside_q == 2'd0) & ~result_q;

  // 5. The sums. Nothing moves in the buffer while its clock stands.
  logic              buffer_clk, preload_ready, drain_ready, sum_valid, buffer_idle;
  logic              unused_result_valid;
  logic [2:0]        unused_result_word;
  logic [128*32-1:0] unused_result_data;

  clock_gate u_clock_gate (
    .clk_i,
    .enable_i(result_q | run_i),
    .clk_o   (buffer_clk)
  );

  accumulation_buffer u_accumulation_buffer (
    .clk_i            (buffer_clk),
    .rst_ni,
    .op_valid_i       (result_q),
    .op_ready_o       (adds),
    .op_dense_i       (1'b0),
    .op_first_i       (1'b0),
    .op_last_i        (1'b0),
    .op_word_i        ('0),
    .op_row_valid_i   (lanes_q.row_valid),
    .op_row_i         (lanes_q.row),
    .op_column_valid_i(lanes_q.column_valid),
    .op_column_i      (lanes_q.column),
    .op_product_i     (product_q),
    .op_c_i           ('0),
    .preload_valid_i  (preload_valid_i & run_i),
    .preload_ready_o  (preload_ready),
    .preload_word_i,
    .preload_data_i,
    .drain_valid_i    (drain_valid_i & run_i),
    .drain_ready_o    (drain_ready),
    .drain_clear_i,
    .row_valid_o      (sum_valid),
    .row_ready_i      (row_ready_i & run_i),
    .row_word_o,
    .row_data_o,
    .result_valid_o   (unused_result_valid),
    .result_ready_i   (1'b1),
    .result_word_o    (unused_result_word),
    .result_data_o    (unused_result_data),
    .idle_o           (buffer_idle)
  );

  assign preload_ready_o = preload_ready & run_i;
  assign drain_ready_o   = drain_ready & run_i;
  assign row_valid_o     = sum_valid & run_i;
  assign idle_o          = buffer_idle & run_i;

  logic unused;
  assign unused = &{1'b0, unused_i, unused_j, unused_first, unused_last, unused_op, unused_bits,
                    unused_result_valid, unused_result_word, unused_result_data};

  // 6. Registers.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tiles_q  <= '0;
      inside_q <= '0;
      result_q <= 1'b0;
    end else begin
      tiles_q  <= tiles_d;
      inside_q <= inside_d;
      result_q <= result_d;
    end
  end

  always_ff @(posedge clk_i) begin
    tag_q      <= tag_d;
    next_tag_q <= next_tag_d;
    made_tag_q <= made_tag_d;
    if (moves) begin
      lanes_q   <= product_meta;
      product_q <= product;
    end
  end

endmodule
