// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of bitmap_population: the count is that of a chain of adders.
module bitmap_population_properties #(
  parameter int unsigned Bits = 32
) (
  input logic [Bits-1:0] bitmap_i
);

  logic [$clog2(Bits):0] count, ones;

  bitmap_population #(
    .Bits(Bits)
  ) u_population (
    .bitmap_i(bitmap_i),
    .count_o (count)
  );

  always_comb begin
    ones = '0;
    for (int unsigned n = 0; n < Bits; n++) begin
      if (bitmap_i[n]) ones = ones + 1'b1;
    end
    counts_the_ones: assert (count == ones);
    full: cover (32'(count) == Bits);
  end

endmodule
