// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants of the bitmap im2col.
package bitmap_im2col_pkg;

  // From the cycle in which a row is taken to its first column.
  localparam int unsigned ColumnLatency = 3;

endpackage
