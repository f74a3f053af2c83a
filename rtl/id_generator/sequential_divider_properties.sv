// SPDX-License-Identifier: Apache-2.0
// What must hold of sequential_divider at any width: quotient * divisor + remainder is the dividend,
// and the result stays while it waits. The product is built bit by bit as the quotient appears
// (Horner), so that no multiplication is to be proved.
module sequential_divider_properties #(
  parameter int unsigned WIDTH = 32
) (
  input logic             clk_i,
  input logic             in_valid_i,
  input logic [WIDTH-1:0] high_i,
  input logic [WIDTH-1:0] low_i,
  input logic [WIDTH-1:0] divisor_i,
  input logic             out_ready_i
);

  logic             started_q = 1'b0;
  logic             in_ready, out_valid;
  logic [WIDTH-1:0] quotient, remainder;

  sequential_divider #(
    .WIDTH(WIDTH)
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

  logic [WIDTH-1:0]   divisor_q;             // of the division under way
  logic [2*WIDTH-1:0] taken_q;               // leading dividend bits divided so far
  logic [WIDTH-1:0]   low_q;                 // dividend bits to come, at the top
  logic [WIDTH-1:0]   to_come_q = '0;        // ones where they are
  logic [2*WIDTH-1:0] product_d, product_q;  // quotient bits made so far, times the divisor
  logic               stepped_q = 1'b0;
  logic               waits_q = 1'b0;
  logic [WIDTH-1:0]   last_quotient_q, last_remainder_q;

  assign product_d = stepped_q
                     ? {product_q[2*WIDTH-2:0], 1'b0} +
                           (quotient[0] ? {{WIDTH{1'b0}}, divisor_q} : {2 * WIDTH{1'b0}})
                     : product_q;

  always_ff @(posedge clk_i) begin
    started_q        <= 1'b1;
    stepped_q        <= 1'b0;
    waits_q          <= started_q && out_valid && !out_ready_i;
    last_quotient_q  <= quotient;
    last_remainder_q <= remainder;
    product_q        <= product_d;
    if (started_q && in_valid_i && in_ready) begin
      divisor_q <= divisor_i;
      taken_q   <= {{WIDTH{1'b0}}, high_i};
      low_q     <= low_i;
      to_come_q <= {WIDTH{1'b1}};
      product_q <= '0;
    end else if (started_q && !in_ready && !out_valid) begin
      taken_q   <= {taken_q[2*WIDTH-2:0], low_q[WIDTH-1]};
      low_q     <= {low_q[WIDTH-2:0], 1'b0};
      to_come_q <= {to_come_q[WIDTH-2:0], 1'b0};
      stepped_q <= 1'b1;
    end
  end

  always_comb begin
    if (started_q && in_ready) assume (!in_valid_i || high_i < divisor_i);
    if (started_q && !in_ready) begin
      assume (divisor_i == divisor_q);
      assert (remainder < divisor_q);
      assert (product_d + {{WIDTH{1'b0}}, remainder} == taken_q);
      assert ((quotient & to_come_q) == (low_q & to_come_q));
      // The result is there when all of the dividend was taken, and not before.
      assert (out_valid == (to_come_q == '0));
    end
    if (started_q && waits_q) begin
      assert (out_valid);
      assert (quotient == last_quotient_q && remainder == last_remainder_q);
    end
  end

endmodule
