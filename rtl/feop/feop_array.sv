// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Pair of 8x8x1 outer-product tensor cores: one OHMMA.8161 or BOHMMA.32321 a cycle. The FP32 adders
// stand at the banks of the accumulation buffer, so the FEOPs here have none.
//
// Two elastic stages, operand and result register. An operation with predicate_i = 0 is accepted
// and leaves a bubble.
module feop_array #(
  parameter int unsigned MetaWidth = 96,
  localparam int unsigned Rows = feop_array_pkg::Rows,
  localparam int unsigned Columns = feop_array_pkg::Columns,
  localparam int unsigned BitRows = feop_array_pkg::BitRows,
  localparam int unsigned BitColumns = feop_array_pkg::BitColumns
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          valid_i,
  output logic                          ready_o,
  input  feop_array_pkg::op_e           op_i,
  input  logic                          predicate_i,
  input  logic [Rows*16-1:0]            a_i,  // BOHMMA: row bitmap in bits 31:0
  input  logic [Columns*16-1:0]         b_i,  // BOHMMA: column bitmap in bits 31:0
  input  logic [MetaWidth-1:0]          meta_i,

  output logic                          valid_o,
  input  logic                          ready_i,
  output feop_array_pkg::op_e           op_o,
  output logic [Rows*Columns*32-1:0]    product_o,  // OHMMA: row-major
  output logic [BitRows*BitColumns-1:0] bits_o,     // BOHMMA: row-major
  output logic [MetaWidth-1:0]          meta_o
);

  if (MetaWidth < 1) begin : gen_check_meta_width
    $error("feop_array: MetaWidth must be at least 1");
  end

  if (Columns % feop_pkg::Lanes != 0 || Rows * 16 < BitRows || Columns * 16 < BitColumns ||
      feop_array_pkg::Latency != 2) begin : gen_check_sizes
    $error("feop_array: sizes of the package do not fit: Lanes divides Columns, bitmaps fit a_i and b_i, Latency is 2");
  end

  localparam int unsigned FeopColumns = Columns / feop_pkg::Lanes;

  logic operands_load, products_load, bits_load;

  feop_array_control #(
    .MetaWidth(MetaWidth)
  ) u_control (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .valid_i        (valid_i),
    .ready_o        (ready_o),
    .op_i           (op_i),
    .predicate_i    (predicate_i),
    .meta_i         (meta_i),
    .valid_o        (valid_o),
    .ready_i        (ready_i),
    .op_o           (op_o),
    .meta_o         (meta_o),
    .operands_load_o(operands_load),
    .products_load_o(products_load),
    .bits_load_o    (bits_load)
  );

  logic [Rows*16-1:0]            a_d, a_q;
  logic [Columns*16-1:0]         b_d, b_q;
  logic [BitRows*BitColumns-1:0] bits_d, bits_q;

  assign a_d    = operands_load ? a_i : a_q;
  assign b_d    = operands_load ? b_i : b_q;
  assign bits_o = bits_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_q    <= '0;
      b_q    <= '0;
      bits_q <= '0;
    end else begin
      a_q    <= a_d;
      b_q    <= b_d;
      bits_q <= bits_d;
    end
  end

  // OHMMA: the FEOPs hold the result register.
  for (genvar row = 0; row < Rows; row++) begin : gen_row
    for (genvar group = 0; group < FeopColumns; group++) begin : gen_feop
      localparam int unsigned First = group * feop_pkg::Lanes;
      feop #(
        .Accumulate(1'b0)
      ) u_feop (
        .clk_i (clk_i),
        .rst_ni(rst_ni),
        .en_i  (products_load),
        .a_i   (a_q[row*16+:16]),
        .b_i   (b_q[First*16+:feop_pkg::Lanes*16]),
        .c_i   ('0),
        .d_o   (product_o[(row*Columns+First)*32+:feop_pkg::Lanes*32])
      );
    end
  end

  // BOHMMA: bit products are ANDs.
  for (genvar row = 0; row < BitRows; row++) begin : gen_bits
    assign bits_d[row*BitColumns+:BitColumns] =
        bits_load ? (b_q[BitColumns-1:0] & {BitColumns{a_q[row]}})
                  : bits_q[row*BitColumns+:BitColumns];
  end

endmodule
