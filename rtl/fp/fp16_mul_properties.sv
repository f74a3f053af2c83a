// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of fp16_mul: every product of two halves is exact.
module fp16_mul_properties (
  input logic [15:0] a_i,
  input logic [15:0] b_i
);

  logic [31:0] product, swapped, negated;

  fp16_mul u_product (.a_i(a_i), .b_i(b_i), .product_o(product));
  fp16_mul u_swapped (.a_i(b_i), .b_i(a_i), .product_o(swapped));
  fp16_mul u_negated (.a_i({~a_i[15], a_i[14:0]}), .b_i(b_i), .product_o(negated));

  logic nan;
  assign nan = product == fp_pkg::CanonicalNan;

  // Operands as integers: numbers compare by their bits, and significand x 2^(exponent - 25) is the magnitude.
  logic a_nan, b_nan, a_inf, b_inf, a_zero, b_zero, finite;
  assign a_nan  = a_i[14:0] > 15'h7c00;
  assign b_nan  = b_i[14:0] > 15'h7c00;
  assign a_inf  = a_i[14:0] == 15'h7c00;
  assign b_inf  = b_i[14:0] == 15'h7c00;
  assign a_zero = a_i[14:0] == '0;
  assign b_zero = b_i[14:0] == '0;
  assign finite = (a_i[14:0] < 15'h7c00) && (b_i[14:0] < 15'h7c00);

  logic [21:0] significands;
  logic [8:0]  exponents;
  assign significands = {a_i[14:10] != '0, a_i[9:0]} * {b_i[14:10] != '0, b_i[9:0]};
  assign exponents    = ((a_i[14:10] == '0) ? 9'd1 : {4'b0, a_i[14:10]}) +
                        ((b_i[14:10] == '0) ? 9'd1 : {4'b0, b_i[14:10]});

  // Ratio (log2) between the last places of the significands' product, 2^(exponents - 50), and of
  // the product, 2^(E - 150).
  logic [8:0]  finer;
  logic [54:0] significands_in_units;
  assign finer                 = exponents + 9'd100 - {1'b0, product[30:23]};
  assign significands_in_units = {33'b0, significands} << finer;

  always_comb begin
    nan_is_nan: assert (nan == (a_nan || b_nan || (a_inf && b_zero) || (a_zero && b_inf)));
    if (!nan) begin
      infinity_is_infinity: assert ((product[30:0] == 31'h7f80_0000) == (a_inf || b_inf));
      sign_is_of_both: assert (product[31] == (a_i[15] ^ b_i[15]));
      lowest_bits_are_0: assert (product[1:0] == '0);
    end
    if (finite) begin
      zero_is_zero: assert ((product[30:0] == '0) == (a_zero || b_zero));
      if (!a_zero && !b_zero) begin
        is_exact: assert ((product[30:23] != '0) && (finer < 9'd32) &&
                          (significands_in_units == {31'b0, 1'b1, product[22:0]}));
        of_normal_numbers: cover (a_i[14:10] != '0 && b_i[14:10] != '0 && product[22:0] != '0);
        of_subnormal_numbers: cover (a_i[14:10] == '0 && b_i[14:10] == '0 && product[22:0] != '0);
      end
    end
    not_a_number: cover (nan);
    infinite: cover (!nan && a_inf && product[30:0] == 31'h7f80_0000);
    commutes: assert (product == swapped);
    sign_is_symmetric: assert (nan ? (negated == fp_pkg::CanonicalNan)
                                   : (negated == {~product[31], product[30:0]}));
    if (a_zero && b_i[14:10] != '1) begin
      zero_wins: assert (product == {a_i[15] ^ b_i[15], 31'b0});
    end
  end

endmodule
