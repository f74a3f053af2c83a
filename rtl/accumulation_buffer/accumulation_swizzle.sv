// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// XOR butterfly: element b of the output is element b ^ (4 * row_high_i) of the input, with 32
// elements of Width bits. Combinational.
module accumulation_swizzle #(
  parameter int unsigned Width = 32
) (
  input  logic [2:0]          row_high_i,
  input  logic [32*Width-1:0] data_i,
  output logic [32*Width-1:0] data_o
);

  if (Width < 1) begin : gen_check_width
    $error("accumulation_swizzle: Width must be at least 1");
  end

  logic [32*Width-1:0] by_4, by_8;

  for (genvar b = 0; b < accumulation_buffer_pkg::TileSize; b++) begin : gen_elements
    assign by_4[Width*b +: Width]   = row_high_i[0] ? data_i[Width*(b ^ 4) +: Width]
                                                    : data_i[Width*b +: Width];
    assign by_8[Width*b +: Width]   = row_high_i[1] ? by_4[Width*(b ^ 8) +: Width]
                                                    : by_4[Width*b +: Width];
    assign data_o[Width*b +: Width] = row_high_i[2] ? by_8[Width*(b ^ 16) +: Width]
                                                    : by_8[Width*b +: Width];
  end

endmodule
