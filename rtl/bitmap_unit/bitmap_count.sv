// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Non-zeros of the k sets of one operand, and the sum of those before each. Combinational.
module bitmap_count #(
  parameter int unsigned Depth = bitmap_unit_pkg::TileDepth
) (
  input  logic [Depth*32-1:0] bitmap_i,
  output logic [Depth*6-1:0]  count_o,
  output logic [Depth*9-1:0]  offset_o
);

  if (Depth < 1 || Depth > 16) begin : gen_check_depth
    $error("bitmap_count: Depth must be 1 to 16");
  end

  // Sums of neighbours, in place: after all levels place 0 has the count of its k set.
  always_comb begin
    logic [32*6-1:0] sums;
    count_o = '0;
    for (int unsigned k = 0; k < Depth; k++) begin
      for (int unsigned n = 0; n < bitmap_unit_pkg::TileSize; n++) begin
        sums[6*n +: 6] = {5'b0, bitmap_i[32*k + n]};
      end
      for (int unsigned half = 16; half > 0; half = half / 2) begin
        for (int unsigned n = 0; n < half; n++) begin
          sums[6*n +: 6] = sums[6*(2 * n) +: 6] + sums[6*(2 * n + 1) +: 6];
        end
      end
      count_o[6*k +: 6] = sums[5:0];
    end
  end

  // Parallel prefix sums: at each level the upper half of a group adds the sum of its lower half.
  always_comb begin
    logic [16*9-1:0] sums;
    sums     = '0;
    offset_o = '0;
    for (int unsigned k = 0; k < Depth; k++) begin
      sums[9*k +: 9] = {3'b0, count_o[6*k +: 6]};
    end
    for (int unsigned half = 1; half < 16; half = half * 2) begin
      for (int unsigned k = 0; k < 16; k++) begin
        if ((k & half) != 0) begin
          sums[9*k +: 9] = sums[9*k +: 9] + sums[9*((k & ~(2 * half - 1)) + half - 1) +: 9];
        end
      end
    end
    for (int unsigned k = 1; k < Depth; k++) begin
      offset_o[9*k +: 9] = sums[9*(k - 1) +: 9];
    end
  end

endmodule
