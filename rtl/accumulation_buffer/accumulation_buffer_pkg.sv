// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Sizes of the accumulation buffer. Vectors of lanes, banks or words are flat, element 0 lowest.
package accumulation_buffer_pkg;

  localparam int unsigned TileSize /*verilator public*/  = 32;  // rows and columns of the tile
  localparam int unsigned Rows /*verilator public*/      = 8;   // of an OHMMA
  localparam int unsigned Columns /*verilator public*/   = 16;
  localparam int unsigned Banks /*verilator public*/     = 128;
  localparam int unsigned Words /*verilator public*/     = 8;   // of a bank
  localparam int unsigned FifoDepth /*verilator public*/ = 8;   // of a bank

endpackage
