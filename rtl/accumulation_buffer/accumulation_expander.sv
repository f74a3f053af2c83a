// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Column expander: where the 16 condensed columns of an OHMMA are among the tile's 32.
// The valid ones are distinct. Combinational.
module accumulation_expander (
  input  logic [15:0]     column_valid_i,
  input  logic [16*5-1:0] column_i,
  output logic [31:0]     hit_o,  // per tile column: some lane is for it
  output logic [4*32-1:0] lane_o  // per tile column: that lane, bit n of all numbers at 32 n
);

  always_comb begin
    hit_o  = '0;
    lane_o = '0;
    for (int unsigned j = 0; j < accumulation_buffer_pkg::Columns; j++) begin
      logic [31:0] decoded;
      decoded = {31'b0, column_valid_i[j]} << column_i[5*j +: 5];
      hit_o   = hit_o | decoded;
      for (int unsigned n = 0; n < 4; n++) begin
        if (j[n]) begin
          lane_o[32*n +: 32] = lane_o[32*n +: 32] | decoded;
        end
      end
    end
  end

endmodule
