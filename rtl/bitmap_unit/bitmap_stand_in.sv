// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Replacement of counts and lanes in proofs about the sequence of OHMMAs: modules that output their
// inputs and are tractable for a solver. The number of a bitmap's non-zeros is its low six bits.
module bitmap_count #(
  parameter int unsigned Depth = bitmap_unit_pkg::TileDepth
) (
  input  logic [Depth*32-1:0] bitmap_i,
  output logic [Depth*6-1:0]  count_o,
  output logic [Depth*9-1:0]  offset_o
);

  for (genvar k = 0; k < Depth; k++) begin : gen_sets
    assign count_o[6*k +: 6]  = bitmap_i[32*k +: 6];
    assign offset_o[9*k +: 9] = bitmap_i[32*k + 6 +: 9];
  end

endmodule

// Lane 0 shows the bitmap, lane 1 the group, the others nothing.
module bitmap_condense #(
  parameter int unsigned Bits      = bitmap_unit_pkg::TileSize,
  parameter int unsigned Lanes     = 8,
  parameter int unsigned GroupBits = 2
) (
  input  logic [Bits-1:0]      bitmap_i,
  input  logic [GroupBits-1:0] group_i,
  output logic [Lanes-1:0]     valid_o,
  output logic [Lanes*5-1:0]   index_o
);

  always_comb begin
    valid_o                  = '0;
    index_o                  = '0;
    valid_o[GroupBits-1:0]   = group_i;
    index_o[31:0]            = bitmap_i;
    index_o[32 +: GroupBits] = group_i;
  end

endmodule
