// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Free registers, first in, first out. After a clear they are 0 to registers_i - 1, in this order: a
// counter gives out those that were never used, then a ring of those that came back.
module rename_free_list #(
  parameter int unsigned PhysBits = 14
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                clear_i,
  input  logic [PhysBits:0]   registers_i,

  input  logic                push_i,
  input  logic [PhysBits-1:0] push_phys_i,
  input  logic                pop_i,       // only while count_o is not 0
  output logic [PhysBits-1:0] front_o,     // means nothing while count_o is 0
  output logic [PhysBits:0]   count_o
);

  if (PhysBits < 1 || PhysBits > 20) begin : gen_check_phys_bits
    $error("rename_free_list: PhysBits must be 1 to 20");
  end

  logic [PhysBits:0]   registers_d, registers_q, fresh_d, fresh_q, count_d, count_q;
  logic [PhysBits-1:0] head_d, head_q, tail_d, tail_q, returned;
  logic                fresh_left, pop_ring;

  assign fresh_left = fresh_q != registers_q;
  assign pop_ring   = pop_i && !fresh_left;
  assign front_o    = fresh_left ? fresh_q[PhysBits-1:0] : returned;
  assign count_o    = count_q;

  always_comb begin
    registers_d = registers_q;
    fresh_d     = fresh_q;
    count_d     = count_q;
    head_d      = head_q;
    tail_d      = tail_q;
    if (push_i) tail_d = tail_q + 1'b1;
    if (pop_ring) head_d = head_q + 1'b1;
    if (pop_i && fresh_left) fresh_d = fresh_q + 1'b1;
    if (push_i && !pop_i) count_d = count_q + 1'b1;
    if (pop_i && !push_i) count_d = count_q - 1'b1;
    if (clear_i) begin
      registers_d = registers_i;
      fresh_d     = '0;
      count_d     = registers_i;
      head_d      = '0;
      tail_d      = '0;
    end
  end

  // The front of the ring is read in every cycle for the next one.
  lhb_memory #(
    .Width(PhysBits),
    .Depth(2 ** PhysBits)
  ) u_ring (
    .clk_i,
    .write_i        (push_i),
    .write_address_i(tail_q),
    .write_data_i   (push_phys_i),
    .read_i         (1'b1),
    .read_address_i (head_d),
    .read_data_o    (returned)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      registers_q <= '0;
      fresh_q     <= '0;
      count_q     <= '0;
      head_q      <= '0;
      tail_q      <= '0;
    end else begin
      registers_q <= registers_d;
      fresh_q     <= fresh_d;
      count_q     <= count_d;
      head_q      <= head_d;
      tail_q      <= tail_d;
    end
  end

endmodule
