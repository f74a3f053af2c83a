// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// ID generator of the detection unit: programmed by a convolution packet, turns addresses of 32-byte
// chunks into ids, one a cycle. See README.md for timing.
module id_generator (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,

  input  logic                                      program_valid_i,
  output logic                                      program_ready_o,
  input  logic [id_generator_pkg::PacketBits-1:0]   packet_i,
  output logic                                      busy_o,  // a packet is being checked
  output logic [3:0]                                packet_error_o,  // packet_error_e

  input  logic                                      in_valid_i,
  output logic                                      in_ready_o,
  input  logic [id_generator_pkg::AddressBits-1:0]  address_i,
  input  logic [id_generator_pkg::TagBits-1:0]      tag_i,

  output logic                                      out_valid_o,
  input  logic                                      out_ready_i,
  output logic [id_generator_pkg::ElementBits-1:0]  element_o,
  output logic [id_generator_pkg::BatchBits-1:0]    batch_o,
  output logic [3:0]                                bypass_o,  // bypass_e
  output logic                                      zero_o,
  output logic [id_generator_pkg::TagBits-1:0]      tag_o
);

  if (id_generator_pkg::WalkStages != 4) begin : gen_check_walk_stages
    $error("id_generator: WalkStages of the package must be 4");
  end

  if (id_generator_pkg::WalkStages * id_generator_pkg::WalkPixels < 16) begin : gen_check_walk_pixels
    $error("id_generator: WalkStages * WalkPixels of the package must be at least 16");
  end

  if (id_generator_pkg::DividerStages != 3) begin : gen_check_divider_stages
    $error("id_generator: DividerStages of the package must be 3");
  end

  if (id_generator_pkg::DivisionBits != 32 || id_generator_pkg::ShiftBits != 6 ||
      id_generator_pkg::Reciprocals != 6 || id_generator_pkg::Divisions != 9 ||
      id_generator_pkg::Products != 11) begin : gen_check_division
    $error("id_generator: divisions of the package must be 9 of 32 bits with 6 reciprocals and 11 products");
  end

  if (id_generator_pkg::PacketBits != 256 || id_generator_pkg::AddressBits != 64 ||
      id_generator_pkg::ElementBits != 48 || id_generator_pkg::BatchBits != 10 ||
      id_generator_pkg::TagBits < 1) begin : gen_check_pins
    $error("id_generator: packet, address, element and batch of the package must have 256, 64, 48 and 10 bits, the tag at least 1");
  end

  localparam int unsigned Latency /*verilator public*/ = id_generator_pkg::IdLatency;
  // For the C++ side only.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned ProgramCycles /*verilator public*/ = id_generator_pkg::ProgramCycles;
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned Divide  = id_generator_pkg::DividerStages;
  localparam int unsigned Walk    = id_generator_pkg::WalkStages;

  id_generator_pkg::config_t       cfg;
  id_generator_pkg::packet_error_e packet_error;

  logic advance;
  id_control u_control (
    .clk_i,
    .rst_ni,
    .busy_i         (busy_o),
    .program_valid_i,
    .program_ready_o,
    .in_valid_i,
    .in_ready_o,
    .out_valid_o,
    .out_ready_i,
    .advance_o      (advance)
  );

  assign packet_error_o = packet_error;
  packet_programmer u_programmer (
    .clk_i,
    .rst_ni,
    .start_i (program_valid_i && program_ready_o),
    .packet_i,
    .busy_o,
    .error_o (packet_error),
    .config_o(cfg)
  );

  delay_line #(.Width(id_generator_pkg::TagBits), .Depth(Latency)) u_tag (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(tag_i), .data_o(tag_o)
  );

  // 1. Where in the workspace.
  logic [63:0] distance;
  logic [31:0] chunk_d, chunk_q;
  logic [3:0]  region_d, region_q;

  assign distance = address_i - {16'b0, cfg.base};
  assign chunk_d  = distance[36:5];
  always_comb begin
    region_d = id_generator_pkg::BypassNone;
    if (!cfg.on) begin
      region_d = id_generator_pkg::BypassOff;
    end else if (distance >= {27'b0, cfg.n_chunks, 5'b0}) begin
      region_d = id_generator_pkg::BypassOutsideWorkspace;
    end else if (address_i[4:0] != '0) begin
      region_d = id_generator_pkg::BypassUnaligned;
    end
  end

  // 2. Workspace row and chunk column.
  logic [31:0] row, column;
  reciprocal_divider u_by_pitch (
    .clk_i, .rst_ni, .enable_i(advance),
    .divisor_i(cfg.by_pitch.divisor), .reciprocal_i(cfg.by_pitch.reciprocal),
    .shift_i(cfg.by_pitch.shift),
    .dividend_i(chunk_q), .quotient_o(row), .remainder_o(column)
  );

  // 3. Image and row in it; filter row and place in it.
  logic [31:0] batch, in_image, filter_row, filter_place;
  reciprocal_divider u_by_image (
    .clk_i, .rst_ni, .enable_i(advance),
    .divisor_i(cfg.by_image.divisor), .reciprocal_i(cfg.by_image.reciprocal),
    .shift_i(cfg.by_image.shift),
    .dividend_i(row), .quotient_o(batch), .remainder_o(in_image)
  );
  reciprocal_divider u_by_filter_row (
    .clk_i, .rst_ni, .enable_i(advance),
    .divisor_i(cfg.by_filter_row.divisor), .reciprocal_i(cfg.by_filter_row.reciprocal),
    .shift_i(cfg.by_filter_row.shift),
    .dividend_i(cfg.dense ? {column[27:0], 4'b0} : column),
    .quotient_o(filter_row), .remainder_o(filter_place)
  );

  logic [3:0] region, bypass_d, bypass;
  logic       batch_tail, crosses;
  delay_line #(.Width(4), .Depth(2 * Divide)) u_region (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(region_q), .data_o(region)
  );
  delay_line #(.Width(1), .Depth(Divide)) u_batch_tail (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(row >= cfg.total_rows), .data_o(batch_tail)
  );

  assign crosses = cfg.dense && filter_place + 32'd16 > cfg.by_filter_row.divisor;
  always_comb begin
    bypass_d = region;
    if (region == id_generator_pkg::BypassNone) begin
      if (batch_tail) begin
        bypass_d = id_generator_pkg::BypassBatchTail;
      end else if (filter_row >= {28'b0, cfg.filter_height} ||
                   (crosses && filter_row + 32'd1 == {28'b0, cfg.filter_height})) begin
        bypass_d = id_generator_pkg::BypassRowTail;
      end else if (crosses) begin
        bypass_d = id_generator_pkg::BypassCrossing;
      end
    end
  end
  delay_line #(.Width(4), .Depth(Latency - 1 - 2 * Divide)) u_bypass (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(bypass_d), .data_o(bypass)
  );
  logic [9:0] batch_out;
  delay_line #(.Width(10), .Depth(Latency - 1 - 2 * Divide)) u_batch (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(batch[9:0]), .data_o(batch_out)
  );

  // 4. Output position; first pixel of the chunk in its filter row.
  logic [18:0] offset, offset_x;  // halves in the filter row
  logic [3:0]  fy;
  logic [31:0] out_y, out_x, first_pixel, pixel_offset;
  assign offset = cfg.dense ? filter_place[18:0] : {filter_place[14:0], 4'b0};
  reciprocal_divider u_by_width (
    .clk_i, .rst_ni, .enable_i(advance),
    .divisor_i(cfg.by_width.divisor), .reciprocal_i(cfg.by_width.reciprocal),
    .shift_i(cfg.by_width.shift),
    .dividend_i(in_image), .quotient_o(out_y), .remainder_o(out_x)
  );
  reciprocal_divider u_by_channels (
    .clk_i, .rst_ni, .enable_i(advance),
    .divisor_i(cfg.by_channels.divisor), .reciprocal_i(cfg.by_channels.reciprocal),
    .shift_i(cfg.by_channels.shift),
    .dividend_i({13'b0, offset}), .quotient_o(first_pixel), .remainder_o(pixel_offset)
  );
  delay_line #(.Width(4), .Depth(Divide)) u_filter_row (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(filter_row[3:0]), .data_o(fy)
  );
  // Two cycles more: the element id is made two stages behind the output position.
  delay_line #(.Width(19), .Depth(Divide + 2)) u_offset (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(offset), .data_o(offset_x)
  );

  // 5. Input position; halves of the chunk behind its first pixel.
  logic [15:0] iy_d, iy_q, ix_d, ix_q, pixel_x_d, pixel_x_q, halves_first;
  logic [4:0]  left_d, left_q;
  assign iy_d         = 16'(out_y[15:0] * {8'b0, cfg.stride}) + {12'b0, fy};
  assign ix_d         = 16'(out_x[15:0] * {8'b0, cfg.stride});
  assign pixel_x_d    = ix_d + first_pixel[15:0];
  assign halves_first = cfg.channels - pixel_offset[15:0];
  assign left_d       = (halves_first >= 16'd16) ? 5'd0 : 5'd16 - halves_first[4:0];

  // 6. Element id: pixel, then half.
  logic [31:0] pixel_d, pixel_q;
  logic [47:0] element_d, element_q, element;
  assign pixel_d   = {16'b0, iy_q} * {16'b0, cfg.padded_width} + {16'b0, ix_q};
  assign element_d = {16'b0, pixel_q} * {32'b0, cfg.channels} + {29'b0, offset_x};
  delay_line #(.Width(48), .Depth(Walk + 1)) u_element (
    .clk_i, .rst_ni, .enable_i(advance), .data_i(element_q), .data_o(element)
  );

  // 7. Zero rule: how far the first pixel lies behind one that can be real; then pixel by pixel.
  logic [31:0] row_quotient, row_phase, column_quotient, column_phase;
  logic [15:0] walk_iy, walk_ix;
  logic [4:0]  walk_left;
  logic [15:0] pad;
  assign pad = {8'b0, cfg.pad};
  reciprocal_divider u_row_phase (
    .clk_i, .rst_ni, .enable_i(advance),
    .divisor_i(cfg.by_up_factor.divisor), .reciprocal_i(cfg.by_up_factor.reciprocal),
    .shift_i(cfg.by_up_factor.shift),
    .dividend_i((iy_q >= pad) ? {16'b0, iy_q - pad} : 32'd0),
    .quotient_o(row_quotient), .remainder_o(row_phase)
  );
  reciprocal_divider u_column_phase (
    .clk_i, .rst_ni, .enable_i(advance),
    .divisor_i(cfg.by_up_factor.divisor), .reciprocal_i(cfg.by_up_factor.reciprocal),
    .shift_i(cfg.by_up_factor.shift),
    .dividend_i((pixel_x_q >= pad) ? {16'b0, pixel_x_q - pad} : 32'd0),
    .quotient_o(column_quotient), .remainder_o(column_phase)
  );
  delay_line #(.Width(37), .Depth(Divide)) u_walk (
    .clk_i, .rst_ni, .enable_i(advance),
    .data_i({iy_q, pixel_x_q, left_q}), .data_o({walk_iy, walk_ix, walk_left})
  );

  id_generator_pkg::walk_t walk_0, walk_1, walk_2, walk_3, walk_4;
  logic [4:0]  pixel_halves;
  assign pixel_halves = (cfg.channels >= 16'd16) ? 5'd16 : cfg.channels[4:0];
  assign walk_0       = {1'b0, walk_iy, walk_ix, row_phase[3:0], column_phase[3:0], 1'b1, walk_left,
                         1'b0};

  zero_walk u_walk_1 (
    .clk_i, .rst_ni, .enable_i(advance && cfg.zero_rule),
    .last_column_i(cfg.last_column), .padded_height_i(cfg.padded_height),
    .row_end_i(cfg.row_end), .column_end_i(cfg.column_end), .pad_i(cfg.pad),
    .up_factor_i(cfg.up_factor), .pixel_halves_i(pixel_halves),
    .walk_i(walk_0), .walk_o(walk_1)
  );
  zero_walk u_walk_2 (
    .clk_i, .rst_ni, .enable_i(advance && cfg.zero_rule),
    .last_column_i(cfg.last_column), .padded_height_i(cfg.padded_height),
    .row_end_i(cfg.row_end), .column_end_i(cfg.column_end), .pad_i(cfg.pad),
    .up_factor_i(cfg.up_factor), .pixel_halves_i(pixel_halves),
    .walk_i(walk_1), .walk_o(walk_2)
  );
  zero_walk u_walk_3 (
    .clk_i, .rst_ni, .enable_i(advance && cfg.zero_rule),
    .last_column_i(cfg.last_column), .padded_height_i(cfg.padded_height),
    .row_end_i(cfg.row_end), .column_end_i(cfg.column_end), .pad_i(cfg.pad),
    .up_factor_i(cfg.up_factor), .pixel_halves_i(pixel_halves),
    .walk_i(walk_2), .walk_o(walk_3)
  );
  zero_walk u_walk_4 (
    .clk_i, .rst_ni, .enable_i(advance && cfg.zero_rule),
    .last_column_i(cfg.last_column), .padded_height_i(cfg.padded_height),
    .row_end_i(cfg.row_end), .column_end_i(cfg.column_end), .pad_i(cfg.pad),
    .up_factor_i(cfg.up_factor), .pixel_halves_i(pixel_halves),
    .walk_i(walk_3), .walk_o(walk_4)
  );

  // 8. What has no id is nothing but its reason.
  logic has_id;
  assign has_id    = bypass == id_generator_pkg::BypassNone;
  assign bypass_o  = bypass;
  assign element_o = has_id ? element : '0;
  assign batch_o   = has_id ? batch_out : '0;
  assign zero_o    = has_id && cfg.zero_rule && !walk_4.nonzero;

  logic unused;
  assign unused = &{1'b0, distance[63:37], batch[31:10], out_y[31:16], out_x[31:16],
                    first_pixel[31:16], pixel_offset[31:16], row_quotient, column_quotient,
                    row_phase[31:4], column_phase[31:4], walk_4};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      chunk_q   <= '0;
      region_q  <= id_generator_pkg::BypassNone;
      iy_q      <= '0;
      ix_q      <= '0;
      pixel_x_q <= '0;
      left_q    <= '0;
      pixel_q   <= '0;
      element_q <= '0;
    end else if (advance) begin
      chunk_q   <= chunk_d;
      region_q  <= region_d;
      iy_q      <= iy_d;
      ix_q      <= ix_d;
      pixel_x_q <= pixel_x_d;
      left_q    <= left_d;
      pixel_q   <= pixel_d;
      element_q <= element_d;
    end
  end

endmodule
