// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of sequential_divider at any width: quotient * divisor + remainder is the dividend,
// and the result is stable while it waits. The product is built bit by bit as the quotient appears
// (Horner), so that the proof needs no multiplication.
//
// There are two proofs, as one induction step suffices for the arithmetic, but not for the duration
// of a division: Timing asserts only that the result appears when all of the dividend was taken;
// without Timing, that is assumed. Timing asserts, too, that operands are taken in the first cycle
// and in the cycle behind a result that was taken.
module sequential_divider_properties #(
  parameter int unsigned Width  = 32,
  parameter bit          Timing = 1'b0
) (
  input logic             clk_i,
  input logic             in_valid_i,
  input logic [Width-1:0] high_i,
  input logic [Width-1:0] low_i,
  input logic [Width-1:0] divisor_i,
  input logic             out_ready_i
);

  logic             started_q = 1'b0;
  logic             in_ready, out_valid;
  logic [Width-1:0] quotient, remainder;

  sequential_divider #(
    .Width(Width)
  ) u_divider (
    .clk_i,
    .rst_ni     (started_q),
    .in_valid_i,
    .in_ready_o (in_ready),
    .high_i,
    .low_i,
    .divisor_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .quotient_o (quotient),
    .remainder_o(remainder)
  );

  logic [Width-1:0]   divisor_q;             // of the division under way
  logic [2*Width-1:0] taken_q;               // leading dividend bits divided so far
  logic [Width-1:0]   low_q;                 // dividend bits to come, at the top
  logic [Width-1:0]   to_come_q = '0;        // ones where they are
  logic [2*Width-1:0] product_d, product_q;  // quotient bits made so far, times the divisor
  logic [Width-1:0]   made_d, made_q;        // those bits
  logic               stepped_q = 1'b0;
  logic               waits_q = 1'b0;
  logic [Width-1:0]   last_quotient_q, last_remainder_q;

  assign product_d = stepped_q
                     ? {product_q[2*Width-2:0], 1'b0} +
                           (quotient[0] ? {{Width{1'b0}}, divisor_q} : {2 * Width{1'b0}})
                     : product_q;

  assign made_d = stepped_q ? {made_q[Width-2:0], quotient[0]} : made_q;

  always_ff @(posedge clk_i) begin
    started_q        <= 1'b1;
    stepped_q        <= 1'b0;
    waits_q          <= started_q && out_valid && !out_ready_i;
    last_quotient_q  <= quotient;
    last_remainder_q <= remainder;
    product_q        <= product_d;
    made_q           <= made_d;
    if (started_q && in_valid_i && in_ready) begin
      divisor_q <= divisor_i;
      taken_q   <= {{Width{1'b0}}, high_i};
      low_q     <= low_i;
      to_come_q <= {Width{1'b1}};
      product_q <= '0;
    end else if (started_q && !in_ready && !out_valid) begin
      taken_q   <= {taken_q[2*Width-2:0], low_q[Width-1]};
      low_q     <= {low_q[Width-2:0], 1'b0};
      to_come_q <= {to_come_q[Width-2:0], 1'b0};
      stepped_q <= 1'b1;
    end
  end

  logic on_time;
  assign on_time = out_valid == (to_come_q == '0);

  always_comb begin
    if (started_q && in_ready) assume (!in_valid_i || high_i < divisor_i);
    if (started_q && !in_ready) assume (divisor_i == divisor_q);
  end

  if (Timing) begin : gen_timing
    logic was_free_q = 1'b0, was_taken_q = 1'b0, begun_q = 1'b0;
    always_ff @(posedge clk_i) begin
      was_free_q  <= started_q && in_valid_i && in_ready;
      was_taken_q <= started_q && out_valid && out_ready_i;
      begun_q     <= started_q && (begun_q || (in_valid_i && in_ready));
    end

    always_comb begin
      if (started_q && !in_ready) begin
        result_on_time: assert (on_time);
      end
      // Operands taken begin a division; the divider is free again behind its result.
      if (was_free_q) begin
        begins: assert (!in_ready);
      end
      if (was_taken_q) begin
        free_again: assert (in_ready);
      end
      if (started_q && !begun_q) begin
        free_at_first: assert (in_ready);
      end
      result: cover (started_q && out_valid);
    end
  end else begin : gen_arithmetic
    always_comb begin
      if (started_q && !in_ready) begin
        assume (on_time);
        taken_from_the_top: assert ((~to_come_q & (~to_come_q + 1'b1)) == '0);
        below_the_divisor: assert (remainder < divisor_q);
        is_the_dividend: assert (product_d + {{Width{1'b0}}, remainder} == taken_q);
        keeps_what_is_to_come: assert ((quotient & to_come_q) == (low_q & to_come_q));
        keeps_what_is_made: assert ((quotient & ~to_come_q) == (made_d & ~to_come_q));
        bits_of_both_values: cover (to_come_q == {1'b1, {Width - 1{1'b0}}} && made_d[1:0] == 2'd2);
      end
      if (started_q && waits_q) begin
        waits: assert (out_valid);
        stays: assert (quotient == last_quotient_q && remainder == last_remainder_q);
      end
    end
  end

endmodule
