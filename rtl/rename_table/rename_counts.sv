// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Memory with one write port and two read ports. The word read is there in the next cycle; a word
// being written is read as written.
module rename_counts #(
  parameter int unsigned Width       = 8,
  parameter int unsigned AddressBits = 4
) (
  input  logic                   clk_i,

  input  logic                   write_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i,

  input  logic [AddressBits-1:0] first_address_i,
  output logic [Width-1:0]       first_data_o,
  input  logic [AddressBits-1:0] second_address_i,
  output logic [Width-1:0]       second_data_o
);

  if (Width < 1) begin : gen_check_width
    $error("rename_counts: Width must be at least 1");
  end

  if (AddressBits < 1 || AddressBits > 20) begin : gen_check_address_bits
    $error("rename_counts: AddressBits must be 1 to 20");
  end

  logic [Width-1:0] memory [2 ** AddressBits];
  logic [Width-1:0] first_q, second_q;

  always_ff @(posedge clk_i) begin
    if (write_i) memory[write_address_i] <= write_data_i;
    first_q  <= (write_i && write_address_i == first_address_i) ? write_data_i
                                                                : memory[first_address_i];
    second_q <= (write_i && write_address_i == second_address_i) ? write_data_i
                                                                 : memory[second_address_i];
  end

  assign first_data_o  = first_q;
  assign second_data_o = second_q;

endmodule
