// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// One bank: operand collector, 8 accumulators with one read and one write port, FP32 adder in two
// stages. The head of the FIFO is issued unless its word is in the adder.
module accumulation_bank (
  /* verilator tracing_off */
  input  logic           clk_i,
  input  logic           rst_ni,

  // Sparse: entries of 8 row lanes for this bank.
  input  logic [7:0]     want_i /*verilator public_flat_rd*/,
  input  logic [8*3-1:0] lane_word_i /*verilator public_flat_rd*/,
  input  logic [8*32-1:0] lane_product_i /*verilator public_flat_rd*/,
  output logic [7:0]     take_o,
  output logic           all_o,    // every wanted entry is taken

  // Dense: issued at once, when the FIFO is empty.
  input  logic           dense_i /*verilator public_flat_rd*/,
  input  logic           dense_first_i /*verilator public_flat_rd*/,
  input  logic [2:0]     dense_word_i /*verilator public_flat_rd*/,
  input  logic [31:0]    dense_product_i /*verilator public_flat_rd*/,
  input  logic [31:0]    dense_c_i /*verilator public_flat_rd*/,
  input  logic           advance_i /*verilator public_flat_rd*/,  // low: the adder keeps what it has
  output logic [31:0]    result_o,   // of the adder's second stage

  // When nothing is held or under way.
  input  logic           preload_i /*verilator public_flat_rd*/,
  input  logic [2:0]     preload_word_i /*verilator public_flat_rd*/,
  input  logic [31:0]    preload_data_i /*verilator public_flat_rd*/,
  input  logic           drain_i /*verilator public_flat_rd*/,
  input  logic           drain_clear_i /*verilator public_flat_rd*/,
  input  logic [2:0]     drain_word_i /*verilator public_flat_rd*/,
  output logic [31:0]    row_o,

  output logic           holds_o,  // the FIFO is not empty
  output logic           adds_o    // the adder is not empty
);

  // 128 copies of the code would take minutes to compile.
  /* verilator no_inline_module */

  // State first, the only part of a bank that is in dumps.
  /* verilator tracing_on */
  logic [3:0]            count;
  logic                  adds_q, adds_d;
  logic [2:0]            word_q, word_d;
  fp_pkg::fp32_add_mid_t mid_q, mid_d;
  /* verilator tracing_off */

  localparam int unsigned EntryBits = 3 + 32;

  // Not taken as a first value: it would make skipped zeros visible.
  localparam logic [31:0] NegativeZero = 32'h8000_0000;

  logic [8*EntryBits-1:0] lane_entry;
  for (genvar i = 0; i < accumulation_buffer_pkg::Rows; i++) begin : gen_entries
    assign lane_entry[EntryBits*i +: EntryBits] = {lane_word_i[3*i +: 3],
                                                   lane_product_i[32*i +: 32]};
  end

  logic [2:0]  head_word;
  logic [31:0] head_product;
  logic        sparse;
  assign holds_o = count != '0;

  accumulation_fifo #(
    .Depth(accumulation_buffer_pkg::FifoDepth),
    .Lanes(accumulation_buffer_pkg::Rows),
    .Width(EntryBits)
  ) u_fifo (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .want_i (want_i),
    .data_i (lane_entry),
    .take_o (take_o),
    .all_o  (all_o),
    .pop_i  (sparse),
    .head_o ({head_word, head_product}),
    .count_o(count)
  );

  assign sparse = holds_o & ~(adds_q & (word_q == head_word));

  // Accumulators. What is read is not being written: the interlock sees to that.
  logic [31:0] words_q [accumulation_buffer_pkg::Words];
  logic [2:0]  word, read_word;
  logic [31:0] read;
  assign word      = dense_i ? dense_word_i : head_word;
  assign read_word = drain_i ? drain_word_i : word;
  assign read      = words_q[read_word];

  logic        write;
  logic [2:0]  write_word;
  logic [31:0] write_data;

  always_comb begin
    write      = adds_q & advance_i;
    write_word = word_q;
    write_data = result_o;
    if (preload_i) begin
      write      = 1'b1;
      write_word = preload_word_i;
      write_data = preload_data_i & {32{preload_data_i != NegativeZero}};
    end else if (drain_clear_i) begin
      write      = 1'b1;
      write_word = drain_word_i;
      write_data = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      words_q[write_word] <= write_data;
    end
  end

  logic [31:0] accumulator, addend;
  assign accumulator = (dense_i & dense_first_i) ? dense_c_i & {32{dense_c_i != NegativeZero}}
                                                 : read;
  assign addend      = dense_i ? dense_product_i : head_product;

  fp_pkg::fp32_add_mid_t mid;

  fp32_add_stage1 u_add_stage1 (
    .x_i  (accumulator),
    .y_i  (addend),
    .mid_o(mid)
  );

  fp32_add_stage2 u_add_stage2 (
    .mid_i(mid_q),
    .sum_o(result_o)
  );

  always_comb begin
    adds_d = adds_q;
    word_d = word_q;
    mid_d  = mid_q;
    if (advance_i) begin
      adds_d = dense_i | sparse;
      if (adds_d) begin
        word_d = word;
        mid_d  = mid;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      adds_q <= 1'b0;
      word_q <= '0;
      mid_q  <= '0;
    end else begin
      adds_q <= adds_d;
      word_q <= word_d;
      mid_q  <= mid_d;
    end
  end

  assign row_o  = read;
  assign adds_o = adds_q;

endmodule
