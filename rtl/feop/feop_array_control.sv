// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Handshakes of the pair of outer-product tensor cores, and what travels with an operation: two
// elastic stages, operands and results. Tells the registers of the data path when to load.
module feop_array_control #(
  parameter int unsigned MetaWidth = 96
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 valid_i,
  output logic                 ready_o,
  input  feop_array_pkg::op_e  op_i,
  input  logic                 predicate_i,
  input  logic [MetaWidth-1:0] meta_i,

  output logic                 valid_o,
  input  logic                 ready_i,
  output feop_array_pkg::op_e  op_o,
  output logic [MetaWidth-1:0] meta_o,

  output logic                 operands_load_o,
  output logic                 products_load_o,
  output logic                 bits_load_o
);

  if (MetaWidth < 1) begin : gen_check_meta_width
    $error("feop_array_control: MetaWidth must be at least 1");
  end

  localparam int unsigned Operands = 0;
  localparam int unsigned Results = feop_array_pkg::Latency - 1;

  // A stage moves when it is empty or the one behind it moves.
  logic [feop_array_pkg::Latency-1:0] valid_d, valid_q;
  logic operands_en, results_en, results_load;

  assign results_en        = !valid_q[Results] || ready_i;
  assign operands_en       = !valid_q[Operands] || results_en;
  assign results_load      = results_en && valid_q[Operands];
  assign valid_d[Operands] = operands_en ? (valid_i && predicate_i) : valid_q[Operands];
  assign valid_d[Results]  = results_en ? valid_q[Operands] : valid_q[Results];
  assign ready_o           = operands_en;
  assign valid_o           = valid_q[Results];

  feop_array_pkg::op_e operands_op_d, operands_op_q, results_op_d, results_op_q;
  logic [MetaWidth-1:0] operands_meta_d, operands_meta_q, results_meta_d, results_meta_q;

  assign operands_op_d   = operands_load_o ? op_i : operands_op_q;
  assign operands_meta_d = operands_load_o ? meta_i : operands_meta_q;
  assign results_op_d    = results_load ? operands_op_q : results_op_q;
  assign results_meta_d  = results_load ? operands_meta_q : results_meta_q;
  assign op_o            = results_op_q;
  assign meta_o          = results_meta_q;

  // The result register of the other operation keeps still.
  assign operands_load_o = operands_en && valid_i && predicate_i;
  assign products_load_o = results_load && (operands_op_q == feop_array_pkg::OpOhmma);
  assign bits_load_o     = results_load && (operands_op_q == feop_array_pkg::OpBohmma);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q         <= '0;
      operands_op_q   <= feop_array_pkg::OpOhmma;
      operands_meta_q <= '0;
      results_op_q    <= feop_array_pkg::OpOhmma;
      results_meta_q  <= '0;
    end else begin
      valid_q         <= valid_d;
      operands_op_q   <= operands_op_d;
      operands_meta_q <= operands_meta_d;
      results_op_q    <= results_op_d;
      results_meta_q  <= results_meta_d;
    end
  end

endmodule
