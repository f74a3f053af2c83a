// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Handshakes of the ID generator: the whole pipeline stands while its end waits; a packet waits until
// it is empty and keeps addresses out meanwhile.
module id_control #(
  parameter int unsigned Latency = id_generator_pkg::IdLatency
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic busy_i,  // a packet is being checked
  input  logic program_valid_i,
  output logic program_ready_o,

  input  logic in_valid_i,
  output logic in_ready_o,
  output logic out_valid_o,
  input  logic out_ready_i,
  output logic advance_o  // the registers of the pipeline take their next values
);

  if (Latency < 2) begin : gen_check_latency
    $error("id_control: Latency must be at least 2");
  end

  logic [Latency-1:0] valid_d, valid_q;

  assign advance_o       = out_ready_i || !out_valid_o;
  assign program_ready_o = !busy_i && valid_q == '0;
  assign in_ready_o      = advance_o && !busy_i && !program_valid_i;
  assign out_valid_o     = valid_q[Latency-1];
  assign valid_d = advance_o ? {valid_q[Latency-2:0], in_valid_i && in_ready_o} : valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      valid_q <= valid_d;
    end
  end

endmodule
