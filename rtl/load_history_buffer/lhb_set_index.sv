// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Set of a datum: (element >> shift) modulo the sets, with upper bits and image optionally folded
// in. Combinational.
module lhb_set_index #(
  parameter int unsigned IndexBits = 11,
  parameter int unsigned LogBits   = 4
) (
  input  logic [load_history_buffer_pkg::ElementBits-1:0] element_i,
  input  logic [load_history_buffer_pkg::BatchBits-1:0]   batch_i,
  input  logic [load_history_buffer_pkg::ShiftBits-1:0]   shift_i,
  input  logic                                            fold_i,
  input  logic [LogBits-1:0]                              log_sets_i,
  output logic [IndexBits-1:0]                            set_o
);

  if (IndexBits < 1 || IndexBits > 48) begin : gen_check_index_bits
    $error("lhb_set_index: IndexBits must be 1 to 48");
  end

  if (LogBits < 1) begin : gen_check_log_bits
    $error("lhb_set_index: LogBits must be at least 1");
  end

  logic [load_history_buffer_pkg::ElementBits-1:0] index, once;
  logic [IndexBits-1:0]                            twice, image, folded, mask;

  assign index  = element_i >> shift_i;
  assign once   = index >> log_sets_i;
  assign twice  = IndexBits'(once >> log_sets_i);
  assign image  = IndexBits'(batch_i * load_history_buffer_pkg::BatchBits'(
                                           load_history_buffer_pkg::FoldFactor));
  assign folded = index[IndexBits-1:0] ^ once[IndexBits-1:0] ^ twice ^ image;
  assign mask   = ~({IndexBits{1'b1}} << log_sets_i);
  assign set_o  = (fold_i ? folded : index[IndexBits-1:0]) & mask;

endmodule
