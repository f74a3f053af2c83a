// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of bitmap_count: counts equal those of a tree of adders (Counts), offsets are running
// sums of the counts.
module bitmap_count_properties #(
  parameter int unsigned Depth  = bitmap_unit_pkg::TileDepth,
  parameter bit          Counts = 1'b1
) (
  input logic [Depth*32-1:0] bitmap_i
);

  logic [Depth*6-1:0] count;
  logic [Depth*9-1:0] offset;

  bitmap_count #(
    .Depth(Depth)
  ) u_count (
    .bitmap_i(bitmap_i),
    .count_o (count),
    .offset_o(offset)
  );

  logic [Depth-1:0] counts_differ, sums_differ;

  for (genvar k = 0; k < Depth; k++) begin : gen_sets
    logic [31:0] set, pairs, fours, eights, halves, ones;
    assign set    = bitmap_i[32*k +: 32];
    assign pairs  = (set & 32'h5555_5555) + ((set >> 1) & 32'h5555_5555);
    assign fours  = (pairs & 32'h3333_3333) + ((pairs >> 2) & 32'h3333_3333);
    assign eights = (fours & 32'h0f0f_0f0f) + ((fours >> 4) & 32'h0f0f_0f0f);
    assign halves = (eights & 32'h00ff_00ff) + ((eights >> 8) & 32'h00ff_00ff);
    assign ones   = (halves & 32'h0000_ffff) + (halves >> 16);

    assign counts_differ[k] = {26'b0, count[6*k +: 6]} != ones;
    if (k == 0) begin : gen_first
      assign sums_differ[k] = offset[8:0] != '0;
    end else begin : gen_others
      assign sums_differ[k] = offset[9*k +: 9] != offset[9*(k-1) +: 9] + {3'b0, count[6*(k-1) +: 6]};
    end
  end

  always_comb begin
    adds_up_what_is_before: assert (sums_differ == '0);
    // All bits of all sets are set, so that the counts and sums are the largest.
    full: cover (count == {Depth{6'd32}});
  end

  if (Counts) begin : gen_counts
    always_comb begin
      counts_the_ones: assert (counts_differ == '0);
    end
  end

endmodule
