// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// One group of Lanes set bits of a bitmap: bits number group_i * Lanes and following, the lowest
// position first. Lanes without a bit show position 0. Combinational. Bits is less than 32 in proofs
// only.
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

  if (Bits < 1 || Bits > 32) begin : gen_check_bits
    $error("bitmap_condense: Bits must be 1 to 32");
  end

  if (Lanes < 2 || Lanes > 16 || (Lanes & (Lanes - 1)) != 0) begin : gen_check_lanes
    $error("bitmap_condense: Lanes must be 2, 4, 8 or 16");
  end

  if (GroupBits != 5 - $clog2(Lanes)) begin : gen_check_group_bits
    $error("bitmap_condense: GroupBits must be 5 - log2(Lanes)");
  end

  localparam int unsigned LaneBits = $clog2(Lanes);

  // Set bits up to each, by parallel prefix sums: at each level the upper half of a group adds the sum
  // of its lower half.
  logic [32*6-1:0] sums;
  always_comb begin
    sums = '0;
    for (int unsigned n = 0; n < Bits; n++) begin
      sums[6*n +: 6] = {5'b0, bitmap_i[n]};
    end
    for (int unsigned half = 1; half < 32; half = half * 2) begin
      for (int unsigned n = 0; n < 32; n++) begin
        if ((n & half) != 0) begin
          sums[6*n +: 6] = sums[6*n +: 6] + sums[6*((n & ~(2 * half - 1)) + half - 1) +: 6];
        end
      end
    end
  end

  // A lane takes the bit that has as many set bits below it as the lane's number says.
  always_comb begin
    logic [4:0] rank;
    valid_o = '0;
    index_o = '0;
    rank    = '0;
    for (int unsigned n = 0; n < Bits; n++) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (bitmap_i[n] && rank == {group_i, lane[LaneBits-1:0]}) begin
          valid_o[lane]         = 1'b1;
          index_o[5*lane +: 5] |= n[4:0];
        end
      end
      rank = sums[6*n +: 5];
    end
  end

endmodule
