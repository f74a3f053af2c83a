// SPDX-License-Identifier: Apache-2.0
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

  // What is wrong with a packet: the first that applies.
  typedef enum logic [4:0] {
    PacketGood           = 5'd0,
    PacketNotValid       = 5'd1,
    PacketBase           = 5'd2,   // not 32-byte aligned
    PacketNoStride       = 5'd3,
    PacketNoChannels     = 5'd4,
    PacketNoFilterHeight = 5'd5,
    PacketNoFilterRow    = 5'd6,
    PacketNoUpFactor     = 5'd7,
    PacketPaddedWidth    = 5'd8,   // nothing but padding
    PacketPaddedHeight   = 5'd9,
    PacketNoOutputHeight = 5'd10,
    PacketNoOutputWidth  = 5'd11,
    PacketNoPitch        = 5'd12,
    PacketIndexShift     = 5'd13,  // would send neighbouring rows to one set
    PacketStride         = 5'd14,  // transposed, and not 1
    PacketUpFactor       = 5'd15,  // not transposed, and not 1
    PacketImageSize      = 5'd16,  // more than 2^32 halves
    PacketFilterHeight   = 5'd17,  // higher than the padded input
    PacketOutputHeight   = 5'd18,
    PacketFilterRow      = 5'd19,  // no whole number of pixels
    PacketFilterWidth    = 5'd20,  // wider than the padded input
    PacketOutputWidth    = 5'd21,
    PacketPitch          = 5'd22,  // less than a row
    PacketChunks         = 5'd23,  // not whole rows, or too few
    PacketEnd            = 5'd24,  // beyond 48 address bits
    PacketIdRange        = 5'd25   // ids pass 48 bits
  } packet_error_e;

  // A divisor with its reciprocal 2^32 + `reciprocal` = ceil(2^(32 + shift) / divisor).
  typedef struct packed {
    logic [DivisionBits-1:0] divisor;
    logic [DivisionBits-1:0] reciprocal;
    logic [ShiftBits-1:0]    shift;  // ceil(log2 divisor)
  } divisor_t;

  // What the pipeline needs of a packet.
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
