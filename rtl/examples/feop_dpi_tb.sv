// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Example of a testbench that compares the outer-product unit with its golden model by DPI-C. Any
// difference ends it by $fatal. README.md has the commands.
module feop_dpi_tb;

  localparam int unsigned Lanes = feop_pkg::Lanes;
  localparam int unsigned Latency = feop_pkg::SumLatency;
  localparam int unsigned Operations = 100000;

  // tessera_golden.h. A packed vector has the bytes of the header's array.
  import "DPI-C" function int tessera_golden_feop(
    input  shortint unsigned    a,
    input  bit [Lanes*16-1:0]   b,
    input  bit [Lanes*32-1:0]   c,
    output bit [Lanes*32-1:0]   d
  );
  import "DPI-C" function string tessera_golden_message();

  logic                clk = 1'b0;
  logic                rst_n = 1'b0;
  logic [Latency-1:0]  en = '0;
  logic [15:0]         a = '0;
  logic [Lanes*16-1:0] b = '0;
  logic [Lanes*32-1:0] c = '0;
  logic [Lanes*32-1:0] d;

  feop u_dut (
    .clk_i (clk),
    .rst_ni(rst_n),
    .en_i  (en),
    .a_i   (a),
    .b_i   (b),
    .c_i   (c),
    .d_o   (d)
  );

  initial forever #5 clk = ~clk;

  // Half of the operands have small exponents, so that sums neither overflow nor drop a summand.
  function automatic logic [15:0] random_half();
    random_half = 16'($urandom);
    if ($urandom % 2 == 0) random_half[14:10] = 5'd12 + 5'($urandom % 6);
  endfunction

  function automatic logic [31:0] random_float();
    random_float = $urandom;
    if ($urandom % 2 == 0) random_float[30:23] = 8'd120 + 8'($urandom % 16);
  endfunction

  // Results of the operations that the stages hold, the newest first.
  logic [Lanes*32-1:0] expected [Latency];
  int unsigned         taken = 0;
  int unsigned         compared = 0;

  task automatic take_operation();
    bit [Lanes*32-1:0] sums;
    a = random_half();
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      b[16*lane +: 16] = random_half();
      c[32*lane +: 32] = random_float();
    end
    if (tessera_golden_feop(a, b, c, sums) != 0) begin
      $fatal(1, "golden library: %s", tessera_golden_message());
    end
    for (int unsigned stage = Latency - 1; stage > 0; stage--) begin
      expected[stage] = expected[stage-1];
    end
    expected[0] = sums;
    taken++;
  endtask

  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    while (compared < Operations) begin
      en = {Latency{$urandom % 4 != 0}};  // all stages move, or none
      if (en != '0) take_operation();
      @(negedge clk);
      if (en != '0 && taken >= Latency) begin
        if (d != expected[Latency-1]) begin
          $fatal(1, "operation %0d: d_o is %h, expected %h", compared, d, expected[Latency-1]);
        end
        compared++;
      end
    end
    $display("feop: %0d operations equal those of the golden model", compared);
    $finish;
  end

endmodule
