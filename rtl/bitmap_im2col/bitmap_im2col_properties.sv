// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the bitmap im2col. Every column has the bits, the address and the numbers that the
// row it came from has at the elements of the outputs. A row gives a column for each column of its
// filter, in order, and a row that does not fit gives one, with an error. Rows are taken and columns
// come in the cycles that README.md says, for rows, stalls and pauses of all kinds. The reference
// keeps the whole row beside each column.
module bitmap_im2col_properties #(
  parameter int unsigned RowBits     = 4,
  parameter int unsigned AddressBits = 2
) (
  input logic                     clk_i,
  input logic                     row_valid_i,
  input logic [RowBits-1:0]       row_bitmap_i,
  input logic [$clog2(RowBits):0] row_length_i,
  input logic [$clog2(RowBits):0] row_filter_i,
  input logic                     row_stride2_i,
  input logic [AddressBits-1:0]   row_base_i,
  input logic                     column_ready_i
);

  localparam int unsigned LengthBits = $clog2(RowBits) + 1;
  localparam int unsigned ShownBits  = 2 * RowBits + AddressBits + 2 * LengthBits + 3;

  logic                   started_q = 1'b0;
  logic                   row_ready, valid, first, last, error;
  logic [RowBits-1:0]     bitmap, window;
  logic [AddressBits-1:0] address;
  logic [LengthBits-1:0]  length, count;

  bitmap_im2col #(
    .RowBits    (RowBits),
    .AddressBits(AddressBits)
  ) u_im2col (
    .clk_i,
    .rst_ni          (started_q),
    .row_valid_i,
    .row_ready_o     (row_ready),
    .row_bitmap_i,
    .row_length_i,
    .row_filter_i,
    .row_stride2_i,
    .row_base_i,
    .column_valid_o  (valid),
    .column_ready_i,
    .column_bitmap_o (bitmap),
    .column_window_o (window),
    .column_address_o(address),
    .column_length_o (length),
    .column_count_o  (count),
    .column_first_o  (first),
    .column_last_o   (last),
    .column_error_o  (error)
  );

  // 1. The row that is being lowered, and those of the two columns behind it, each with the number
  //    of its column.
  typedef struct packed {
    logic [RowBits-1:0]     bitmap;
    logic [LengthBits-1:0]  length;
    logic [LengthBits-1:0]  filter;
    logic                   stride2;
    logic [AddressBits-1:0] base;
    logic                   fits;
    logic [LengthBits-1:0]  column;
  } row_t;

  row_t taken, row_q, masked_q, shown_q;
  logic row_valid_q = 1'b0, masked_valid_q = 1'b0, shown_valid_q = 1'b0;
  logic column_moves, masked_moves, row_ends, may_take, takes;

  assign taken.bitmap  = row_bitmap_i;
  assign taken.length  = row_length_i;
  assign taken.filter  = row_filter_i;
  assign taken.stride2 = row_stride2_i;
  assign taken.base    = row_base_i;
  assign taken.fits    = row_filter_i >= 1 && row_filter_i <= row_length_i && 32'(row_length_i) <= RowBits;
  assign taken.column  = '0;

  assign column_moves = !shown_valid_q || column_ready_i;
  assign masked_moves = !masked_valid_q || column_moves;
  assign row_ends     = !row_q.fits || row_q.column == row_q.filter - 1'b1;
  assign may_take     = !row_valid_q || (row_ends && masked_moves);
  assign takes        = row_valid_i && may_take;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      if (column_moves) begin
        shown_valid_q <= masked_valid_q;
        shown_q       <= masked_q;
      end
      if (masked_moves) begin
        masked_valid_q <= row_valid_q;
        masked_q       <= row_q;
        row_q.column   <= row_q.column + 1'b1;
        if (row_ends) row_valid_q <= 1'b0;
      end
      if (takes) begin
        row_valid_q <= 1'b1;
        row_q       <= taken;
      end
    end
  end

  // 2. The column that has to be shown: element column + n S of its row for each output n.
  logic [RowBits-1:0]     before, behind, must_bitmap, must_window;
  logic [AddressBits-1:0] must_address;
  logic [LengthBits-1:0]  must_length, must_count, outputs, span;
  logic                   must_last;

  assign outputs   = shown_q.stride2 ? (shown_q.length - shown_q.filter + LengthBits'(2)) >> 1
                                     : shown_q.length - shown_q.filter + 1'b1;
  assign span      = shown_q.stride2 ? 2 * outputs - 1'b1 : outputs;
  assign behind    = shown_q.bitmap >> shown_q.column;
  assign before    = shown_q.bitmap ^ (behind << shown_q.column);
  assign must_last = !shown_q.fits || shown_q.column == shown_q.filter - 1'b1;

  always_comb begin
    must_bitmap  = '0;
    must_window  = '0;
    must_address = shown_q.fits ? shown_q.base : '0;
    must_length  = '0;
    must_count   = '0;
    for (int unsigned n = 0; n < RowBits; n++) begin
      if (shown_q.fits) begin
        must_window[n] = LengthBits'(n) < span && behind[n];
        must_bitmap[n] = LengthBits'(n) < outputs && behind[(shown_q.stride2 ? 2 * n : n) % RowBits];
        if (before[n]) must_address = must_address + 1'b1;
      end
      if (must_bitmap[n]) must_count = must_count + 1'b1;
      if (must_window[n]) must_length = must_length + 1'b1;
    end
  end

  logic                 waits_q = 1'b0, behind_q = 1'b0;
  logic [ShownBits-1:0] shown, last_shown_q;
  assign shown = {bitmap, window, address, length, count, first, last, error};

  always_ff @(posedge clk_i) begin
    waits_q      <= started_q && valid && !column_ready_i;
    last_shown_q <= shown;
    behind_q     <= started_q && valid && column_ready_i && last;
  end

  always_comb begin
    if (started_q) begin
      row_taken_in_time: assert (row_ready == may_take);
      column_in_time: assert (valid == shown_valid_q);
      if (waits_q) begin
        stays: assert (valid && shown == last_shown_q);
      end
      if (valid) begin
        has_its_elements: assert (bitmap == must_bitmap);
        has_its_window: assert (window == must_window);
        begins_at_its_value: assert (address == must_address);
        counts_the_window: assert (length == must_length);
        counts_the_column: assert (count == must_count);
        first_is_marked: assert (first == (shown_q.column == '0));
        last_is_marked: assert (last == must_last);
        refuses_what_does_not_fit: assert (error == !shown_q.fits);
      end
      all_elements: cover (valid && 32'(count) == RowBits);
      last_of_the_widest_filter: cover (valid && last && 32'(shown_q.column) == RowBits - 1);
      every_second_element: cover (valid && shown_q.stride2 && count == 2 && length == 3);
      values_between: cover (valid && shown_q.stride2 && count == '0 && length == 1);
      address_wraps: cover (valid && !first && address == '0 && shown_q.base != '0);
      refused: cover (valid && error && shown_q.length != '0 && shown_q.filter != '0);
      another_row_in_the_next_cycle: cover (behind_q && valid && first);
      row_waits: cover (row_valid_i && !row_ready && column_ready_i);
      all_stages_wait: cover (waits_q && row_valid_i && !row_ready && row_valid_q && masked_valid_q);
    end
  end

endmodule
