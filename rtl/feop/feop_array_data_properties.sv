// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of feop_array's data: a result belongs to the operands of its own operation, in order;
// checked for four products and four bits in different rows and columns. fp16_mul_stand_in, whose
// product contains its factors, replaces the multiplier.
module feop_array_data_properties (
  input logic                                 clk_i,
  input logic                                 valid_i,
  input feop_array_pkg::op_e                  op_i,
  input logic                                 predicate_i,
  input logic [feop_array_pkg::Rows*16-1:0]    a_i,
  input logic [feop_array_pkg::Columns*16-1:0] b_i,
  input logic                                 ready_i
);

  // Reset in the first cycle.
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
  end

  logic                valid, ready;
  feop_array_pkg::op_e op;
  logic [128*32-1:0]   product;
  logic [1023:0]       bits;
  logic                meta;

  feop_array #(
    .MetaWidth(1)
  ) u_array (
    .clk_i      (clk_i),
    .rst_ni     (started_q),
    .valid_i    (valid_i),
    .ready_o    (ready),
    .op_i       (op_i),
    .predicate_i(predicate_i),
    .a_i        (a_i),
    .b_i        (b_i),
    .meta_i     (1'b0),
    .valid_o    (valid),
    .ready_i    (ready_i),
    .op_o       (op),
    .product_o  (product),
    .bits_o     (bits),
    .meta_o     (meta)
  );

  // Operations in the pipeline, the oldest first.
  localparam int unsigned EntryBits = 1 + 8 * 16 + 16 * 16;
  logic [EntryBits-1:0] entry, first_q, second_q;
  logic [1:0]           inside_q;
  logic                 followed_q = 1'b0;  // a result was taken
  logic                 accepted, taken;
  assign entry    = {op_i, a_i, b_i};
  assign accepted = started_q && valid_i && ready && predicate_i;
  assign taken    = valid && ready_i;

  always_ff @(posedge clk_i) begin
    if (!started_q) begin
      inside_q <= '0;
    end else begin
      inside_q <= inside_q + {1'b0, accepted} - {1'b0, taken};
      if (taken) begin
        followed_q <= 1'b1;
        first_q    <= second_q;
      end
      if (accepted) begin
        if (inside_q - {1'b0, taken} == '0) begin
          first_q <= entry;
        end else begin
          second_q <= entry;
        end
      end
    end
  end

  logic [3:0] products_differ, bits_differ;
  for (genvar n = 0; n < 4; n++) begin : gen_watched
    localparam int unsigned Column = 5 * n;
    localparam int unsigned Row = Column / 2;
    localparam int unsigned BitRow = 10 * n + 1;
    localparam int unsigned BitColumn = 30 - 7 * n;
    assign products_differ[n] = product[32*(16*Row + Column) +: 32] !=
                                {first_q[256 + 16*Row +: 16], first_q[16*Column +: 16]};
    assign bits_differ[n]     = bits[32*BitRow + BitColumn] != (first_q[256 + BitRow] & first_q[BitColumn]);
  end

  always_comb begin
    if (started_q && valid) begin
      is_of_its_operation: assert (inside_q != '0 && op == first_q[EntryBits-1]);
      if (op == feop_array_pkg::OpOhmma) begin
        products_are_of_its_factors: assert (products_differ == '0);
        follows_another: cover (products_differ == '0 && followed_q && product[31:0] != '0);
      end
      if (op == feop_array_pkg::OpBohmma) begin
        bits_are_of_its_factors: assert (bits_differ == '0);
        has_bits: cover (followed_q && bits[62] && !bits[0]);
      end
    end
  end

endmodule
