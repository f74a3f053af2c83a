// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of bitmap_condense: every set bit is in the lane of its rank, checked for any one bit,
// and every lane holds a set bit, checked for any one lane.
module bitmap_condense_properties #(
  parameter int unsigned Bits      = 32,
  parameter int unsigned Lanes     = 8,
  parameter int unsigned GroupBits = 2
) (
  input logic [Bits-1:0]          bitmap_i,
  input logic [GroupBits-1:0]     group_i,
  input logic [4:0]               bit_i,
  input logic [$clog2(Lanes)-1:0] lane_i
);

  localparam int unsigned LaneBits = $clog2(Lanes);

  logic [Lanes-1:0]   valid;
  logic [Lanes*5-1:0] index;

  bitmap_condense #(
    .Bits     (Bits),
    .Lanes    (Lanes),
    .GroupBits(GroupBits)
  ) u_condense (
    .bitmap_i(bitmap_i),
    .group_i (group_i),
    .valid_o (valid),
    .index_o (index)
  );

  // Set bits below every bit.
  logic [Bits*6-1:0] rank;
  always_comb begin
    rank = '0;
    for (int unsigned n = 1; n < Bits; n++) begin
      rank[6*n +: 6] = rank[6*(n-1) +: 6] + {5'b0, bitmap_i[n-1]};
    end
  end

  logic [5:0]          bit_rank, lane_rank;
  logic [LaneBits-1:0] lane_of_bit;
  logic [4:0]          bit_of_lane;
  assign bit_rank    = rank[6*bit_i +: 6];
  assign lane_of_bit = bit_rank[LaneBits-1:0];
  assign bit_of_lane = index[5*lane_i +: 5];
  assign lane_rank   = rank[6*bit_of_lane +: 6];

  always_comb begin
    assume (32'(bit_i) < Bits);
    if (bitmap_i[bit_i] && bit_rank[4:LaneBits] == group_i) begin
      is_in_its_lane: assert (valid[lane_of_bit] && index[5*lane_of_bit +: 5] == bit_i);
    end
    if (valid[lane_i]) begin
      is_a_set_bit: assert (bitmap_i[bit_of_lane]);
      is_of_this_rank: assert (lane_rank == {1'b0, group_i, lane_i});
    end else begin
      shows_nothing: assert (bit_of_lane == '0);
    end
    last_lane: cover (valid == '1 && group_i != '0);
  end

endmodule
