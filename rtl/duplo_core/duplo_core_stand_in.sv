// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Replacement of ID generator and load history buffer in proofs about their joining: modules with the
// same pins that are tractable for a solver.
//
// The id shows the address: bit 0 bypasses, bit 1 is zero, the others are the element.
module id_generator (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,

  input  logic                                     program_valid_i,
  output logic                                     program_ready_o,
  input  logic [id_generator_pkg::PacketBits-1:0]  packet_i,
  output logic                                     busy_o,
  output logic [3:0]                               packet_error_o,

  input  logic                                     in_valid_i,
  output logic                                     in_ready_o,
  input  logic [id_generator_pkg::AddressBits-1:0] address_i,
  input  logic [id_generator_pkg::TagBits-1:0]     tag_i,

  output logic                                     out_valid_o,
  input  logic                                     out_ready_i,
  output logic [id_generator_pkg::ElementBits-1:0] element_o,
  output logic [id_generator_pkg::BatchBits-1:0]   batch_o,
  output logic [3:0]                               bypass_o,
  output logic                                     zero_o,
  output logic [id_generator_pkg::TagBits-1:0]     tag_o
);

  localparam int unsigned Bits = 6;  // of an address that count

  logic                                                advance;
  logic [id_generator_pkg::IdLatency-1:0]              valid_q;
  logic [Bits-1:0]                                     shown;
  assign advance         = out_ready_i || !out_valid_o;
  assign program_ready_o = valid_q == '0;
  assign busy_o          = 1'b0;
  assign packet_error_o  = id_generator_pkg::PacketGood;
  assign in_ready_o      = advance && !program_valid_i;
  assign out_valid_o     = valid_q[id_generator_pkg::IdLatency-1];
  assign bypass_o        = {3'b0, shown[0]};
  assign zero_o          = shown[1] && !shown[0];
  assign element_o       = id_generator_pkg::ElementBits'(shown[Bits-1:2]);
  assign batch_o         = '0;
  assign tag_o           = '0;

  delay_line #(.Width(Bits), .Depth(id_generator_pkg::IdLatency)) u_shown (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(address_i[Bits-1:0]), .data_o(shown)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (advance) begin
      valid_q <= {valid_q[id_generator_pkg::IdLatency-2:0], in_valid_i && in_ready_o};
    end
  end

endmodule

// Knows which registers have an entry, not of which key. A look-up names the register that it finds
// in the low bits of the element, if that has an entry; the bit above says that it finds none, as
// after an eviction. An insertion replaces that register's entry. So whatever the real buffer finds,
// this one may find, too.
module load_history_buffer #(
  parameter int unsigned PhysBits = 1
) (
  input  logic                                            clk_i,
  input  logic                                            rst_ni,

  input  logic                                            setup_valid_i,
  output logic                                            setup_ready_o,
  input  logic                                            setup_keep_i,
  input  logic [3:0]                                      setup_log_sets_i,
  input  logic [2:0]                                      setup_log_ways_i,
  input  logic [load_history_buffer_pkg::ShiftBits-1:0]   setup_shift_i,
  input  logic                                            setup_fold_i,
  output logic                                            setup_error_o,

  input  logic                                            in_valid_i,
  output logic                                            in_ready_o,
  input  logic [1:0]                                      op_i,
  input  logic [load_history_buffer_pkg::ElementBits-1:0] element_i,
  input  logic [load_history_buffer_pkg::BatchBits-1:0]   batch_i,
  input  logic [load_history_buffer_pkg::OwnerBits-1:0]   owner_i,
  input  logic [PhysBits-1:0]                             phys_i,

  output logic                                            out_valid_o,
  input  logic                                            out_ready_i,
  output logic                                            found_o,
  output logic                                            same_key_o,
  output logic [PhysBits-1:0]                             phys_o
);

  logic [2**PhysBits-1:0] named_q;
  logic                   ready_q, first_q, second_q, first_found_q, second_found_q;
  logic [PhysBits-1:0]    first_phys_q, second_phys_q, wanted;
  logic                   released;

  assign released      = op_i == load_history_buffer_pkg::OpRelease;
  assign wanted        = element_i[PhysBits-1:0];
  assign setup_ready_o = !first_q && !second_q;
  assign setup_error_o = 1'b0;
  assign in_ready_o    = ready_q && !setup_valid_i;
  assign out_valid_o   = second_q;
  assign found_o       = second_found_q;
  assign same_key_o    = 1'b0;
  assign phys_o        = second_found_q ? second_phys_q : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      named_q        <= '0;
      ready_q        <= 1'b0;
      first_q        <= 1'b0;
      second_q       <= 1'b0;
      first_found_q  <= 1'b0;
      second_found_q <= 1'b0;
      first_phys_q   <= '0;
      second_phys_q  <= '0;
    end else begin
      first_q        <= in_valid_i && in_ready_o;
      first_found_q  <= released ? named_q[phys_i] : named_q[wanted] && !element_i[PhysBits];
      first_phys_q   <= released ? '0 : wanted;
      second_q       <= first_q;
      second_found_q <= first_found_q;
      second_phys_q  <= first_phys_q;
      if (setup_valid_i && setup_ready_o) begin
        named_q <= '0;
        ready_q <= ready_q || !setup_keep_i;
      end else if (in_valid_i && in_ready_o) begin
        if (op_i == load_history_buffer_pkg::OpInsert) named_q[phys_i] <= 1'b1;
        if (op_i == load_history_buffer_pkg::OpRelease) named_q[phys_i] <= 1'b0;
      end
    end
  end

endmodule
