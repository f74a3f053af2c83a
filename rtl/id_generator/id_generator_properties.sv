// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the ID generator's handshakes: waiting outputs are stable, no packet is taken with
// an address in the same cycle or while one is in the pipeline, nothing is taken while a packet is
// checked, no address is lost or duplicated.
module id_generator_properties #(
  parameter int unsigned Latency = id_generator_pkg::IdLatency
) (
  input logic clk_i,
  input logic busy_i,
  input logic program_valid_i,
  input logic in_valid_i,
  input logic tag_i,
  input logic out_ready_i
);

  logic started_q = 1'b0;
  logic program_ready, in_ready, out_valid, advance;
  logic tag;

  id_control #(
    .Latency(Latency)
  ) u_control (
    .clk_i,
    .rst_ni         (started_q),
    .busy_i,
    .program_valid_i,
    .program_ready_o(program_ready),
    .in_valid_i,
    .in_ready_o     (in_ready),
    .out_valid_o    (out_valid),
    .out_ready_i,
    .advance_o      (advance)
  );
  delay_line #(
    .Width(1),
    .Depth(Latency)
  ) u_tag (
    .clk_i,
    .rst_ni  (started_q),
    .enable_i(advance),
    .data_i  (tag_i),
    .data_o  (tag)
  );

  logic waits_q = 1'b0;
  logic tag_q, next_tag_q, expected_tag_q;
  logic [4:0]                           under_way_q = 5'd0;  // taken, not given back

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waits_q   <= started_q && out_valid && !out_ready_i;
    tag_q     <= tag;
    if (!started_q) begin
      next_tag_q     <= 1'b0;
      expected_tag_q <= 1'b0;
    end else begin
      under_way_q <= under_way_q + {4'b0, in_valid_i && in_ready} -
                     {4'b0, out_valid && out_ready_i};
      if (in_valid_i && in_ready) next_tag_q <= !next_tag_q;
      if (out_valid && out_ready_i) expected_tag_q <= !expected_tag_q;
    end
  end

  always_comb begin
    // Tags alternate as addresses are taken, so they must alternate as ids come out.
    if (started_q) begin
      assume (tag_i == next_tag_q);
      assert (!(program_ready && program_valid_i && in_ready));
      assert (!(busy_i && (in_ready || program_ready)));
      assert (!(out_valid && !out_ready_i) || (!in_ready && !advance));
      assert (under_way_q <= 5'(Latency));
      assert (program_ready == (!busy_i && under_way_q == 5'd0));
      assert (!out_valid || tag == expected_tag_q);
      if (waits_q) assert (out_valid && tag == tag_q);
    end
  end

endmodule
