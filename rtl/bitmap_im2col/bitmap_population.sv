// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Number of ones of a bitmap, by a tree of adders. Combinational.
module bitmap_population #(
  parameter int unsigned Bits = 32  // power of two
) (
  input  logic [Bits-1:0]       bitmap_i,
  output logic [$clog2(Bits):0] count_o
);

  if (Bits < 2 || Bits > 64 || (Bits & (Bits - 1)) != 0) begin : gen_check_bits
    $error("bitmap_population: Bits must be a power of two from 2 to 64");
  end

  localparam int unsigned Levels = Bits < 4 ? 1 : $clog2(Bits);

  // Level n has the counts of groups of 2^(n+1) bits, in n + 2 bits each.
  for (genvar n = 0; n < Levels; n++) begin : gen_level
    localparam int unsigned Groups = Bits >> (n + 1);
    localparam int unsigned Width  = n + 2;
    logic [Groups*Width-1:0] counts;
    for (genvar g = 0; g < Groups; g++) begin : gen_group
      if (n == 0) begin : gen_first
        assign counts[Width*g +: Width] = {1'b0, bitmap_i[2*g]} + {1'b0, bitmap_i[2*g+1]};
      end else begin : gen_next
        assign counts[Width*g +: Width] = {1'b0, gen_level[n-1].counts[2*g*(Width-1) +: Width-1]} +
                                          {1'b0, gen_level[n-1].counts[(2*g+1)*(Width-1) +: Width-1]};
      end
    end
  end

  assign count_o = gen_level[Levels-1].counts;

endmodule
