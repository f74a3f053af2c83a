// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of operand_fetch, for any value at any place of A and of B: a lane with a value has
// the one at its group's offset plus the lane's number, other lanes are 0; OHMMAs leave in order,
// each once, and stay while they wait. Progress: an OHMMA is taken unless one waits inside, and is
// offered in the next cycle. The memory is the environment: the watched values are where they
// belong in the words that were read last, everything else in them may change at any time.
module operand_fetch_properties (
  input logic             clk_i,
  input logic             valid_i,
  input logic [7:0]       row_valid_i,
  input logic [15:0]      column_valid_i,
  input logic [8:0]       a_offset_i,
  input logic [8:0]       b_offset_i,
  input logic             ready_i,
  input logic [8:0]       a_place_i,
  input logic [8:0]       b_place_i,
  input logic [15:0]      value_i,
  input logic [2:0]       row_i,
  input logic [3:0]       column_i,
  input logic [8*16-1:0]  a_even_i,
  input logic [8*16-1:0]  a_odd_i,
  input logic [16*16-1:0] b_even_i,
  input logic [16*16-1:0] b_odd_i
);

  // Reset in the first cycle, which chooses the watched places, value and lanes.
  logic        started_q = 1'b0;
  logic [8:0]  a_place_q, b_place_q;
  logic [15:0] value_q;
  logic [2:0]  row_q;
  logic [3:0]  column_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) begin
      a_place_q <= a_place_i;
      b_place_q <= b_place_i;
      value_q   <= value_i;
      row_q     <= row_i;
      column_q  <= column_i;
    end
  end

  logic             take, read, valid, leave;
  logic [4:0]       a_even_word, a_odd_word, a_even_word_q, a_odd_word_q;
  logic [3:0]       b_even_word, b_odd_word, b_even_word_q, b_odd_word_q;
  logic [8*16-1:0]  a_even, a_odd, a;
  logic [16*16-1:0] b_even, b_odd, b;
  logic [1:0]       accepted_q, taken_q, meta;

  operand_fetch #(
    .MetaWidth(2)
  ) u_fetch (
    .clk_i         (clk_i),
    .rst_ni        (started_q),
    .valid_i       (valid_i),
    .ready_o       (take),
    .row_valid_i   (row_valid_i),
    .column_valid_i(column_valid_i),
    .a_offset_i    (a_offset_i),
    .b_offset_i    (b_offset_i),
    .meta_i        (accepted_q),
    .read_o        (read),
    .a_even_word_o (a_even_word),
    .a_odd_word_o  (a_odd_word),
    .b_even_word_o (b_even_word),
    .b_odd_word_o  (b_odd_word),
    .a_even_i      (a_even),
    .a_odd_i       (a_odd),
    .b_even_i      (b_even),
    .b_odd_i       (b_odd),
    .valid_o       (valid),
    .ready_i       (ready_i),
    .a_o           (a),
    .b_o           (b),
    .meta_o        (meta)
  );

  assign leave = valid && ready_i;

  // The words that were read last, with the watched values in them.
  always_comb begin
    a_even = a_even_i;
    a_odd  = a_odd_i;
    b_even = b_even_i;
    b_odd  = b_odd_i;
    if (!a_place_q[3] && a_even_word_q == a_place_q[8:4]) a_even[16*32'(a_place_q[2:0]) +: 16] = value_q;
    if (a_place_q[3] && a_odd_word_q == a_place_q[8:4]) a_odd[16*32'(a_place_q[2:0]) +: 16] = value_q;
    if (!b_place_q[4] && b_even_word_q == b_place_q[8:5]) b_even[16*32'(b_place_q[3:0]) +: 16] = value_q;
    if (b_place_q[4] && b_odd_word_q == b_place_q[8:5]) b_odd[16*32'(b_place_q[3:0]) +: 16] = value_q;
  end

  // The OHMMA inside, and the cycle before.
  logic        inside_q, stalled_q, took_q;
  logic [7:0]  row_valid_q;
  logic [15:0] column_valid_q;
  logic [8:0]  a_offset_q, b_offset_q;
  logic [1:0]  meta_q;

  always_ff @(posedge clk_i or negedge started_q) begin
    if (!started_q) begin
      inside_q   <= 1'b0;
      stalled_q  <= 1'b0;
      took_q     <= 1'b0;
      accepted_q <= '0;
      taken_q    <= '0;
    end else begin
      inside_q   <= (valid_i && take) || (inside_q && !leave);
      stalled_q  <= valid && !ready_i;
      took_q     <= valid_i && take;
      accepted_q <= accepted_q + {1'b0, valid_i && take};
      taken_q    <= taken_q + {1'b0, leave};
    end
  end

  always_ff @(posedge clk_i) begin
    meta_q <= meta;
    if (valid_i && take) begin
      row_valid_q    <= row_valid_i;
      column_valid_q <= column_valid_i;
      a_offset_q     <= a_offset_i;
      b_offset_q     <= b_offset_i;
    end
    if (read) begin
      a_even_word_q <= a_even_word;
      a_odd_word_q  <= a_odd_word;
      b_even_word_q <= b_even_word;
      b_odd_word_q  <= b_odd_word;
    end
  end

  always_ff @(posedge clk_i) begin
    if (started_q) begin
      reads_with_the_ohmma: assert(read == (valid_i && take));
      is_inside: assert(valid == inside_q);
      if (!inside_q || ready_i) taken_unless_full: assert(take);
      if (inside_q && !ready_i) waits_when_full: assert(!take);
      if (valid) in_order: assert(meta == taken_q);
      counts_agree: assert(accepted_q == taken_q + {1'b0, inside_q});
      if (stalled_q) stays: assert(valid && meta == meta_q);
      if (took_q) offered_in_the_next_cycle: assert(valid);
      one_waits: cover(stalled_q && valid_i);
      one_behind_the_other: cover(took_q && leave && valid_i);
    end
  end

  // The watched lane of each side.
  logic [15:0] a_lane, b_lane;
  logic        a_here, b_here, a_valid, b_valid;
  assign a_lane  = a[16*32'(row_q) +: 16];
  assign b_lane  = b[16*32'(column_q) +: 16];
  assign a_valid = row_valid_q[row_q];
  assign b_valid = column_valid_q[column_q];
  assign a_here  = {1'b0, a_offset_q} + 10'(row_q) == {1'b0, a_place_q};
  assign b_here  = {1'b0, b_offset_q} + 10'(column_q) == {1'b0, b_place_q};

  always_ff @(posedge clk_i) begin
    if (started_q && valid) begin
      if (a_valid && a_here) a_is_at_its_place: assert(a_lane == value_q);
      if (b_valid && b_here) b_is_at_its_place: assert(b_lane == value_q);
      if (!a_valid) a_is_0_without_a_value: assert(a_lane == 16'b0);
      if (!b_valid) b_is_0_without_a_value: assert(b_lane == 16'b0);
      a_in_the_second_word: cover(a_valid && a_here && value_q != 16'b0 &&
                                  a_offset_q[8:3] != a_place_q[8:3]);
      b_in_the_second_word: cover(b_valid && b_here && value_q != 16'b0 &&
                                  b_offset_q[8:4] != b_place_q[8:4]);
    end
  end

endmodule
