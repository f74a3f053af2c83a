// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Checks a convolution packet and makes the reciprocals of its divisors, with one multiplier and one
// sequential divider. Takes ProgramCycles, whatever the packet; the configuration is off meanwhile.
module packet_programmer (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,

  input  logic                                    start_i,  // only while not busy
  input  logic [id_generator_pkg::PacketBits-1:0] packet_i,

  output logic                                    busy_o,
  output id_generator_pkg::packet_error_e         error_o,  // of the last packet
  output id_generator_pkg::config_t               config_o
);

  typedef enum logic [1:0] {
    StIdle     = 2'd0,
    StMultiply = 2'd1,
    StDivide   = 2'd2,
    StJudge    = 2'd3
  } state_e;

  state_e                                  state_d, state_q;
  logic [3:0]                              step_d, step_q;
  logic [id_generator_pkg::PacketBits-1:0] packet_d, packet_q;
  id_generator_pkg::packet_error_e         error_d, error_q;
  id_generator_pkg::config_t               config_d, config_q;

  // Intermediate results of multiplications and divisions.
  logic [31:0] row_halves_d, row_halves_q;    // of a padded input row
  logic [23:0] width_span_d, width_span_q;    // output width * stride
  logic [31:0] image_rows_d, image_rows_q;
  logic [42:0] total_rows_d, total_rows_q;
  logic [31:0] scratch_d, scratch_q;
  logic [63:0] range_d, range_q;
  logic [31:0] longest_d, longest_q;          // filter widths that fit a filter row
  logic [31:0] shortest_d, shortest_q;
  logic        image_bad_d, image_bad_q;
  logic        height_bad_d, height_bad_q;
  logic        pitch_bad_d, pitch_bad_q;
  logic        range_bad_d, range_bad_q;
  logic        row_uneven_d, row_uneven_q;    // filter row is no multiple of the channels
  logic        chunks_bad_d, chunks_bad_q;

  // 1. Fields.
  logic        zero_rule, dense;
  logic [47:0] base;
  logic [10:0] batch;
  logic [15:0] padded_width, padded_height, output_height, output_width, channels;
  logic [3:0]  filter_height, up_factor;
  logic [7:0]  pad, stride;
  logic [14:0] filter_row;
  logic [31:0] row_pitch, n_chunks;
  logic [18:0] filter_row_halves;

  assign base              = packet_q[47:0];
  assign batch             = {1'b0, packet_q[57:48]} + 11'd1;
  assign zero_rule         = packet_q[60];
  assign padded_width      = packet_q[64 +: 16];
  assign output_height     = packet_q[80 +: 16];
  assign output_width      = packet_q[96 +: 16];
  assign channels          = packet_q[112 +: 16];
  assign filter_height     = packet_q[131:128];
  assign up_factor         = packet_q[135:132];
  assign pad               = packet_q[136 +: 8];
  assign stride            = packet_q[144 +: 8];
  assign filter_row        = packet_q[160 +: 15];
  assign dense             = packet_q[175];
  assign padded_height     = packet_q[176 +: 16];
  assign row_pitch         = packet_q[192 +: 32];
  assign n_chunks          = packet_q[224 +: 32];
  assign filter_row_halves = dense ? {4'b0, filter_row} : {filter_row, 4'b0};

  id_generator_pkg::packet_error_e rule_error;
  packet_rules u_rules (
    .packet_i(packet_q),
    .error_o (rule_error)
  );

  // 2. Products, one a cycle. What compares a product does so in the next cycle.
  logic [31:0] factor_a, factor_b;
  logic [63:0] product, product_d, product_q;
  assign product = {32'b0, factor_a} * {32'b0, factor_b};

  always_comb begin
    factor_a = '0;
    factor_b = '0;
    if (state_q == StMultiply) begin
      unique case (step_q)
        4'd0: begin
          factor_a = {16'b0, padded_width};
          factor_b = {16'b0, channels};
        end
        4'd1: begin
          factor_a = row_halves_q;
          factor_b = {16'b0, padded_height};
        end
        4'd2: begin
          factor_a = {16'b0, output_height};
          factor_b = {24'b0, stride};
        end
        4'd3: begin
          factor_a = {16'b0, output_width};
          factor_b = {24'b0, stride};
        end
        4'd4: begin
          factor_a = {28'b0, filter_height};
          factor_b = {17'b0, filter_row};
        end
        4'd5: begin
          factor_a = {16'b0, output_height};
          factor_b = {16'b0, output_width};
        end
        4'd6: begin
          factor_a = image_rows_q;
          factor_b = {21'b0, batch};
        end
        4'd7: begin
          factor_a = {21'b0, batch};
          factor_b = {16'b0, output_width};
        end
        4'd8: begin
          factor_a = scratch_q;
          factor_b = {24'b0, stride};
        end
        4'd9: begin
          factor_a = scratch_q;
          factor_b = row_halves_q;
        end
        default: begin
          factor_a = row_halves_q;
          factor_b = {28'b0, filter_height};
        end
      endcase
    end
  end

  // 3. Divisions: reciprocals of six divisors, then what the rules need.
  logic [31:0] divisor, high, low, quotient, remainder, reciprocal;
  logic [5:0]  divisor_log;
  logic        divide_valid, divide_ready, result_valid;
  logic        unused;

  always_comb begin
    unique case (step_q)
      4'd0:       divisor = row_pitch;
      4'd1:       divisor = image_rows_q;
      4'd2:       divisor = {16'b0, output_width};
      4'd3:       divisor = {17'b0, filter_row};
      4'd4, 4'd6, 4'd7: divisor = {16'b0, channels};
      4'd5:       divisor = {28'b0, up_factor};
      default:    divisor = row_pitch;
    endcase
    divisor_log = log_of(divisor);
    high        = '0;
    low         = '0;
    unique case (step_q)
      4'd6:    low = {13'b0, filter_row_halves};
      4'd7:    low = {13'b0, filter_row_halves} - 32'd16;
      4'd8:    low = n_chunks;
      default: high = 32'((33'd1 << divisor_log) - {1'b0, divisor});
    endcase
  end

  assign divide_valid = state_q == StDivide;
  assign reciprocal   = quotient + {31'b0, remainder != '0};

  sequential_divider #(
    .Width(id_generator_pkg::DivisionBits)
  ) u_divider (
    .clk_i,
    .rst_ni,
    .in_valid_i (divide_valid),
    .in_ready_o (divide_ready),
    .high_i     (high),
    .low_i      (low),
    .divisor_i  (divisor),
    .out_valid_o(result_valid),
    .out_ready_i(1'b1),
    .quotient_o (quotient),
    .remainder_o(remainder)
  );

  // Operands stay until the result is there: the divider takes them as soon as it is free.
  assign unused = divide_ready;

  // 4. The verdict: the first rule that is broken.
  logic [15:0]                     height_span;
  logic [31:0]                     shortest;
  logic [43:0]                     end_chunk;
  id_generator_pkg::packet_error_e verdict;

  assign height_span = padded_height - {12'b0, filter_height};
  assign shortest    = dense ? longest_q : shortest_q;
  assign end_chunk   = {1'b0, base[47:5]} + {12'b0, n_chunks};

  always_comb begin
    verdict = rule_error;
    if (rule_error == id_generator_pkg::PacketGood) begin
      if (image_bad_q) begin
        verdict = id_generator_pkg::PacketChannels;
      end else if ({12'b0, filter_height} > padded_height) begin
        verdict = id_generator_pkg::PacketFilterHeight;
      end else if (height_bad_q) begin
        verdict = id_generator_pkg::PacketOutputHeight;
      end else if (longest_q == '0 || shortest > longest_q || (dense && row_uneven_q)) begin
        verdict = id_generator_pkg::PacketFilterRow;
      end else if (shortest > {16'b0, padded_width}) begin
        verdict = id_generator_pkg::PacketFilterRow;
      end else if (shortest + {8'b0, width_span_q} > {16'b0, padded_width} + {24'b0, stride} ||
                   longest_q + {8'b0, width_span_q} <= {16'b0, padded_width}) begin
        verdict = id_generator_pkg::PacketOutputWidth;
      end else if (pitch_bad_q) begin
        verdict = id_generator_pkg::PacketRowPitch;
      end else if (chunks_bad_q) begin
        verdict = id_generator_pkg::PacketChunks;
      end else if (end_chunk > {1'b1, 43'b0}) begin
        verdict = id_generator_pkg::PacketChunks;
      end else if (range_bad_q) begin
        verdict = id_generator_pkg::PacketIdRange;
      end
    end
  end

  // 5. Sequence.
  always_comb begin
    state_d      = state_q;
    step_d       = step_q;
    packet_d     = packet_q;
    error_d      = error_q;
    config_d     = config_q;
    row_halves_d = row_halves_q;
    width_span_d = width_span_q;
    image_rows_d = image_rows_q;
    total_rows_d = total_rows_q;
    product_d    = product_q;
    scratch_d    = scratch_q;
    range_d      = range_q;
    longest_d    = longest_q;
    shortest_d   = shortest_q;
    image_bad_d  = image_bad_q;
    height_bad_d = height_bad_q;
    pitch_bad_d  = pitch_bad_q;
    range_bad_d  = range_bad_q;
    row_uneven_d = row_uneven_q;
    chunks_bad_d = chunks_bad_q;
    unique case (state_q)
      StIdle: begin
        if (start_i) begin
          state_d     = StMultiply;
          step_d      = '0;
          packet_d    = packet_i;
          error_d     = id_generator_pkg::PacketGood;
          config_d.on = 1'b0;
        end
      end
      StMultiply: begin
        step_d    = step_q + 4'd1;
        product_d = product;
        unique case (step_q)
          4'd0: row_halves_d = product[31:0];
          4'd1: ;
          4'd2: image_bad_d  = product_q > {31'b0, 1'b1, 32'b0};
          4'd3: begin
            width_span_d = product[23:0];
            height_bad_d = {48'b0, height_span} >= product_q ||
                           {48'b0, height_span} + {56'b0, stride} < product_q;
          end
          4'd4: ;
          4'd5: begin
            image_rows_d = product[31:0];
            pitch_bad_d  = {32'b0, row_pitch} < (dense ? (product_q + 64'd15) >> 4 : product_q);
          end
          4'd6: total_rows_d = product[42:0];
          4'd7, 4'd8: scratch_d = product[31:0];
          4'd9: range_d      = product;
          default: begin
            state_d = StDivide;
            step_d  = '0;
          end
        endcase
      end
      StDivide: begin
        range_bad_d = range_q >= {15'b0, 1'b1, 48'b0} - product_q;
        if (result_valid) begin
          step_d = step_q + 4'd1;
          unique case (step_q)
            4'd0: config_d.by_pitch      = {divisor, reciprocal, divisor_log};
            4'd1: config_d.by_image      = {divisor, reciprocal, divisor_log};
            4'd2: config_d.by_width      = {divisor, reciprocal, divisor_log};
            4'd3: config_d.by_filter_row = {divisor, reciprocal, divisor_log};
            4'd4: config_d.by_channels   = {divisor, reciprocal, divisor_log};
            4'd5: config_d.by_up_factor  = {divisor, reciprocal, divisor_log};
            4'd6: begin
              longest_d    = quotient;
              row_uneven_d = remainder != '0;
            end
            4'd7: shortest_d = quotient + 32'd1;
            default: begin
              chunks_bad_d = remainder != '0 || {11'b0, quotient} < total_rows_q;
              state_d      = StJudge;
            end
          endcase
        end
      end
      default: begin  // StJudge
        state_d                = StIdle;
        error_d                = verdict;
        config_d.on            = verdict == id_generator_pkg::PacketGood;
        config_d.base          = base;
        config_d.n_chunks      = n_chunks;
        config_d.total_rows    = total_rows_q[31:0];
        config_d.filter_height = filter_height;
        config_d.dense         = dense;
        config_d.zero_rule     = zero_rule;
        config_d.stride        = stride;
        config_d.channels      = channels;
        config_d.padded_width  = padded_width;
        config_d.padded_height = padded_height;
        config_d.last_column   = padded_width - 16'd1;
        config_d.row_end       = padded_height - {8'b0, pad};
        config_d.column_end    = padded_width - {8'b0, pad};
        config_d.pad           = pad;
        config_d.up_factor     = up_factor;
      end
    endcase
  end

  // ceil(log2 value), 0 for 0 and 1.
  function automatic logic [5:0] log_of(input logic [31:0] value);
    logic [31:0] below;
    int unsigned i;
    below  = value - 32'd1;
    log_of = '0;
    if (value != '0) begin
      for (i = 0; i < 32; i = i + 1) begin
        if (below[i]) log_of = 6'(i + 1);
      end
    end
  endfunction

  assign busy_o   = state_q != StIdle;
  assign error_o  = error_q;
  assign config_o = config_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      step_q       <= '0;
      packet_q     <= '0;
      error_q      <= id_generator_pkg::PacketGood;
      config_q     <= '0;
      row_halves_q <= '0;
      width_span_q <= '0;
      image_rows_q <= '0;
      total_rows_q <= '0;
      product_q    <= '0;
      scratch_q    <= '0;
      range_q      <= '0;
      longest_q    <= '0;
      shortest_q   <= '0;
      image_bad_q  <= 1'b0;
      height_bad_q <= 1'b0;
      pitch_bad_q  <= 1'b0;
      range_bad_q  <= 1'b0;
      row_uneven_q <= 1'b0;
      chunks_bad_q <= 1'b0;
    end else begin
      state_q      <= state_d;
      step_q       <= step_d;
      packet_q     <= packet_d;
      error_q      <= error_d;
      config_q     <= config_d;
      row_halves_q <= row_halves_d;
      width_span_q <= width_span_d;
      image_rows_q <= image_rows_d;
      total_rows_q <= total_rows_d;
      product_q    <= product_d;
      scratch_q    <= scratch_d;
      range_q      <= range_d;
      longest_q    <= longest_d;
      shortest_q   <= shortest_d;
      image_bad_q  <= image_bad_d;
      height_bad_q <= height_bad_d;
      pitch_bad_q  <= pitch_bad_d;
      range_bad_q  <= range_bad_d;
      row_uneven_q <= row_uneven_d;
      chunks_bad_q <= chunks_bad_d;
    end
  end

endmodule
