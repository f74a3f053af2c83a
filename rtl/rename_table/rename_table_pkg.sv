// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants and types of the rename table.
package rename_table_pkg;

  // From a unit taken to its old register.
  localparam int unsigned OldLatency = 2;

  typedef enum logic [1:0] {
    OpUnmapped = 2'd0,  // no register
    OpNew      = 2'd1,  // the first free register
    OpShare    = 2'd2   // a register in use
  } op_e;

endpackage
