// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the array's handshakes: results are stable until they are taken, and every accepted
// operation that is not predicated off is output once, in order (Order), and no other is. Progress:
// an operation is accepted unless two are inside and the result waits, and its result is output in
// the cycle after next, counted without those in which a result waits. The data path has no state
// except registers that the control's load signals move.
module feop_array_properties #(
  parameter bit Order = 1'b0
) (
  input logic                clk_i,
  input logic                valid_i,
  input feop_array_pkg::op_e op_i,
  input logic                predicate_i,
  input logic [3:0]          meta_i,
  input logic                ready_i
);

  localparam logic [1:0] Depth = 2'd2;

  // Reset in the first cycle.
  logic started_q;
  initial started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
  end

  logic valid, ready, operands_load, products_load, bits_load;
  feop_array_pkg::op_e op;
  logic [3:0] meta;

  feop_array_control #(
    .MetaWidth(4)
  ) u_control (
    .clk_i          (clk_i),
    .rst_ni         (started_q),
    .valid_i        (valid_i),
    .ready_o        (ready),
    .op_i           (op_i),
    .predicate_i    (predicate_i),
    .meta_i         (meta_i),
    .valid_o        (valid),
    .ready_i        (ready_i),
    .op_o           (op),
    .meta_o         (meta),
    .operands_load_o(operands_load),
    .products_load_o(products_load),
    .bits_load_o    (bits_load)
  );

  // Operations inside, as the handshakes tell.
  logic       accepted, taken;
  logic [1:0] inside_d, inside_q;
  logic [3:0] accepted_d, accepted_q, taken_d, taken_q;
  assign accepted   = valid_i && ready && predicate_i;
  assign taken      = valid && ready_i;
  assign inside_d   = inside_q + {1'b0, accepted} - {1'b0, taken};
  assign accepted_d = accepted_q + {3'b0, accepted};
  assign taken_d    = taken_q + {3'b0, taken};

  // The cycle before.
  logic stalled_d, stalled_q, hidden_d, hidden_q, products_loaded_q, bits_loaded_q;
  logic [4:0] outputs_d, outputs_q;
  assign stalled_d = valid && !ready_i;
  assign hidden_d  = !valid && (inside_q != '0);
  assign outputs_d = {op, meta};

  always_ff @(posedge clk_i or negedge started_q) begin
    if (!started_q) begin
      inside_q          <= '0;
      accepted_q        <= '0;
      taken_q           <= '0;
      stalled_q         <= 1'b0;
      hidden_q          <= 1'b0;
      outputs_q         <= '0;
      products_loaded_q <= 1'b0;
      bits_loaded_q     <= 1'b0;
    end else begin
      inside_q          <= inside_d;
      accepted_q        <= accepted_d;
      taken_q           <= taken_d;
      stalled_q         <= stalled_d;
      hidden_q          <= hidden_d;
      outputs_q         <= outputs_d;
      products_loaded_q <= products_load;
      bits_loaded_q     <= bits_load;
    end
  end

  always_comb begin
    if (started_q) begin
      if (stalled_q) begin
        valid_holds: assert (valid);
        result_holds: assert (outputs_d == outputs_q);
      end
      if (stalled_d) begin
        data_holds: assert (!products_load && !bits_load);
      end
      data_loads: assert (operands_load == accepted);
      // Loaded exactly when an operation without result is inside and its way is free.
      data_moves: assert ((products_load || bits_load) ==
                          ((!valid || ready_i) && (inside_q == {1'b0, valid} + 2'd1)));
      if (products_loaded_q || bits_loaded_q) begin
        data_is_of_the_operation: assert (valid && (products_loaded_q != bits_loaded_q) &&
                                          (bits_loaded_q == (op == feop_array_pkg::OpBohmma)));
      end
      if (valid) begin
        nothing_invented: assert (inside_q != '0);
      end
      if (hidden_q) begin
        nothing_lost: assert (valid);
      end
      fits: assert (inside_q <= Depth);
      if (inside_q == Depth) begin
        full_shows: assert (valid);
      end
      ready_when_room: assert (ready == ((inside_q != Depth) || ready_i));
      one_behind_the_other: cover (inside_q == Depth && ready && valid_i && stalled_q);
      bits: cover (bits_loaded_q);
      products: cover (products_loaded_q);
      skipped: cover (valid_i && ready && !predicate_i && inside_q == '0);
    end
  end

  if (Order) begin : gen_order
    always_comb begin
      assume (meta_i == accepted_q);
      if (started_q && valid) begin
        in_order: assert (meta == taken_q);
        third: cover (meta == 4'd2);
      end
    end
  end

endmodule
