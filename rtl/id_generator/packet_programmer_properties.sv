// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of packet_programmer's time: a packet is checked in ProgramCycles cycles, whatever
// it says.
module packet_programmer_properties (
  input logic                                    clk_i,
  input logic                                    start_i,
  input logic [id_generator_pkg::PacketBits-1:0] packet_i
);

  localparam logic [8:0] Cycles = 9'(id_generator_pkg::ProgramCycles);

  logic                            started_q = 1'b0;
  logic                            busy;
  id_generator_pkg::packet_error_e error;
  id_generator_pkg::config_t       cfg;

  packet_programmer u_programmer (
    .clk_i,
    .rst_ni  (started_q),
    .start_i (start_i && !busy),
    .packet_i,
    .busy_o  (busy),
    .error_o (error),
    .config_o(cfg)
  );

  logic [8:0] left_q = '0;  // cycles until the unit is ready again

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q && start_i && !busy) begin
      left_q <= Cycles;
    end else if (left_q != '0) begin
      left_q <= left_q - 9'd1;
    end
  end

  always_comb begin
    if (started_q) begin
      checked_in_time: assert (busy == (left_q != '0));
      begins: cover (left_q == Cycles);
    end
  end

endmodule
