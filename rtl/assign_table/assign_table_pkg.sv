// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants and types of the assign table.
package assign_table_pkg;

  // From the cycle in which an operation is taken to its answer.
  localparam int unsigned AnswerLatency = 1;

  typedef enum logic [1:0] {
    OpLookup     = 2'd0,  // the SM that has a pair of blocks
    OpInsert     = 2'd1,  // a pair without an entry gets one
    OpInvalidate = 2'd2,  // the entries of an SM with a block leave
    OpFlush      = 2'd3   // all entries leave
  } op_e;

endpackage
