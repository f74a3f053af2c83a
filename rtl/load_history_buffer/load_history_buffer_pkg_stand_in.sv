// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Replacement of load_history_buffer_pkg in proofs: keys of four bits, tractable for a solver.
package load_history_buffer_pkg;

  localparam int unsigned ElementBits = 2;
  localparam int unsigned BatchBits   = 1;
  localparam int unsigned OwnerBits   = 1;
  localparam int unsigned ShiftBits   = 5;
  localparam int unsigned FoldFactor  = 1;

  localparam int unsigned LookupLatency = 2;

  typedef enum logic [1:0] {
    OpLookup  = 2'd0,
    OpInsert  = 2'd1,
    OpRelease = 2'd2
  } op_e;

endpackage
