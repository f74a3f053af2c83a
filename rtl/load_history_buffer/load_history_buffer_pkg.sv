// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants and types of the load history buffer.
package load_history_buffer_pkg;

  localparam int unsigned ElementBits = 48;
  localparam int unsigned BatchBits   = 16;
  localparam int unsigned OwnerBits   = 64;  // group tag, sharing domain, kernel tag
  localparam int unsigned ShiftBits   = 5;
  localparam int unsigned FoldFactor  = 37;  // spreads images over the sets

  // From an operation taken to its result.
  localparam int unsigned LookupLatency = 2;

  typedef enum logic [1:0] {
    OpLookup  = 2'd0,
    OpInsert  = 2'd1,
    OpRelease = 2'd2
  } op_e;

endpackage
