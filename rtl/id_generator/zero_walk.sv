// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// One stage of the zero rule: looks at the next Pixels pixels of a chunk. A pixel may be other than
// zero if it is neither padding nor an inserted zero, or lies behind the image.
module zero_walk #(
  parameter int unsigned Pixels = id_generator_pkg::WalkPixels
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       enable_i,

  input  logic [15:0]                last_column_i,
  input  logic [15:0]                padded_height_i,
  input  logic [15:0]                row_end_i,      // first row and column of the padding behind
  input  logic [15:0]                column_end_i,
  input  logic [7:0]                 pad_i,
  input  logic [3:0]                 up_factor_i,
  input  logic [4:0]                 pixel_halves_i,  // channels, 16 if more

  input  id_generator_pkg::walk_t    walk_i,
  output id_generator_pkg::walk_t    walk_o
);

  if (Pixels < 1) begin : gen_check_pixels
    $error("zero_walk: Pixels must be at least 1");
  end

  id_generator_pkg::walk_t walk_d, walk_q;

  logic        real_row, real_column, wraps;
  logic [3:0]  next_row_phase, next_column_phase;
  logic [16:0] next_iy;
  logic [15:0] next_ix;
  int unsigned i;

  // Where a count is one before its end: compared with the count itself, beside its increment.
  logic [15:0] before_column;
  logic [16:0] before_row;
  logic [3:0]  last_phase;
  assign before_column = {8'b0, pad_i} - 16'd1;
  assign before_row    = {9'b0, pad_i} - 17'd1;
  assign last_phase    = up_factor_i - 4'd1;

  always_comb begin
    walk_d            = walk_i;
    real_row          = 1'b0;
    real_column       = 1'b0;
    wraps             = 1'b0;
    next_row_phase    = '0;
    next_column_phase = '0;
    next_iy           = '0;
    next_ix           = '0;
    for (i = 0; i < Pixels; i = i + 1) begin
      real_row    = walk_d.iy >= {9'b0, pad_i} && walk_d.iy < {1'b0, row_end_i} &&
                    walk_d.row_phase == '0;
      real_column = walk_d.ix >= {8'b0, pad_i} && walk_d.ix < column_end_i &&
                    walk_d.column_phase == '0;
      if (walk_d.active &&
          ((real_row && real_column) || walk_d.iy >= {1'b0, padded_height_i})) begin
        walk_d.nonzero = 1'b1;
      end
      // The pixel behind the last of a row is the first of the next row.
      wraps             = walk_d.ix == last_column_i;
      next_ix           = wraps ? 16'd0 : walk_d.ix + 16'd1;
      next_iy           = wraps ? walk_d.iy + 17'd1 : walk_d.iy;
      next_column_phase = (walk_d.column_phase == last_phase ||
                           (wraps ? pad_i == '0 : walk_d.ix == before_column))
                          ? 4'd0 : walk_d.column_phase + 4'd1;
      next_row_phase    = (walk_d.row_phase == last_phase || walk_d.iy == before_row)
                          ? 4'd0 : walk_d.row_phase + 4'd1;
      walk_d.ix           = next_ix;
      walk_d.iy           = next_iy;
      walk_d.column_phase = next_column_phase;
      walk_d.row_phase    = wraps ? next_row_phase : walk_d.row_phase;
      walk_d.active       = walk_d.active && walk_d.left != '0;
      walk_d.left         = (walk_d.left > pixel_halves_i) ? walk_d.left - pixel_halves_i : 5'd0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walk_q <= '0;
    end else if (enable_i) begin
      walk_q <= walk_d;
    end
  end

  assign walk_o = walk_q;

endmodule
