// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Memory with one read and one write port. The word read is there in the next cycle and stays until
// the next read; a word being written is read as written.
module lhb_memory #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16,
  parameter int unsigned AddressBits = $clog2(Depth)
) (
  input  logic                   clk_i,

  input  logic                   write_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i,

  input  logic                   read_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [Width-1:0]       read_data_o
);

  if (Width < 1) begin : gen_check_width
    $error("lhb_memory: Width must be at least 1");
  end

  if (Depth < 2) begin : gen_check_depth
    $error("lhb_memory: Depth must be at least 2");
  end

  if (AddressBits != $clog2(Depth)) begin : gen_check_address_bits
    $error("lhb_memory: AddressBits must be clog2(Depth)");
  end

  logic [Width-1:0] memory [Depth];
  logic [Width-1:0] read_q;

  always_ff @(posedge clk_i) begin
    if (write_i) memory[write_address_i] <= write_data_i;
    if (read_i) begin
      read_q <= (write_i && write_address_i == read_address_i) ? write_data_i
                                                                : memory[read_address_i];
    end
  end

  assign read_data_o = read_q;

endmodule
