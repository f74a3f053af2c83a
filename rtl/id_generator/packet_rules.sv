// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// The rules of a convolution packet that need no multiplication or division. Combinational.
module packet_rules (
  input  logic [id_generator_pkg::PacketBits-1:0] packet_i,
  output id_generator_pkg::packet_error_e         error_o  // the first that is broken
);

  logic        valid, transposed;
  logic [2:0]  index_shift;
  logic [15:0] padded_width, padded_height, output_height, output_width, channels;
  logic [3:0]  filter_height, up_factor;
  logic [7:0]  pad, stride;
  logic [14:0] filter_row;
  logic [31:0] row_pitch;

  assign valid         = packet_i[58];
  assign transposed    = packet_i[59];
  assign index_shift   = packet_i[63:61];
  assign padded_width  = packet_i[64 +: 16];
  assign output_height = packet_i[80 +: 16];
  assign output_width  = packet_i[96 +: 16];
  assign channels      = packet_i[112 +: 16];
  assign filter_height = packet_i[131:128];
  assign up_factor     = packet_i[135:132];
  assign pad           = packet_i[136 +: 8];
  assign stride        = packet_i[144 +: 8];
  assign filter_row    = packet_i[160 +: 15];
  assign padded_height = packet_i[176 +: 16];
  assign row_pitch     = packet_i[192 +: 32];

  logic unused;
  assign unused = &{1'b0, packet_i[57:5], packet_i[60], packet_i[159:152], packet_i[175],
                    packet_i[255:224]};

  // The set index may leave out the trailing zeros of stride * channels, at most four.
  logic [3:0] trailing_zeros;
  assign trailing_zeros = {1'b0, zeros_below(stride[3:0])} + {1'b0, zeros_below(channels[3:0])};

  logic no_row, no_column;
  assign no_row    = padded_height <= {7'b0, pad, 1'b0};
  assign no_column = padded_width <= {7'b0, pad, 1'b0};

  always_comb begin
    error_o = id_generator_pkg::PacketGood;
    if (!valid) begin
      error_o = id_generator_pkg::PacketValid;
    end else if (packet_i[4:0] != '0) begin
      error_o = id_generator_pkg::PacketBase;
    end else if (stride == '0) begin
      error_o = id_generator_pkg::PacketStride;
    end else if (channels == '0) begin
      error_o = id_generator_pkg::PacketChannels;
    end else if (filter_height == '0) begin
      error_o = id_generator_pkg::PacketFilterHeight;
    end else if (filter_row == '0) begin
      error_o = id_generator_pkg::PacketFilterRow;
    end else if (up_factor == '0) begin
      error_o = id_generator_pkg::PacketUpFactor;
    end else if (no_column) begin
      error_o = id_generator_pkg::PacketPaddedWidth;
    end else if (no_row) begin
      error_o = id_generator_pkg::PacketPaddedHeight;
    end else if (output_height == '0) begin
      error_o = id_generator_pkg::PacketOutputHeight;
    end else if (output_width == '0) begin
      error_o = id_generator_pkg::PacketOutputWidth;
    end else if (row_pitch == '0) begin
      error_o = id_generator_pkg::PacketRowPitch;
    end else if (index_shift > 3'd4 || {1'b0, index_shift} > trailing_zeros) begin
      error_o = id_generator_pkg::PacketIndexShift;
    end else if (transposed && stride != 8'd1) begin
      error_o = id_generator_pkg::PacketStride;
    end else if (!transposed && up_factor != 4'd1) begin
      error_o = id_generator_pkg::PacketUpFactor;
    end
  end

  function automatic logic [2:0] zeros_below(input logic [3:0] value);
    zeros_below = value[0] ? 3'd0 : value[1] ? 3'd1 : value[2] ? 3'd2 : value[3] ? 3'd3 : 3'd4;
  endfunction

endmodule
