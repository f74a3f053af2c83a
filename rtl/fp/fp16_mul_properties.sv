// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// What holds for every product of two halves.
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

  always_comb begin
    commutes: assert (product == swapped);
    sign_is_symmetric: assert (nan ? (negated == fp_pkg::CanonicalNan)
                                   : (negated == {~product[31], product[30:0]}));
    zero_wins: assert ((a_i[14:0] != '0) || (b_i[14:10] == '1) ||
                       (product == {a_i[15] ^ b_i[15], 31'b0}));
  end

endmodule
