// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Bitmap im2col: lowers a row of a sparse feature map to a column for each column of the filter. The
// row is shifted by one element in each cycle. A mask keeps the elements of the outputs, and what is
// shifted out moves the address of the first value. See README.md for pins and timing.
module bitmap_im2col #(
  parameter int unsigned RowBits /*verilator public*/     = 64,  // power of two
  parameter int unsigned AddressBits /*verilator public*/ = 32
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     row_valid_i,
  output logic                     row_ready_o,
  input  logic [RowBits-1:0]       row_bitmap_i,    // bit c: element c is not zero
  input  logic [$clog2(RowBits):0] row_length_i,    // R, with the padding
  input  logic [$clog2(RowBits):0] row_filter_i,    // K
  input  logic                     row_stride2_i,   // S is 2 and not 1
  input  logic [AddressBits-1:0]   row_base_i,      // of the row's first value

  output logic                     column_valid_o,
  input  logic                     column_ready_i,
  output logic [RowBits-1:0]       column_bitmap_o,   // bit n: the element of output n
  output logic [RowBits-1:0]       column_window_o,   // elements from the first output to the last
  output logic [AddressBits-1:0]   column_address_o,  // of the window's first value
  output logic [$clog2(RowBits):0] column_length_o,   // values of the window
  output logic [$clog2(RowBits):0] column_count_o,    // values of the column
  output logic                     column_first_o,    // of its row
  output logic                     column_last_o,
  output logic                     column_error_o     // the row does not fit
);

  if (RowBits < 4 || RowBits > 64 || (RowBits & (RowBits - 1)) != 0) begin : gen_check_row_bits
    $error("bitmap_im2col: RowBits must be a power of two from 4 to 64");
  end

  if (AddressBits < 1 || AddressBits > 64) begin : gen_check_address_bits
    $error("bitmap_im2col: AddressBits must be 1 to 64");
  end

  if (bitmap_im2col_pkg::ColumnLatency != 3) begin : gen_check_column_latency
    $error("bitmap_im2col: ColumnLatency of the package must be 3");
  end

  // For the C++ side only.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Latency /*verilator public*/ = bitmap_im2col_pkg::ColumnLatency;
  // verilator lint_on UNUSEDPARAM

  localparam int unsigned Half       = RowBits / 2;
  localparam int unsigned LengthBits = $clog2(RowBits) + 1;

  // The row, shifted.
  typedef struct packed {
    logic [RowBits-1:0]     bitmap;
    logic [RowBits-1:0]     mask;
    logic [LengthBits-2:0]  columns_left;  // after this one
    logic [AddressBits-1:0] address;
    logic                   stride2;
    logic                   first;
    logic                   error;
  } shifted_t;

  // Its elements under the mask.
  typedef struct packed {
    logic [RowBits-1:0]     window;
    logic [AddressBits-1:0] address;
    logic                   stride2;
    logic                   first;
    logic                   last;
    logic                   error;
  } masked_t;

  // The column at the output.
  typedef struct packed {
    logic [RowBits-1:0]     bitmap;
    logic [RowBits-1:0]     window;
    logic [AddressBits-1:0] address;
    logic [LengthBits-1:0]  length;
    logic [LengthBits-1:0]  count;
    logic                   first;
    logic                   last;
    logic                   error;
  } column_t;

  logic     row_valid_d, row_valid_q, masked_valid_d, masked_valid_q, column_valid_d, column_valid_q;
  shifted_t begun, row_d, row_q;
  masked_t  masked_d, masked_q;
  column_t  column_d, column_q;

  // 1. A stage moves if the next one is empty or moves.
  logic column_moves, masked_moves, last, done, accepts;
  assign column_moves = !column_valid_q || column_ready_i;
  assign masked_moves = !masked_valid_q || column_moves;
  assign last         = row_q.columns_left == '0;
  assign done         = row_valid_q && masked_moves && last;
  assign accepts      = row_valid_i && row_ready_o;

  assign row_ready_o    = !row_valid_q || done;
  assign row_valid_d    = accepts || (row_valid_q && !done);
  assign masked_valid_d = masked_moves ? row_valid_q : masked_valid_q;
  assign column_valid_d = column_moves ? masked_valid_q : column_valid_q;

  // 2. A row comes, with the mask of its outputs: elements 0 to (B - 1) S, where B - 1 is the whole
  //    part of (R - K) / S. A row that does not fit has no element.
  logic                  short_enough, fits;
  logic [LengthBits-1:0] room, span;
  assign short_enough = row_length_i <= LengthBits'(RowBits);
  assign fits = row_filter_i != '0 && row_filter_i <= row_length_i && short_enough;
  assign room = row_length_i - row_filter_i;
  assign span = {room[LengthBits-1:1], room[0] & ~row_stride2_i};

  always_comb begin
    begun         = '0;
    begun.bitmap  = row_bitmap_i;
    begun.stride2 = row_stride2_i;
    begun.first   = 1'b1;
    begun.error   = !fits;
    if (fits) begin
      begun.mask         = {~({(RowBits-1){1'b1}} << span), 1'b1};
      begun.columns_left = row_filter_i[LengthBits-2:0] - 1'b1;
      begun.address      = row_base_i;
    end
  end

  // 3. Each column shifts the row by an element, and an element that is not zero has a value.
  always_comb begin
    row_d = row_q;
    if (row_valid_q && masked_moves) begin
      row_d.bitmap       = row_q.bitmap >> 1;
      row_d.columns_left = row_q.columns_left - 1'b1;
      row_d.address      = row_q.address + AddressBits'(row_q.bitmap[0]);
      row_d.first        = 1'b0;
    end
    if (accepts) row_d = begun;
  end

  assign masked_d.window  = row_q.bitmap & row_q.mask;
  assign masked_d.address = row_q.address;
  assign masked_d.stride2 = row_q.stride2;
  assign masked_d.first   = row_q.first;
  assign masked_d.last    = last;
  assign masked_d.error   = row_q.error;

  // 4. Values under the mask; those of a column are every second if the stride is 2.
  logic [Half-1:0]       even, odd;
  logic [LengthBits-2:0] even_count, odd_count;
  logic [LengthBits-1:0] both_count;
  for (genvar n = 0; n < Half; n++) begin : gen_half
    assign even[n] = masked_q.window[2*n];
    assign odd[n]  = masked_q.window[2*n+1];
  end

  bitmap_population #(
    .Bits(Half)
  ) u_even (
    .bitmap_i(even),
    .count_o (even_count)
  );

  bitmap_population #(
    .Bits(Half)
  ) u_odd (
    .bitmap_i(odd),
    .count_o (odd_count)
  );

  assign both_count       = {1'b0, even_count} + {1'b0, odd_count};
  assign column_d.bitmap  = masked_q.stride2 ? {{Half{1'b0}}, even} : masked_q.window;
  assign column_d.window  = masked_q.window;
  assign column_d.address = masked_q.address;
  assign column_d.length  = both_count;
  assign column_d.count   = masked_q.stride2 ? {1'b0, even_count} : both_count;
  assign column_d.first   = masked_q.first;
  assign column_d.last    = masked_q.last;
  assign column_d.error   = masked_q.error;

  assign column_valid_o   = column_valid_q;
  assign column_bitmap_o  = column_q.bitmap;
  assign column_window_o  = column_q.window;
  assign column_address_o = column_q.address;
  assign column_length_o  = column_q.length;
  assign column_count_o   = column_q.count;
  assign column_first_o   = column_q.first;
  assign column_last_o    = column_q.last;
  assign column_error_o   = column_q.error;

  always_ff @(posedge clk_i) begin
    row_q <= row_d;
    if (masked_moves) masked_q <= masked_d;
    if (column_moves) column_q <= column_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_valid_q    <= 1'b0;
      masked_valid_q <= 1'b0;
      column_valid_q <= 1'b0;
    end else begin
      row_valid_q    <= row_valid_d;
      masked_valid_q <= masked_valid_d;
      column_valid_q <= column_valid_d;
    end
  end

endmodule
