// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants and types of the precompute table.
package precompute_table_pkg;

  // From an operation offered to an idle table to its answer, without dropped entries.
  localparam int unsigned AnswerLatency = 2;

  typedef enum logic [2:0] {
    OpLookup  = 3'd0,  // the entry of a key leaves, with its results if they are complete
    OpPredict = 3'd1,  // a key without an entry gets one
    OpWaiting = 3'd2,  // the oldest waiting entry, or the next one behind a slot
    OpStart   = 3'd3,  // a waiting entry is being computed from now on
    OpFinish  = 3'd4,  // its results, if the entry is still the one that was started
    OpDrop    = 3'd5   // the oldest entries leave
  } op_e;

endpackage
