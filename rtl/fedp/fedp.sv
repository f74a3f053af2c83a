// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Four-element dot-product unit: d = a0*b0 + a1*b1 + a2*b2 + a3*b3 + c, FP16 operands, FP32 sum.
//
// Exact products; all five terms cut off below 2^(largest exponent - 23), added exactly, truncated.
// Stages: products, aligned sum, normalised sum. Bit s of en_i moves stage s.
module fedp #(
  localparam int unsigned Elements = fedp_pkg::Elements,
  localparam int unsigned Latency = fedp_pkg::Latency
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [Latency-1:0]     en_i,
  input  logic [Elements*16-1:0] a_i,
  input  logic [Elements*16-1:0] b_i,
  input  logic [31:0]            c_i,
  output logic [31:0]            d_o
);

  if (fedp_pkg::Elements != 4 || fedp_pkg::Latency != 3) begin : gen_check_sizes
    $error("fedp: Elements and Latency of the package must be 4 and 3");
  end

  // Products. Every exponent is biased by 127.
  logic [Elements-1:0]    nan, plus_inf, minus_inf;
  logic [Elements*8-1:0]  product_exponent;
  logic [Elements*28-1:0] term;
  logic [7:0]             largest;

  for (genvar e = 0; e < Elements; e++) begin : gen_product
    logic [15:0] a, b;
    logic a_special, b_special, zero, invalid;
    logic [4:0] a_exponent, b_exponent;
    logic sign, sign_d, sign_q;
    logic [7:0] exponent, exponent_d, exponent_q;
    logic [21:0] significand, significand_d, significand_q;

    assign a          = a_i[e*16+:16];
    assign b          = b_i[e*16+:16];
    assign a_special  = &a[14:10];
    assign b_special  = &b[14:10];
    assign zero       = (a[14:0] == '0) || (b[14:0] == '0);
    assign invalid    = (a_special && (a[9:0] != '0)) || (b_special && (b[9:0] != '0)) ||
                        ((a_special || b_special) && zero);
    assign a_exponent = (a[14:10] == '0) ? 5'd1 : a[14:10];
    assign b_exponent = (b[14:10] == '0) ? 5'd1 : b[14:10];

    // Significand in units of 2^(exponent - 147); exponent 0 if the product is zero.
    assign sign        = a[15] ^ b[15];
    assign exponent    = zero ? 8'd0 : 8'd97 + {3'b0, a_exponent} + {3'b0, b_exponent};
    assign significand = {a[14:10] != '0, a[9:0]} * {b[14:10] != '0, b[9:0]};

    assign nan[e]       = invalid;
    assign plus_inf[e]  = (a_special || b_special) && !sign;
    assign minus_inf[e] = (a_special || b_special) && sign;

    assign sign_d        = en_i[0] ? sign : sign_q;
    assign exponent_d    = en_i[0] ? exponent : exponent_q;
    assign significand_d = en_i[0] ? significand : significand_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        sign_q        <= 1'b0;
        exponent_q    <= '0;
        significand_q <= '0;
      end else begin
        sign_q        <= sign_d;
        exponent_q    <= exponent_d;
        significand_q <= significand_d;
      end
    end

    // Alignment; three bits more than the product has, and a sign.
    logic [7:0]  distance;
    logic [24:0] aligned;
    assign product_exponent[e*8+:8] = exponent_q;
    assign distance                 = largest - exponent_q;
    assign aligned                  = (distance[7:5] != '0)
                                      ? 25'd0 : {significand_q, 3'b0} >> distance[4:0];
    assign term[e*28+:28]           = sign_q ? -{3'b0, aligned} : {3'b0, aligned};
  end

  logic c_special;
  fedp_pkg::addend_t  addend, addend_d, addend_q;
  fedp_pkg::special_t special, special_d, special_q;

  assign c_special = &c_i[30:23];

  always_comb begin
    addend.sign        = c_i[31];
    addend.exponent    = (c_i[30:23] == '0) ? 8'd1 : c_i[30:23];
    addend.significand = {c_i[30:23] != '0, c_i[22:0]};
    special.plus_inf   = (plus_inf != '0) || (c_special && !c_i[31]);
    special.minus_inf  = (minus_inf != '0) || (c_special && c_i[31]);
    special.nan        = (nan != '0) || (c_special && (c_i[22:0] != '0)) ||
                         (special.plus_inf && special.minus_inf);
  end

  assign addend_d  = en_i[0] ? addend : addend_q;
  assign special_d = en_i[0] ? special : special_q;

  // Aligned sum. All pairs of exponents are compared at once; the largest is the one that no exponent
  // before it reaches and none behind it exceeds.
  logic [(Elements+1)*8-1:0] exponents;
  assign exponents = {addend_q.exponent, product_exponent};

  always_comb begin
    logic [Elements:0] is_largest;
    is_largest = '1;
    largest    = '0;
    for (int unsigned e = 1; e <= Elements; e++) begin
      for (int unsigned other = 0; other < e; other++) begin
        if (exponents[e*8+:8] > exponents[other*8+:8]) begin
          is_largest[other] = 1'b0;
        end else begin
          is_largest[e] = 1'b0;
        end
      end
    end
    for (int unsigned e = 0; e <= Elements; e++) begin
      largest |= {8{is_largest[e]}} & exponents[e*8+:8];
    end
  end

  logic [7:0]  addend_distance;
  logic [23:0] addend_aligned;
  logic [28:0] sum;

  assign addend_distance = largest - addend_q.exponent;
  assign addend_aligned  = (addend_distance[7:5] != '0)
                           ? 24'd0 : addend_q.significand >> addend_distance[4:0];

  always_comb begin
    sum = addend_q.sign ? -{5'b0, addend_aligned} : {5'b0, addend_aligned};
    for (int unsigned e = 0; e < Elements; e++) begin
      sum = sum + {term[e*28+27], term[e*28+:28]};
    end
  end

  fedp_pkg::sum_t sum_d, sum_q;
  assign sum_d = en_i[1] ? {special_q, largest, sum} : sum_q;

  // Normalised sum: shift left to bit 27, but never below the exponent of subnormals.
  logic [27:0] magnitude, scan;
  logic [23:0] normal;
  logic [3:0]  unused_cut_off;
  logic [4:0]  zeros, shift;
  logic [8:0]  room, exponent;
  logic [31:0] result, d_d, d_q;

  assign magnitude = sum_q.sum[28] ? -sum_q.sum[27:0] : sum_q.sum[27:0];
  assign room      = {1'b0, sum_q.largest} + 9'd3;

  always_comb begin
    zeros = '0;
    scan  = magnitude;
    if (scan[27:12] == '0) begin
      zeros[4] = 1'b1;
      scan     = scan << 16;
    end
    if (scan[27:20] == '0) begin
      zeros[3] = 1'b1;
      scan     = scan << 8;
    end
    if (scan[27:24] == '0) begin
      zeros[2] = 1'b1;
      scan     = scan << 4;
    end
    if (scan[27:26] == '0) begin
      zeros[1] = 1'b1;
      scan     = scan << 2;
    end
    zeros[0] = ~scan[27];
  end

  assign shift    = ({4'b0, zeros} > room) ? room[4:0] : zeros;
  assign exponent = room + 9'd1 - {4'b0, shift};
  assign {normal, unused_cut_off} = magnitude << shift;

  always_comb begin
    result = {sum_q.sum[28], normal[23] ? exponent[7:0] : 8'd0, normal[22:0]};
    if (sum_q.special.nan) begin
      result = fp_pkg::CanonicalNan;
    end else if (sum_q.special.plus_inf || sum_q.special.minus_inf) begin
      result = {sum_q.special.minus_inf, 8'hff, 23'b0};
    end else if (normal[23] && (exponent >= 9'd255)) begin
      result = {sum_q.sum[28], 8'hff, 23'b0};
    end
  end

  assign d_d = en_i[2] ? result : d_q;
  assign d_o = d_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addend_q  <= '0;
      special_q <= '0;
      sum_q     <= '0;
      d_q       <= '0;
    end else begin
      addend_q  <= addend_d;
      special_q <= special_d;
      sum_q     <= sum_d;
      d_q       <= d_d;
    end
  end

endmodule
