// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// One row lane of the router: its 16 products to the 32 tile columns, then the XOR butterfly.
// Element b of the output is the product for column b ^ (4 * row_high_i). Combinational.
module accumulation_router (
  input  logic [4*32-1:0]  lane_i /*verilator public_flat_rd*/,  // of accumulation_expander
  input  logic [2:0]       row_high_i /*verilator public_flat_rd*/,
  input  logic [16*32-1:0] product_i /*verilator public_flat_rd*/,
  output logic [32*32-1:0] product_o
);

  // One copy of the code for all rows.
  /* verilator no_inline_module */
  /* verilator tracing_off */

  logic [32*32-1:0] expanded;

  for (genvar c = 0; c < accumulation_buffer_pkg::TileSize; c++) begin : gen_columns
    logic [3:0] lane;
    assign lane = {lane_i[96 + c], lane_i[64 + c], lane_i[32 + c], lane_i[c]};
    assign expanded[32*c +: 32] = product_i[32*32'(lane) +: 32];
  end

  accumulation_swizzle #(
    .Width(32)
  ) u_swizzle (
    .row_high_i(row_high_i),
    .data_i    (expanded),
    .data_o    (product_o)
  );

endmodule
