// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes of the bitmap unit. Vectors of k sets or lanes are flat, element 0 lowest.
package bitmap_unit_pkg;

  localparam int unsigned TileSize /*verilator public*/ = 32;  // bits of a bitmap
  localparam int unsigned TileDepth /*verilator public*/ = 16;  // k sets of a tile
  localparam int unsigned Rows /*verilator public*/ = 8;   // of an OHMMA
  localparam int unsigned Columns /*verilator public*/ = 16;

endpackage
