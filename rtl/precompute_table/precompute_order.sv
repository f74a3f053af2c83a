// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Entries in the order of their age, the oldest at place 0: slot, generation and state of each. An
// entry that leaves moves the younger ones up by a place. Each bit of the places is a vector of its
// own.
module precompute_order #(
  parameter int unsigned SlotBits       = 9,
  parameter int unsigned GenerationBits = 4
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      clear_i,

  // The entry in a slot.
  input  logic [SlotBits-1:0]       slot_i,
  output logic                      waits_o,
  output logic                      runs_o,
  output logic [GenerationBits-1:0] generation_o,
  input  logic                      start_i,   // it is being computed
  input  logic                      finish_i,  // it was computed
  input  logic                      remove_i,

  // A new entry, behind all others; removal and entering may come together.
  input  logic                      append_i,
  input  logic [SlotBits-1:0]       append_slot_i,
  input  logic [GenerationBits-1:0] append_generation_i,

  output logic                      empty_o,
  output logic [SlotBits-1:0]       oldest_o,           // else 0
  // The oldest waiting entry, behind slot_i if after_i; none if that does not wait.
  input  logic                      after_i,
  output logic                      some_wait_o,
  output logic                      waiting_o,
  output logic [SlotBits-1:0]       waiting_slot_o,     // else 0
  // The oldest entry that is not being computed.
  output logic                      replaceable_o,
  output logic [SlotBits-1:0]       replaceable_slot_o  // else 0
);

  if (SlotBits < 1 || SlotBits > 12) begin : gen_check_slot_bits
    $error("precompute_order: SlotBits must be 1 to 12");
  end

  if (GenerationBits < 1) begin : gen_check_generation_bits
    $error("precompute_order: GenerationBits must be at least 1");
  end

  localparam int unsigned Places   = 2 ** SlotBits;
  localparam int unsigned DataBits = SlotBits + GenerationBits;

  logic [Places-1:0]   used_d, used_q, waits_d, waits_q, runs_d, runs_q;
  logic [Places-1:0]   here, from_here, first_waiting, first_idle, up, added;
  logic [DataBits-1:0] new_data;

  // 1. Slot, then generation of each place; the place of a slot, and places from it on.
  for (genvar n = 0; n < DataBits; n++) begin : gen_bit
    logic [Places-1:0] data_d, data_q;
    assign data_d = (((data_q & ~up) | ((data_q >> 1) & up)) & ~added) | (added & {Places{new_data[n]}});
    always_ff @(posedge clk_i) begin
      data_q <= data_d;
    end
  end
  for (genvar n = 0; n < SlotBits; n++) begin : gen_slot_bit
    logic [Places-1:0] same;  // places whose slots are slot_i so far
    if (n == 0) begin : gen_first
      assign same = used_q & ~(gen_bit[n].data_q ^ {Places{slot_i[n]}});
    end else begin : gen_next
      assign same = gen_slot_bit[n-1].same & ~(gen_bit[n].data_q ^ {Places{slot_i[n]}});
    end
    assign oldest_o[n]           = used_q[0] & gen_bit[n].data_q[0];
    assign waiting_slot_o[n]     = |(first_waiting & gen_bit[n].data_q);
    assign replaceable_slot_o[n] = |(first_idle & gen_bit[n].data_q);
  end
  for (genvar n = 0; n < GenerationBits; n++) begin : gen_generation_bit
    assign generation_o[n] = |(here & gen_bit[SlotBits+n].data_q);
  end
  assign here = gen_slot_bit[SlotBits-1].same;
  always_comb begin
    from_here = here;
    for (int unsigned step = 1; step < Places; step = step * 2) begin
      from_here = from_here | (from_here << step);
    end
  end
  assign waits_o = |(here & waits_q);
  assign runs_o  = |(here & runs_q);

  // 2. The first place of those that are asked for.
  logic [Places-1:0] waiting, waiting_seen, asked, idle, idle_seen;
  assign waiting = used_q & waits_q;
  assign idle    = used_q & ~runs_q;
  always_comb begin
    asked        = after_i ? waiting & (from_here << 1) & {Places{waits_o}} : waiting;
    waiting_seen = asked;
    idle_seen    = idle;
    for (int unsigned step = 1; step < Places; step = step * 2) begin
      waiting_seen = waiting_seen | (waiting_seen << step);
      idle_seen    = idle_seen | (idle_seen << step);
    end
    first_waiting = asked & ~(waiting_seen << 1);
    first_idle    = idle & ~(idle_seen << 1);
  end
  assign empty_o       = !used_q[0];
  assign some_wait_o   = |waiting;
  assign waiting_o     = |first_waiting;
  assign replaceable_o = |first_idle;

  // 3. Younger entries move up, a new one takes the first free place.
  logic [Places-1:0] used_left, waits_now, runs_now;
  assign up        = remove_i ? from_here : '0;
  assign used_left = (used_q & ~up) | ((used_q >> 1) & up);
  assign added     = append_i ? ~used_left & ((used_left << 1) | Places'(1'b1)) : '0;
  assign waits_now = start_i ? waits_q & ~here : waits_q;
  assign runs_now  = (start_i ? runs_q | here : runs_q) & ~(finish_i ? here : '0);
  assign new_data  = {append_generation_i, append_slot_i};

  always_comb begin
    used_d  = clear_i ? '0 : used_left | added;
    waits_d = (waits_now & ~up) | ((waits_now >> 1) & up) | added;
    runs_d  = ((runs_now & ~up) | ((runs_now >> 1) & up)) & ~added;
  end

  always_ff @(posedge clk_i) begin
    waits_q <= waits_d;
    runs_q  <= runs_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
    end else begin
      used_q <= used_d;
    end
  end

endmodule
