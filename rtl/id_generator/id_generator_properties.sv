// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the ID generator's handshakes: waiting outputs are stable, no packet is taken with
// an address in the same cycle or while one is in the pipeline, nothing is taken while a packet is
// checked, no address is lost or duplicated. Progress: while no packet waits or is checked, an
// address is accepted in the first cycle in which no id waits, and its id is output after Latency
// such cycles; a packet is accepted after at most Latency of them.
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
  logic [4:0]         under_way_q = 5'd0;  // taken, not given back
  logic               flows;               // no id waits
  logic [Latency-1:0] ages_q = '0;         // addresses by the cycles since they were taken
  logic [4:0]         packet_waits_q = 5'd0;  // cycles without a waiting id
  assign flows = !out_valid || out_ready_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    waits_q   <= started_q && out_valid && !out_ready_i;
    tag_q     <= tag;
    if (!started_q) begin
      next_tag_q     <= 1'b0;
      expected_tag_q <= 1'b0;
    end else begin
      if (flows) ages_q <= {ages_q[Latency-2:0], in_valid_i && in_ready};
      if (!program_valid_i || program_ready || busy_i) begin
        packet_waits_q <= 5'd0;
      end else if (flows) begin
        packet_waits_q <= packet_waits_q + 5'd1;
      end
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
      one_at_a_time: assert (!(program_ready && program_valid_i && in_ready));
      if (busy_i) begin
        nothing_beside_a_check: assert (!in_ready && !program_ready);
      end
      if (!flows) begin
        stands_while_an_id_waits: assert (!in_ready && !advance);
      end
      fits: assert (under_way_q <= 5'(Latency));
      packet_when_empty: assert (program_ready == (!busy_i && under_way_q == 5'd0));
      packet_in_time: assert (packet_waits_q <= 5'(Latency));
      if (!busy_i && !program_valid_i && flows) begin
        address_at_once: assert (in_ready);
      end
      id_on_time: assert (out_valid == ages_q[Latency-1]);
      if (out_valid) begin
        in_order: assert (tag == expected_tag_q);
      end
      if (waits_q) begin
        id_stays: assert (out_valid && tag == tag_q);
      end
      full: cover (under_way_q == 5'(Latency) && in_valid_i && in_ready);
      packet_behind_addresses: cover (packet_waits_q == 5'(Latency) && program_ready);
      address_behind_a_packet: cover (program_valid_i && in_valid_i && program_ready);
    end
  end

endmodule
