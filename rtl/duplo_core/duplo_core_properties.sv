// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the joined blocks, if the caller keeps its part (README.md): the answers come in
// order and in time, and are those of units that are served one after the other. A hit gives a
// register that another unit has, however late its end is known; a miss one that no unit has; and
// there always is one. Small sizes; ID generator and load history buffer are stand-ins.
module duplo_core_properties #(
  parameter int unsigned UnitBits = 2,
  parameter int unsigned PhysBits = 2
) (
  input logic                                     clk_i,
  input logic                                     setup_valid_i,
  input logic [UnitBits:0]                        setup_units_i,
  input logic [PhysBits:0]                        setup_registers_i,
  input logic                                     clear_valid_i,
  input logic                                     in_valid_i,
  input logic [1:0]                               op_i,
  input logic [id_generator_pkg::AddressBits-1:0] address_i,
  input logic [UnitBits-1:0]                      unit_i
);

  localparam int unsigned Units  = 2 ** UnitBits;
  localparam int unsigned Others = 4;  // moves of the pipe before a unit comes again
  localparam int unsigned Depth  = duplo_core_pkg::CoreLatency;

  logic                started_q = 1'b0;
  logic                setup_ready, setup_error, clear_ready, in_ready, out_valid;
  logic [2:0]          kind;
  logic [3:0]          bypass;
  logic [UnitBits-1:0] slot;
  logic [PhysBits-1:0] phys;

  duplo_core #(
    .UnitBits(UnitBits),
    .PhysBits(PhysBits)
  ) u_core (
    .clk_i,
    .rst_ni            (started_q),
    .setup_valid_i,
    .setup_ready_o     (setup_ready),
    .setup_packet_i    (256'd0),
    .setup_kernel_tag_i(8'd0),
    .setup_log_sets_i  (4'd0),
    .setup_log_ways_i  (3'd0),
    .setup_shift_i     (5'd0),
    .setup_fold_i      (1'b0),
    .setup_units_i,
    .setup_registers_i,
    .setup_error_o     (setup_error),
    .clear_valid_i,
    .clear_ready_o     (clear_ready),
    .in_valid_i,
    .in_ready_o        (in_ready),
    .op_i,
    .address_i,
    .unit_i,
    .domain_i          (24'd0),
    .out_valid_o       (out_valid),
    .kind_o            (kind),
    .bypass_o          (bypass),
    .unit_o            (slot),
    .phys_o            (phys)
  );

  logic take, setup;
  assign take  = in_valid_i && in_ready;
  assign setup = setup_valid_i && setup_ready;

  // Units under way, the oldest in place 0, and those of the last moves of the pipe.
  logic [Depth-1:0]           way_q = '0;
  logic [Depth*UnitBits-1:0]  way_unit_q = '0;
  logic [Depth*2-1:0]         way_op_q = '0;
  logic [2:0]                 count_q = '0, count_left;
  logic [Others-1:0]          last_q = '0;
  logic [Others*UnitBits-1:0] last_unit_q = '0;
  logic [2:0]                 waits_q = '0;  // cycles in a row without a move
  logic                       open_q = 1'b0;
  logic [UnitBits:0]          units_q = '0;

  // Registers of the units that were answered.
  logic [Units-1:0]          has_q = '0, others_have;
  logic [Units*PhysBits-1:0] register_q = '0;
  logic                      shared, repeated;
  always_comb begin
    others_have       = has_q;
    others_have[slot] = 1'b0;
    shared            = 1'b0;
    repeated          = 1'b0;
    for (int unsigned n = 0; n < Units; n++) begin
      if (others_have[n] && register_q[PhysBits*n +: PhysBits] == phys) shared = 1'b1;
    end
    for (int unsigned n = 0; n < Others; n++) begin
      if (last_q[n] && last_unit_q[UnitBits*n +: UnitBits] == unit_i) repeated = 1'b1;
    end
  end

  logic                registered;
  logic [1:0]          first_op;
  logic [UnitBits-1:0] first_unit;
  assign registered = kind == duplo_core_pkg::KindHit || kind == duplo_core_pkg::KindMiss ||
                      kind == duplo_core_pkg::KindBypass;
  assign first_op   = way_op_q[1:0];
  assign first_unit = way_unit_q[UnitBits-1:0];
  assign count_left = count_q - {2'b0, out_valid};

  logic hit_q = 1'b0;  // there was a hit
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      if (out_valid) begin
        way_q      <= way_q >> 1;
        way_unit_q <= way_unit_q >> UnitBits;
        way_op_q   <= way_op_q >> 2;
        has_q[slot] <= registered;
        register_q[PhysBits*slot +: PhysBits] <= phys;
        if (kind == duplo_core_pkg::KindHit) hit_q <= 1'b1;
      end
      count_q <= count_left + {2'b0, take};
      if (take) begin
        way_q[count_left]                        <= 1'b1;
        way_unit_q[UnitBits*count_left +: UnitBits] <= unit_i;
        way_op_q[2*count_left +: 2]                <= op_i;
      end
      if (in_ready || !open_q) begin
        last_q      <= {last_q[Others-2:0], take};
        last_unit_q <= {last_unit_q[(Others-1)*UnitBits-1:0], unit_i};
      end
      waits_q <= (open_q && !in_ready && !setup_valid_i && !clear_valid_i) ? waits_q + 3'd1 : 3'd0;
      if (in_ready) open_q <= 1'b1;
      if (setup || (clear_valid_i && clear_ready)) open_q <= 1'b0;
      if (setup) begin
        units_q <= setup_units_i;
        has_q   <= '0;
      end
    end
  end

  always_comb begin
    if (started_q) begin
      // The caller's part.
      assume (!(setup_valid_i && ({1'b0, setup_units_i} > {1'b0, setup_registers_i})));
      assume (!(setup_valid_i && has_q != '0));
      assume (!(in_valid_i && ({1'b0, unit_i} >= units_q || repeated || op_i == 2'd3)));

      if (out_valid) begin
        answers_what_it_took: assert (way_q[0]);
        answers_in_order: assert (slot == first_unit);
        ends_what_ended: assert ((kind == duplo_core_pkg::KindEnded) ==
                                 (first_op == duplo_core_pkg::OpEnd));
        if (first_op == duplo_core_pkg::OpFresh) begin
          is_not_looked_up: assert (kind == duplo_core_pkg::KindBypass);
        end
        if (kind == duplo_core_pkg::KindHit) begin
          hits_a_live_register: assert (shared);
        end
        if (kind == duplo_core_pkg::KindMiss) begin
          misses_to_a_free_register: assert (!shared);
        end
        if (kind == duplo_core_pkg::KindBypass) begin
          bypasses_to_a_free_register: assert (!shared);
        end
        if (!registered) begin
          has_no_register: assert (phys == '0);
        end
      end
      never_waits_long: assert (waits_q < 3'd4);
      keeps_few: assert (count_q <= 3'(Depth));

      hit_after_a_hit: cover (out_valid && kind == duplo_core_pkg::KindHit && hit_q);
      waits: cover (waits_q == 3'd2);
      zero: cover (out_valid && kind == duplo_core_pkg::KindZero);
      ended: cover (out_valid && kind == duplo_core_pkg::KindEnded && hit_q && has_q[slot]);
      refused: cover (setup_error && setup_valid_i);
    end
  end

endmodule
