// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Accumulation buffer of a sub-core's outer-product tensor cores: a 32x32 FP32 tile in 128 banks,
// each with operand collector and adder. See README.md for pins and timing.
module accumulation_buffer (
  input  logic                clk_i,
  input  logic                rst_ni,

  // An OHMMA: 8 rows x 16 columns, product (i, j) at 16 i + j.
  input  logic                op_valid_i,
  output logic                op_ready_o,
  input  logic                op_dense_i,
  input  logic                op_first_i,         // dense
  input  logic                op_last_i,          // dense
  input  logic [2:0]          op_word_i,          // dense
  input  logic [7:0]          op_row_valid_i,     // sparse
  input  logic [8*5-1:0]      op_row_i,           // sparse
  input  logic [15:0]         op_column_valid_i,  // sparse
  input  logic [16*5-1:0]     op_column_i,        // sparse, the valid ones distinct
  input  logic [128*32-1:0]   op_product_i,
  input  logic [128*32-1:0]   op_c_i,             // dense and first

  input  logic                preload_valid_i,
  output logic                preload_ready_o,
  input  logic [2:0]          preload_word_i,
  input  logic [128*32-1:0]   preload_data_i,     // by bank

  input  logic                drain_valid_i,
  output logic                drain_ready_o,
  input  logic                drain_clear_i,
  output logic                row_valid_o,
  input  logic                row_ready_i,
  output logic [2:0]          row_word_o,
  output logic [128*32-1:0]   row_data_o,         // by bank

  output logic                result_valid_o,
  input  logic                result_ready_i,
  output logic [2:0]          result_word_o,
  output logic [128*32-1:0]   result_data_o,

  output logic                idle_o
);

  if (accumulation_buffer_pkg::TileSize != 32 || accumulation_buffer_pkg::Rows != 8 ||
      accumulation_buffer_pkg::Columns != 16 || accumulation_buffer_pkg::Banks != 128 ||
      accumulation_buffer_pkg::Words != 8) begin : gen_check_sizes
    $error("accumulation_buffer: TileSize, Rows, Columns, Banks and Words of the package must be 32, 8, 16, 128 and 8");
  end

  logic accept, preload, drain, clear, push, dense, dense_first, advance;
  logic [2:0]   dense_word;
  logic [127:0] holds, adds, all_fit;

  accumulation_control u_control (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .op_valid_i     (op_valid_i),
    .op_ready_o     (op_ready_o),
    .op_dense_i     (op_dense_i),
    .op_first_i     (op_first_i),
    .op_last_i      (op_last_i),
    .op_word_i      (op_word_i),
    .accept_o       (accept),
    .preload_valid_i(preload_valid_i),
    .preload_ready_o(preload_ready_o),
    .preload_o      (preload),
    .drain_valid_i  (drain_valid_i),
    .drain_ready_o  (drain_ready_o),
    .drain_clear_i  (drain_clear_i),
    .row_valid_o    (row_valid_o),
    .row_ready_i    (row_ready_i),
    .row_word_o     (row_word_o),
    .drain_o        (drain),
    .clear_o        (clear),
    .result_valid_o (result_valid_o),
    .result_ready_i (result_ready_i),
    .result_word_o  (result_word_o),
    .idle_o         (idle_o),
    .holds_i        (|holds),
    .adds_i         (|adds),
    .all_i          (&all_fit),
    .push_o         (push),
    .dense_o        (dense),
    .dense_first_o  (dense_first),
    .dense_word_o   (dense_word),
    .advance_o      (advance)
  );

  // Input register: operands, which lane is for which tile column, and per row lane the banks that
  // have yet to take its entry (of the row's class, by the bank's place in it).
  logic [8*5-1:0]    row_q;
  logic [32*4-1:0]   lane_q, lane;
  logic [128*32-1:0] product_q, c_q;
  logic [8*32-1:0]   left_q, left_d, hits, taken;
  logic [31:0]       hit;

  accumulation_expander u_expander (
    .column_valid_i(op_column_valid_i),
    .column_i      (op_column_i),
    .hit_o         (hit),
    .lane_o        (lane)
  );

  always_comb begin
    left_d = left_q & ~taken;
    if (accept) begin
      left_d = op_dense_i ? '0 : hits;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
    end else begin
      left_q <= left_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      row_q     <= op_row_i;
      lane_q    <= lane;
      product_q <= op_product_i;
      c_q       <= op_c_i;
    end
  end

  // Per row lane: products to the 32 banks of a class, and hits. Every bank of the row's class gets
  // its own.
  logic [8*32*32-1:0] routed;
  logic [8*3-1:0]     lane_word;

  for (genvar i = 0; i < accumulation_buffer_pkg::Rows; i++) begin : gen_rows
    logic [31:0] row_hits;

    accumulation_swizzle #(
      .Width(1)
    ) u_swizzle (
      .row_high_i(op_row_i[5*i+2 +: 3]),
      .data_i    (hit),
      .data_o    (row_hits)
    );
    assign hits[32*i +: 32] = row_hits & {32{op_row_valid_i[i]}};

    accumulation_router u_router (
      .lane_i    (lane_q),
      .row_high_i(row_q[5*i+2 +: 3]),
      .product_i (product_q[512*i +: 512]),
      .product_o (routed[1024*i +: 1024])
    );
    assign lane_word[3*i +: 3] = row_q[5*i+2 +: 3];
  end

  logic [128*8-1:0] take;

  for (genvar n = 0; n < accumulation_buffer_pkg::Banks; n++) begin : gen_banks
    logic [7:0]      want;
    logic [8*32-1:0] lane_product;

    for (genvar i = 0; i < accumulation_buffer_pkg::Rows; i++) begin : gen_lanes
      assign want[i] = push & left_q[32*i + n%32] & (row_q[5*i +: 2] == 2'(n/32));
      assign lane_product[32*i +: 32] = routed[1024*i + 32*(n%32) +: 32];
    end

    accumulation_bank u_bank (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .want_i         (want),
      .lane_word_i    (lane_word),
      .lane_product_i (lane_product),
      .take_o         (take[8*n +: 8]),
      .all_o          (all_fit[n]),
      .dense_i        (dense),
      .dense_first_i  (dense_first),
      .dense_word_i   (dense_word),
      .dense_product_i(product_q[32*n +: 32]),
      .dense_c_i      (c_q[32*n +: 32]),
      .advance_i      (advance),
      .result_o       (result_data_o[32*n +: 32]),
      .preload_i      (preload),
      .preload_word_i (preload_word_i),
      .preload_data_i (preload_data_i[32*n +: 32]),
      .drain_i        (drain),
      .drain_clear_i  (clear),
      .drain_word_i   (row_word_o),
      .row_o          (row_data_o[32*n +: 32]),
      .holds_o        (holds[n]),
      .adds_o         (adds[n])
    );
  end

  for (genvar i = 0; i < accumulation_buffer_pkg::Rows; i++) begin : gen_taken_rows
    for (genvar b = 0; b < accumulation_buffer_pkg::TileSize; b++) begin : gen_taken
      assign taken[32*i + b] = take[8*b + i] | take[8*(b+32) + i] | take[8*(b+64) + i]
                             | take[8*(b+96) + i];
    end
  end

endmodule
