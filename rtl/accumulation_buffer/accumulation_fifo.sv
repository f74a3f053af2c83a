// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Operand collector of a bank: a FIFO that takes several entries a cycle, and lets out one.
//
// want_i names the lanes that have an entry; the lowest lanes are taken as far as there was room
// at the beginning of the cycle (take_o), in lane order. all_o: every wanted lane is taken.
module accumulation_fifo #(
  parameter int unsigned Depth = 8,  // power of two
  parameter int unsigned Lanes = 8,  // at most Depth
  parameter int unsigned Width = 35
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [Lanes-1:0]         want_i,
  input  logic [Lanes*Width-1:0]   data_i,
  output logic [Lanes-1:0]         take_o,
  output logic                     all_o,
  input  logic                     pop_i,   // only with count_o above 0
  output logic [Width-1:0]         head_o,  // meaningless when count_o is 0
  output logic [$clog2(Depth):0]   count_o
);

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_check_depth
    $error("accumulation_fifo: Depth must be a power of two, at least 2");
  end

  if (Lanes < 1 || Lanes > Depth) begin : gen_check_lanes
    $error("accumulation_fifo: Lanes must be 1 to Depth");
  end

  if (Width < 1) begin : gen_check_width
    $error("accumulation_fifo: Width must be at least 1");
  end

  localparam int unsigned PointerBits = $clog2(Depth);
  localparam int unsigned CountBits   = PointerBits + 1;

  logic [PointerBits-1:0] head_q, head_d;
  logic [CountBits-1:0]   count_q, count_d;
  logic [CountBits-1:0]   room;

  assign room = CountBits'(Depth) - count_q;

  // Rank of a lane among those that want, and how many of them are taken.
  logic [Lanes*CountBits-1:0] rank;
  logic [CountBits-1:0]       wanted, taken;

  always_comb begin
    rank   = '0;
    wanted = '0;
    for (int unsigned i = 0; i < Lanes; i++) begin
      rank[CountBits*i +: CountBits] = wanted;
      wanted = wanted + CountBits'(want_i[i]);
    end
  end

  for (genvar i = 0; i < Lanes; i++) begin : gen_take
    assign take_o[i] = want_i[i] & (rank[CountBits*i +: CountBits] < room);
  end
  assign all_o = wanted <= room;
  assign taken = all_o ? wanted : room;

  logic [PointerBits-1:0] tail;
  assign tail = head_q + count_q[PointerBits-1:0];

  // The lanes taken in one cycle write different slots.
  logic [Lanes*PointerBits-1:0] slot;
  for (genvar i = 0; i < Lanes; i++) begin : gen_slot
    assign slot[PointerBits*i +: PointerBits] = tail + rank[CountBits*i +: PointerBits];
  end

  logic [Width-1:0] entries_q [Depth];
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Lanes; i++) begin
      if (take_o[i]) begin
        entries_q[slot[PointerBits*i +: PointerBits]] <= data_i[Width*i +: Width];
      end
    end
  end

  always_comb begin
    head_d  = head_q;
    count_d = count_q + taken;
    if (pop_i) begin
      head_d  = head_q + 1'b1;
      count_d = count_d - 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      count_q <= '0;
    end else begin
      head_q  <= head_d;
      count_q <= count_d;
    end
  end

  assign head_o  = entries_q[head_q];
  assign count_o = count_q;

endmodule
