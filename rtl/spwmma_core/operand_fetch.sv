// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Operand fetch: reads the values of an OHMMA at its offsets. Values lie packed in words of a
// group's length, even and odd words in banks of their own, so that a group that begins anywhere in
// a word is one read.
module operand_fetch #(
  parameter int unsigned MetaWidth = 1,
  localparam int unsigned Rows = feop_array_pkg::Rows,
  localparam int unsigned Columns = feop_array_pkg::Columns
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  valid_i,
  output logic                  ready_o,
  input  logic [Rows-1:0]       row_valid_i,     // lanes that have a value
  input  logic [Columns-1:0]    column_valid_i,
  input  logic [8:0]            a_offset_i,      // of the first lane's value in the tile's
  input  logic [8:0]            b_offset_i,
  input  logic [MetaWidth-1:0]  meta_i,          // travels with the OHMMA

  // The read. Data come a cycle later and stay until the next one.
  output logic                  read_o,
  output logic [4:0]            a_even_word_o,
  output logic [4:0]            a_odd_word_o,
  output logic [3:0]            b_even_word_o,
  output logic [3:0]            b_odd_word_o,
  input  logic [Rows*16-1:0]    a_even_i,
  input  logic [Rows*16-1:0]    a_odd_i,
  input  logic [Columns*16-1:0] b_even_i,
  input  logic [Columns*16-1:0] b_odd_i,

  output logic                  valid_o,
  input  logic                  ready_i,
  output logic [Rows*16-1:0]    a_o,             // 0 in lanes without a value
  output logic [Columns*16-1:0] b_o,
  output logic [MetaWidth-1:0]  meta_o
);

  if (MetaWidth < 1) begin : gen_check_meta_width
    $error("operand_fetch: MetaWidth must be at least 1");
  end

  if (Rows != 8 || Columns != 16) begin : gen_check_sizes
    $error("operand_fetch: Rows and Columns of feop_array_pkg must be 8 and 16");
  end

  // The word in which a group begins, and the one behind it: one is even.
  logic [4:0] a_next;
  logic [3:0] b_next;
  assign read_o        = valid_i & ready_o;
  assign a_odd_word_o  = a_offset_i[8:4];
  assign b_odd_word_o  = b_offset_i[8:5];
  assign a_next        = a_offset_i[8:4] + 5'd1;
  assign b_next        = b_offset_i[8:5] + 4'd1;
  assign a_even_word_o = a_offset_i[3] ? a_next : a_offset_i[8:4];
  assign b_even_word_o = b_offset_i[4] ? b_next : b_offset_i[8:5];

  // The OHMMA whose values are read.
  typedef struct packed {
    logic [Rows-1:0]      row_valid;
    logic [Columns-1:0]   column_valid;
    logic [3:0]           a_place;  // of the first value: odd word or even, and where in it
    logic [4:0]           b_place;
    logic [MetaWidth-1:0] meta;
  } ohmma_t;

  logic   valid_q, valid_d;
  ohmma_t ohmma_q;

  assign ready_o = ~valid_q | ready_i;
  assign valid_d = ready_o ? valid_i : valid_q;
  assign valid_o = valid_q;
  assign meta_o  = ohmma_q.meta;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else begin
      valid_q <= valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_o) begin
      ohmma_q <= {row_valid_i, column_valid_i, a_offset_i[3:0], b_offset_i[4:0], meta_i};
    end
  end

  // The word with the first value lowest, then its lanes to the front.
  logic [2*Rows*16-1:0]    a_words;
  logic [2*Columns*16-1:0] b_words;
  logic [Rows*16-1:0]      a;
  logic [Columns*16-1:0]   b;
  assign a_words = ohmma_q.a_place[3] ? {a_even_i, a_odd_i} : {a_odd_i, a_even_i};
  assign b_words = ohmma_q.b_place[4] ? {b_even_i, b_odd_i} : {b_odd_i, b_even_i};
  assign a       = a_words[16*32'(ohmma_q.a_place[2:0]) +: Rows*16];
  assign b       = b_words[16*32'(ohmma_q.b_place[3:0]) +: Columns*16];

  for (genvar i = 0; i < Rows; i++) begin : gen_rows
    assign a_o[16*i +: 16] = a[16*i +: 16] & {16{ohmma_q.row_valid[i]}};
  end

  for (genvar j = 0; j < Columns; j++) begin : gen_columns
    assign b_o[16*j +: 16] = b[16*j +: 16] & {16{ohmma_q.column_valid[j]}};
  end

endmodule
