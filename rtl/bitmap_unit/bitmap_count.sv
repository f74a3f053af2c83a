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

  always_comb begin
    logic [5:0] count;
    logic [8:0] sum;
    count_o  = '0;
    offset_o = '0;
    sum      = '0;
    for (int unsigned k = 0; k < Depth; k++) begin
      count = '0;
      for (int unsigned n = 0; n < bitmap_unit_pkg::TileSize; n++) begin
        count = count + {5'b0, bitmap_i[32*k + n]};
      end
      count_o[6*k +: 6]  = count;
      offset_o[9*k +: 9] = sum;
      sum                = sum + {3'b0, count};
    end
  end

endmodule
