// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Fully associative keys, one a slot. The slot that holds a key is there in the same cycle; at most
// one may. A key is written while it is the probe.
module precompute_keys #(
  parameter int unsigned SlotBits = 9,
  parameter int unsigned KeyBits  = 88
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                clear_i,   // no slot holds a key
  input  logic                write_i,   // slot_i holds key_i
  input  logic                remove_i,  // slot_i holds no key
  input  logic [SlotBits-1:0] slot_i,

  input  logic [KeyBits-1:0]  key_i,
  output logic                hit_o,
  output logic [SlotBits-1:0] hit_slot_o  // else 0
);

  if (SlotBits < 1 || SlotBits > 12) begin : gen_check_slot_bits
    $error("precompute_keys: SlotBits must be 1 to 12");
  end

  if (KeyBits < 1 || KeyBits > 160) begin : gen_check_key_bits
    $error("precompute_keys: KeyBits must be 1 to 160");
  end

  localparam int unsigned Slots = 2 ** SlotBits;

  logic [Slots-1:0] valid_d, valid_q, here, write, hits;

  assign here  = Slots'(1'b1) << slot_i;
  assign write = write_i ? here : '0;

  // Each bit of the keys is a vector of its own, over all slots.
  for (genvar n = 0; n < KeyBits; n++) begin : gen_bit
    logic [Slots-1:0] key_d, key_q, same;
    assign key_d = (key_q & ~write) | (write & {Slots{key_i[n]}});
    always_ff @(posedge clk_i) begin
      key_q <= key_d;
    end
    // Slots whose keys are the probe so far.
    if (n == 0) begin : gen_first
      assign same = valid_q & ~(key_q ^ {Slots{key_i[n]}});
    end else begin : gen_next
      assign same = gen_bit[n-1].same & ~(key_q ^ {Slots{key_i[n]}});
    end
  end
  assign hits = gen_bit[KeyBits-1].same;

  for (genvar n = 0; n < SlotBits; n++) begin : gen_slot_bit
    localparam int unsigned Run = 2 ** n;
    assign hit_slot_o[n] = |(hits & {(Slots / (2 * Run)){{Run{1'b1}}, {Run{1'b0}}}});
  end
  assign hit_o = |hits;

  always_comb begin
    valid_d = valid_q;
    if (write_i) valid_d = valid_q | here;
    if (remove_i) valid_d = valid_q & ~here;
    if (clear_i) valid_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else begin
      valid_q <= valid_d;
    end
  end

endmodule
