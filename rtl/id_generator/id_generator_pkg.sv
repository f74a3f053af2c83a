// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Constants and types of the ID generator.
package id_generator_pkg;

  localparam int unsigned PacketBits  = 256;  // the convolution packet, byte 0 in bits 7:0
  localparam int unsigned AddressBits = 64;
  localparam int unsigned ElementBits = 48;
  localparam int unsigned BatchBits   = 10;
  localparam int unsigned TagBits     = 8;

  localparam int unsigned DivisionBits  = 32;  // of dividends, divisors and reciprocals
  localparam int unsigned ShiftBits     = 6;   // counts 0 to DivisionBits
  localparam int unsigned DividerStages = 3;   // of a division by a programmed reciprocal
  localparam int unsigned WalkStages    = 4;   // of the zero rule,
  localparam int unsigned WalkPixels    = 4;   // each looks at so many pixels

  // From an address taken to its id: input register, three divisions one after the other, input
  // position, division by the up-factor, zero rule.
  localparam int unsigned IdLatency = 1 + 3 * DividerStages + 1 + DividerStages + WalkStages;

  // Divisions when a packet comes: six reciprocals, two filter widths, rows of the workspace.
  localparam int unsigned Reciprocals = 6;
  localparam int unsigned Divisions   = Reciprocals + 3;
  localparam int unsigned Products    = 11;
  // From a packet taken to the unit being ready again, whether the packet is good or not.
  localparam int unsigned ProgramCycles = Products + Divisions * (DivisionBits + 2) + 1;

  // Why an address has no id.
  typedef enum logic [3:0] {
    BypassNone             = 4'd0,
    BypassOff              = 4'd1,
    BypassAsleep           = 4'd2,
    BypassOutsideWorkspace = 4'd3,
    BypassUnaligned        = 4'd4,
    BypassCrossing         = 4'd5,
    BypassRowTail          = 4'd6,
    BypassBatchTail        = 4'd7
  } bypass_e;

  // The field of a packet that breaks the first of the rules; README.md lists them.
  typedef enum logic [3:0] {
    PacketGood         = 4'd0,
    PacketValid        = 4'd1,
    PacketBase         = 4'd2,
    PacketStride       = 4'd3,
    PacketChannels     = 4'd4,
    PacketFilterHeight = 4'd5,
    PacketFilterRow    = 4'd6,
    PacketUpFactor     = 4'd7,
    PacketPaddedWidth  = 4'd8,
    PacketPaddedHeight = 4'd9,
    PacketOutputHeight = 4'd10,
    PacketOutputWidth  = 4'd11,
    PacketRowPitch     = 4'd12,
    PacketIndexShift   = 4'd13,
    PacketChunks       = 4'd14,
    PacketIdRange      = 4'd15   // element ids would pass 48 bits
  } packet_error_e;

  // A divisor with its reciprocal 2^32 + `reciprocal` = ceil(2^(32 + shift) / divisor).
  typedef struct packed {
    logic [DivisionBits-1:0] divisor;
    logic [DivisionBits-1:0] reciprocal;
    logic [ShiftBits-1:0]    shift;  // ceil(log2 divisor)
  } divisor_t;

  // Fields of a packet that the pipeline uses.
  typedef struct packed {
    logic        on;  // a good packet is there
    logic [47:0] base;
    logic [31:0] n_chunks;
    logic [31:0] total_rows;
    logic [3:0]  filter_height;
    logic        dense;
    logic        zero_rule;
    logic [7:0]  stride;
    logic [15:0] channels;
    logic [15:0] padded_width;
    logic [15:0] padded_height;
    logic [15:0] last_column;  // of a padded row
    logic [15:0] row_end;      // first row and column of the padding behind
    logic [15:0] column_end;
    logic [7:0]  pad;
    logic [3:0]  up_factor;
    divisor_t    by_pitch;
    divisor_t    by_image;
    divisor_t    by_width;
    divisor_t    by_filter_row;
    divisor_t    by_channels;
    divisor_t    by_up_factor;
  } config_t;

  // A pixel of a chunk on its way through the zero rule.
  typedef struct packed {
    logic [16:0] iy;  // padded input row and column
    logic [15:0] ix;
    logic [3:0]  row_phase;     // distance from the last row that can be real, where iy >= pad
    logic [3:0]  column_phase;
    logic        active;        // the chunk reaches this pixel
    logic [4:0]  left;          // halves of the chunk behind this pixel
    logic        nonzero;       // a pixel before may be other than zero
  } walk_t;

endpackage
