// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Free slots with their generations, the last one freed first. After a clear all are free: a counter
// gives out those that were never used, with generation 0, when no other is left.
module precompute_free_slots #(
  parameter int unsigned SlotBits       = 9,
  parameter int unsigned GenerationBits = 4
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      clear_i,
  input  logic                      push_i,
  input  logic [SlotBits-1:0]       push_slot_i,
  input  logic [GenerationBits-1:0] push_generation_i,
  input  logic                      pop_i,  // not beside a push
  output logic [SlotBits-1:0]       slot_o,
  output logic [GenerationBits-1:0] generation_o
);

  if (SlotBits < 1 || SlotBits > 12) begin : gen_check_slot_bits
    $error("precompute_free_slots: SlotBits must be 1 to 12");
  end

  if (GenerationBits < 1) begin : gen_check_generation_bits
    $error("precompute_free_slots: GenerationBits must be at least 1");
  end

  logic [SlotBits:0]         count_d, count_q;  // slots that came back
  logic [SlotBits-1:0]       fresh_d, fresh_q, returned_slot, top;
  logic [GenerationBits-1:0] returned_generation;
  logic                      returned;

  assign returned     = count_q != '0;
  assign slot_o       = returned ? returned_slot : fresh_q;
  assign generation_o = returned ? returned_generation : '0;
  assign top          = SlotBits'(count_d - 1'b1);

  always_comb begin
    count_d = count_q;
    fresh_d = fresh_q;
    if (push_i) count_d = count_q + 1'b1;
    if (pop_i && returned) count_d = count_q - 1'b1;
    if (pop_i && !returned) fresh_d = fresh_q + 1'b1;
    if (clear_i) begin
      count_d = '0;
      fresh_d = '0;
    end
  end

  // The top of the stack is read in every cycle for the next one.
  lhb_memory #(
    .Width(SlotBits + GenerationBits),
    .Depth(2 ** SlotBits)
  ) u_stack (
    .clk_i,
    .write_i        (push_i),
    .write_address_i(count_q[SlotBits-1:0]),
    .write_data_i   ({push_slot_i, push_generation_i}),
    .read_i         (1'b1),
    .read_address_i (top),
    .read_data_o    ({returned_slot, returned_generation})
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      fresh_q <= '0;
    end else begin
      count_q <= count_d;
      fresh_q <= fresh_d;
    end
  end

endmodule
