// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Entries in the order of their age, the oldest at place 0: a pair of blocks and the SM that has
// both. Every entry is compared with the probes in each cycle. An entry that leaves moves the younger
// ones up by a place. Each bit of the places is a vector of its own.
module assign_entries #(
  parameter int unsigned EntryBits = 10,
  parameter int unsigned BlockBits = 33,
  parameter int unsigned SmBits    = 3
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 clear_i,

  // Probes, and the new entry.
  input  logic [BlockBits-1:0] input_i,
  input  logic [BlockBits-1:0] weights_i,
  input  logic [SmBits-1:0]    sm_i,
  output logic                 pair_o,     // an entry has both blocks; at most one does
  output logic [SmBits-1:0]    pair_sm_o,  // its SM, else 0
  output logic                 either_o,   // an entry of sm_i has one of the blocks

  input  logic                 remove_either_i,  // the oldest entry of these leaves
  input  logic                 remove_oldest_i,
  input  logic                 append_i          // the youngest entry from now on
);

  if (EntryBits < 1 || EntryBits > 12) begin : gen_check_entry_bits
    $error("assign_entries: EntryBits must be 1 to 12");
  end

  if (BlockBits < 1 || BlockBits > 64) begin : gen_check_block_bits
    $error("assign_entries: BlockBits must be 1 to 64");
  end

  if (SmBits < 1 || SmBits > 10) begin : gen_check_sm_bits
    $error("assign_entries: SmBits must be 1 to 10");
  end

  localparam int unsigned Places   = 2 ** EntryBits;
  localparam int unsigned DataBits = SmBits + 2 * BlockBits;

  logic [Places-1:0]   used_d, used_q;
  logic [Places-1:0]   same_pair, either, from_either, up, used_left, added;
  logic [DataBits-1:0] probe;

  assign probe = {weights_i, input_i, sm_i};

  // Waveforms show which places are used, and not the bits of all entries.
  /* verilator tracing_off */

  // 1. SM, input block and weight block of each place.
  for (genvar n = 0; n < DataBits; n++) begin : gen_bit
    logic [Places-1:0] data_d, data_q, differs;
    assign differs = data_q ^ {Places{probe[n]}};
    assign data_d  = (((data_q & ~up) | ((data_q >> 1) & up)) & ~added) | (added & {Places{probe[n]}});
    always_ff @(posedge clk_i) begin
      data_q <= data_d;
    end
  end

  // 2. Places whose SM, input block or weight block equals its probe in all bits so far.
  for (genvar n = 0; n < SmBits; n++) begin : gen_sm_bit
    logic [Places-1:0] same;
    if (n == 0) begin : gen_first
      assign same = ~gen_bit[n].differs;
    end else begin : gen_next
      assign same = gen_sm_bit[n-1].same & ~gen_bit[n].differs;
    end
    assign pair_sm_o[n] = |(same_pair & gen_bit[n].data_q);
  end
  for (genvar n = 0; n < BlockBits; n++) begin : gen_block_bit
    logic [Places-1:0] same_input, same_weights;
    if (n == 0) begin : gen_first
      assign same_input   = ~gen_bit[SmBits+n].differs;
      assign same_weights = ~gen_bit[SmBits+BlockBits+n].differs;
    end else begin : gen_next
      assign same_input   = gen_block_bit[n-1].same_input & ~gen_bit[SmBits+n].differs;
      assign same_weights = gen_block_bit[n-1].same_weights & ~gen_bit[SmBits+BlockBits+n].differs;
    end
  end
  assign same_pair = used_q & gen_block_bit[BlockBits-1].same_input & gen_block_bit[BlockBits-1].same_weights;
  assign either    = used_q & gen_sm_bit[SmBits-1].same &
                     (gen_block_bit[BlockBits-1].same_input | gen_block_bit[BlockBits-1].same_weights);
  /* verilator tracing_on */
  assign pair_o    = |same_pair;
  assign either_o  = |either;

  // 3. Younger entries move up, a new one takes the first free place.
  always_comb begin
    from_either = either;
    for (int unsigned step = 1; step < Places; step = step * 2) begin
      from_either = from_either | (from_either << step);
    end
  end
  always_comb begin
    up = '0;
    if (remove_either_i) up = from_either;
    if (remove_oldest_i) up = '1;
  end
  assign used_left = (used_q & ~up) | ((used_q >> 1) & up);
  assign added     = append_i ? ~used_left & ((used_left << 1) | Places'(1'b1)) : '0;
  assign used_d    = clear_i ? '0 : used_left | added;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
    end else begin
      used_q <= used_d;
    end
  end

endmodule
