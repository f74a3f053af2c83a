// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// True least-recently-used order of the banks of a row as one bit a pair: 1 if the lower bank was
// used after the higher one. Pairs of different sets mean nothing. Whatever the bits were at first,
// they are right once all ways of a set were used. Combinational.
module lhb_recency #(
  parameter int unsigned Banks    = 8,
  parameter int unsigned Pairs    = (Banks > 1) ? Banks * (Banks - 1) / 2 : 1,
  parameter int unsigned WaysBits = 3
) (
  input  logic [Pairs-1:0]    order_i,
  input  logic [WaysBits-1:0] log_ways_i,
  input  logic [Banks-1:0]    used_i,   // one bank, or none
  output logic [Pairs-1:0]    order_o,  // after the use
  output logic [Banks-1:0]    oldest_o  // the least recently used of each set
);

  if (Banks < 2 || (Banks & (Banks - 1)) != 0) begin : gen_check_banks
    $error("lhb_recency: Banks must be a power of two, at least 2");
  end

  if (Pairs != Banks * (Banks - 1) / 2) begin : gen_check_pairs
    $error("lhb_recency: Pairs must be Banks * (Banks - 1) / 2");
  end

  if (WaysBits < $clog2($clog2(Banks) + 1)) begin : gen_check_ways_bits
    $error("lhb_recency: WaysBits must count to log2(Banks)");
  end

  localparam int unsigned LogBanks = $clog2(Banks);

  // Pairs of each bank with a higher one; with a lower one.
  localparam logic [Banks*Pairs-1:0] Above = pairs_of(1'b1);
  localparam logic [Banks*Pairs-1:0] Below = pairs_of(1'b0);
  // Pairs within a set, for each number of ways.
  localparam logic [(LogBanks+1)*Pairs-1:0] Within = pairs_within();

  function automatic logic [Banks*Pairs-1:0] pairs_of(input logic above);
    int unsigned low, high, pair;
    pairs_of = '0;
    pair     = 0;
    for (low = 0; low < Banks; low = low + 1) begin
      for (high = low + 1; high < Banks; high = high + 1) begin
        pairs_of[(above ? low : high) * Pairs + pair] = 1'b1;
        pair = pair + 1;
      end
    end
  endfunction

  function automatic logic [(LogBanks+1)*Pairs-1:0] pairs_within();
    int unsigned ways, low, high, pair;
    pairs_within = '0;
    for (ways = 0; ways <= LogBanks; ways = ways + 1) begin
      pair = 0;
      for (low = 0; low < Banks; low = low + 1) begin
        for (high = low + 1; high < Banks; high = high + 1) begin
          if ((low >> ways) == (high >> ways)) pairs_within[ways * Pairs + pair] = 1'b1;
          pair = pair + 1;
        end
      end
    end
  endfunction

  logic [Pairs-1:0] now_newer, now_older, same_set;
  int unsigned      u, w;

  always_comb begin
    now_newer = '0;
    now_older = '0;
    for (u = 0; u < Banks; u = u + 1) begin
      if (used_i[u]) begin
        now_newer = Above[Pairs*u +: Pairs];
        now_older = Below[Pairs*u +: Pairs];
      end
    end
  end
  assign order_o = (order_i | now_newer) & ~now_older;

  always_comb begin
    same_set = '0;
    for (w = 0; w <= LogBanks; w = w + 1) begin
      if (log_ways_i == WaysBits'(w)) same_set = Within[Pairs*w +: Pairs];
    end
  end
  for (genvar i = 0; i < Banks; i++) begin : gen_oldest
    assign oldest_o[i] = (order_i & same_set & Above[Pairs*i +: Pairs]) == '0 &&
                         (~order_i & same_set & Below[Pairs*i +: Pairs]) == '0;
  end

endmodule
