// SPDX-License-Identifier: Apache-2.0
// Pair of 8x8x1 outer-product tensor cores: one OHMMA.8161 or BOHMMA.32321 a cycle. The FP32 adders
// stand at the banks of the accumulation buffer, so the FEOPs here have none.
//
// Two elastic stages, operand and result register. An operation with predicate_i = 0 is accepted
// and leaves a bubble.
module feop_array #(
  parameter int unsigned META_WIDTH = 96,
  localparam int unsigned Rows = feop_array_pkg::Rows,
  localparam int unsigned Columns = feop_array_pkg::Columns,
  localparam int unsigned BitRows = feop_array_pkg::BitRows,
  localparam int unsigned BitColumns = feop_array_pkg::BitColumns
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          valid_i,
  output logic                          ready_o,
  input  feop_array_pkg::op_e                 op_i,
  input  logic                          predicate_i,
  input  logic [Rows*16-1:0]            a_i,  // BOHMMA: row bitmap in bits 31:0
  input  logic [Columns*16-1:0]         b_i,  // BOHMMA: column bitmap in bits 31:0
  input  logic [META_WIDTH-1:0]         meta_i,

  output logic                          valid_o,
  input  logic                          ready_i,
  output feop_array_pkg::op_e                 op_o,
  output logic [Rows*Columns*32-1:0]    product_o,  // OHMMA: row-major
  output logic [BitRows*BitColumns-1:0] bits_o,     // BOHMMA: row-major
  output logic [META_WIDTH-1:0]         meta_o
);

  localparam int unsigned FeopColumns = Columns / feop_pkg::Lanes;

  localparam int unsigned Operands = 0;
  localparam int unsigned Results = feop_array_pkg::Latency - 1;

  // Handshakes: a stage moves when it is empty or the one behind it moves.
  logic [feop_array_pkg::Latency-1:0] valid_d, valid_q;
  logic operand_en, result_en, operand_load, result_load;

  assign result_en       = !valid_q[Results] || ready_i;
  assign operand_en      = !valid_q[Operands] || result_en;
  assign operand_load    = operand_en && valid_i && predicate_i;
  assign result_load     = result_en && valid_q[Operands];
  assign valid_d[Operands] = operand_en ? (valid_i && predicate_i) : valid_q[Operands];
  assign valid_d[Results]  = result_en ? valid_q[Operands] : valid_q[Results];
  assign ready_o         = operand_en;
  assign valid_o         = valid_q[Results];

  feop_array_pkg::op_e        operand_op_d, operand_op_q, result_op_d, result_op_q;
  logic [Rows*16-1:0]         a_d, a_q;
  logic [Columns*16-1:0]      b_d, b_q;
  logic [META_WIDTH-1:0]      operand_meta_d, operand_meta_q, result_meta_d, result_meta_q;

  assign operand_op_d   = operand_load ? op_i : operand_op_q;
  assign a_d            = operand_load ? a_i : a_q;
  assign b_d            = operand_load ? b_i : b_q;
  assign operand_meta_d = operand_load ? meta_i : operand_meta_q;
  assign result_op_d    = result_load ? operand_op_q : result_op_q;
  assign result_meta_d  = result_load ? operand_meta_q : result_meta_q;
  assign op_o           = result_op_q;
  assign meta_o         = result_meta_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q         <= '0;
      operand_op_q    <= feop_array_pkg::OpOhmma;
      a_q             <= '0;
      b_q             <= '0;
      operand_meta_q  <= '0;
      result_op_q     <= feop_array_pkg::OpOhmma;
      result_meta_q   <= '0;
    end else begin
      valid_q         <= valid_d;
      operand_op_q    <= operand_op_d;
      a_q             <= a_d;
      b_q             <= b_d;
      operand_meta_q  <= operand_meta_d;
      result_op_q     <= result_op_d;
      result_meta_q   <= result_meta_d;
    end
  end

  // OHMMA: the FEOPs hold the product register. Registers of the other operation keep still.
  logic ohmma_en, bohmma_en;
  assign ohmma_en  = result_load && (operand_op_q == feop_array_pkg::OpOhmma);
  assign bohmma_en = result_load && (operand_op_q == feop_array_pkg::OpBohmma);

  for (genvar row = 0; row < Rows; row++) begin : gen_row
    for (genvar group = 0; group < FeopColumns; group++) begin : gen_feop
      localparam int unsigned First = group * feop_pkg::Lanes;
      feop #(
        .ACCUMULATE(1'b0)
      ) u_feop (
        .clk_i (clk_i),
        .rst_ni(rst_ni),
        .en_i  (ohmma_en),
        .a_i   (a_q[row*16+:16]),
        .b_i   (b_q[First*16+:feop_pkg::Lanes*16]),
        .c_i   ('0),
        .d_o   (product_o[(row*Columns+First)*32+:feop_pkg::Lanes*32])
      );
    end
  end

  // BOHMMA: bit products are ANDs.
  logic [BitRows*BitColumns-1:0] bits_d, bits_q;
  for (genvar row = 0; row < BitRows; row++) begin : gen_bits
    assign bits_d[row*BitColumns+:BitColumns] =
        bohmma_en ? (b_q[BitColumns-1:0] & {BitColumns{a_q[row]}})
                  : bits_q[row*BitColumns+:BitColumns];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bits_q <= '0;
    end else begin
      bits_q <= bits_d;
    end
  end

  assign bits_o = bits_q;

endmodule
