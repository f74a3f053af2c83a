// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the rename table, if the caller keeps its part (README.md): every unit gives up the
// register that it got last, a register dies with its last unit and not before, a new register is
// one that no unit has, and registers neither get lost nor double. Everything comes in time. Small
// sizes, any set-up that fits them or not.
module rename_table_properties #(
  parameter int unsigned UnitBits = 2,
  parameter int unsigned PhysBits = 2
) (
  input logic                clk_i,
  input logic                setup_valid_i,
  input logic [UnitBits:0]   setup_units_i,
  input logic [PhysBits:0]   setup_registers_i,
  input logic                in_valid_i,
  input logic [UnitBits-1:0] unit_i,
  input logic                out_ready_i,
  input logic                map_valid_i,
  input logic [1:0]          map_op_i,
  input logic [UnitBits-1:0] map_unit_i,
  input logic [PhysBits-1:0] map_phys_i
);

  localparam int unsigned Units     = 2 ** UnitBits;
  localparam int unsigned Registers = 2 ** PhysBits;

  logic                started_q = 1'b0;
  logic                setup_ready, setup_error, in_ready, out_valid, old_valid, died, map_ready;
  logic [PhysBits-1:0] old, died_phys, map_phys;
  logic [PhysBits:0]   free;
  logic [UnitBits:0]   mapped;

  rename_table #(
    .UnitBits(UnitBits),
    .PhysBits(PhysBits)
  ) u_table (
    .clk_i,
    .rst_ni           (started_q),
    .setup_valid_i,
    .setup_ready_o    (setup_ready),
    .setup_units_i,
    .setup_registers_i,
    .setup_error_o    (setup_error),
    .in_valid_i,
    .in_ready_o       (in_ready),
    .unit_i,
    .out_valid_o      (out_valid),
    .out_ready_i,
    .old_valid_o      (old_valid),
    .old_o            (old),
    .died_o           (died),
    .died_phys_o      (died_phys),
    .map_valid_i,
    .map_ready_o      (map_ready),
    .map_op_i,
    .map_unit_i,
    .map_phys_i,
    .map_phys_o       (map_phys),
    .free_o           (free),
    .mapped_o         (mapped)
  );

  // The register of each unit, and whether it is under way or waits for its mapping.
  logic [Units-1:0]          has_q = '0, way_q = '0, taken_q = '0;
  logic [Units*PhysBits-1:0] register_q = '0;
  // The units under way; the register given up in the cycle before.
  logic                first_q = 1'b0, second_q = 1'b0, check_q = 1'b0, mapped_before_q = 1'b0;
  logic [UnitBits-1:0] first_unit_q = '0, second_unit_q = '0;
  logic [PhysBits-1:0] check_phys_q = '0;
  // The set-up.
  logic              organised_q = 1'b0, refused_q = 1'b0;
  logic [PhysBits:0] registers_q = '0;
  logic [UnitBits:0] units_q = '0, rows_q = '0;
  logic              used_q = 1'b0;  // a register came back

  logic take, leave, map, setup, fits, flows, maps;
  assign take  = in_valid_i && in_ready;
  assign leave = out_valid && out_ready_i;
  assign map   = map_valid_i && map_ready;
  assign maps  = map && (map_op_i == rename_table_pkg::OpNew ||
                         map_op_i == rename_table_pkg::OpShare);
  assign setup = setup_valid_i && setup_ready;
  assign fits  = setup_units_i != '0 && setup_units_i <= (UnitBits + 1)'(Units) &&
                 setup_registers_i != '0 && setup_registers_i <= (PhysBits + 1)'(Registers);
  assign flows = out_ready_i || !out_valid;

  // Registers that units have.
  logic [Registers-1:0] used, pending;
  logic [PhysBits:0]    used_count;
  logic [UnitBits:0]    has_count;
  always_comb begin
    used       = '0;
    used_count = '0;
    has_count  = '0;
    pending    = '0;
    if (check_q) pending[check_phys_q] = 1'b1;
    for (int unsigned n = 0; n < Units; n++) begin
      if (has_q[n]) begin
        used[register_q[PhysBits*n +: PhysBits]] = 1'b1;
        has_count = has_count + 1'b1;
      end
    end
    for (int unsigned n = 0; n < Registers; n++) begin
      if (used[n] || pending[n]) used_count = used_count + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q) begin
      if (flows) begin
        first_q       <= take;
        first_unit_q  <= unit_i;
        second_q      <= first_q;
        second_unit_q <= first_unit_q;
      end
      if (take) way_q[unit_i] <= 1'b1;
      if (map) taken_q[map_unit_i] <= 1'b0;
      if (maps) begin
        has_q[map_unit_i] <= 1'b1;
        register_q[PhysBits*map_unit_i +: PhysBits] <= map_phys;
      end
      if (leave) begin
        way_q[second_unit_q]   <= 1'b0;
        taken_q[second_unit_q] <= 1'b1;
        has_q[second_unit_q]   <= 1'b0;
      end
      check_q         <= leave && has_q[second_unit_q];
      check_phys_q    <= register_q[PhysBits*second_unit_q +: PhysBits];
      mapped_before_q <= maps;
      if (died) used_q <= 1'b1;
      if (rows_q != '0) rows_q <= rows_q - 1'b1;
      if (setup) begin
        organised_q <= fits;
        refused_q   <= !fits;
        if (fits) begin
          has_q       <= '0;
          taken_q     <= '0;
          registers_q <= setup_registers_i;
          units_q     <= setup_units_i;
          rows_q      <= (setup_units_i + 1'b1) >> 1;
        end
      end
    end
  end

  // The unit whose mapping is offered may have one given to it.
  logic [PhysBits-1:0] its_old;
  assign its_old = register_q[PhysBits*second_unit_q +: PhysBits];

  always_comb begin
    if (started_q) begin
      // The caller's part.
      assume (!(in_valid_i && ({1'b0, unit_i} >= units_q || way_q[unit_i] || taken_q[unit_i])));
      assume (!(map_valid_i && ({1'b0, map_unit_i} >= units_q || way_q[map_unit_i] ||
                                has_q[map_unit_i] || (in_valid_i && unit_i == map_unit_i))));
      assume (!(map_valid_i && map_op_i == rename_table_pkg::OpShare &&
                !used[map_phys_i] && !pending[map_phys_i]));

      result_in_time: assert (out_valid == second_q);
      unit_in_time: assert (in_ready == (organised_q && rows_q == '0 && flows && !setup_valid_i));
      mapping_in_time: assert (map_ready == (organised_q && rows_q == '0 && !setup_valid_i &&
                                             (map_op_i != rename_table_pkg::OpNew || free != '0)));
      set_up_when_empty: assert (setup_ready == (rows_q == '0 && !first_q && !second_q && !check_q &&
                                                 !mapped_before_q));
      refuses_what_does_not_fit: assert (setup_error == refused_q);
      if (out_valid) begin
        gives_up_what_it_has: assert (old_valid == has_q[second_unit_q]);
        if (old_valid) begin
          gives_up_its_register: assert (old == its_old);
        end
      end
      dies_with_its_last: assert (died == (check_q && !used[check_phys_q] &&
        !(map && map_op_i == rename_table_pkg::OpShare && map_phys_i == check_phys_q)));
      if (died) begin
        names_the_dead: assert (died_phys == check_phys_q);
      end
      if (map && map_op_i == rename_table_pkg::OpNew) begin
        new_is_free: assert (!used[map_phys] && !pending[map_phys] &&
                             {1'b0, map_phys} < registers_q);
      end
      if (map && map_op_i == rename_table_pkg::OpShare) begin
        shares_what_was_asked: assert (map_phys == map_phys_i);
      end
      if (organised_q) begin
        counts_the_units: assert (mapped == has_count);
        counts_the_free: assert (free == registers_q - used_count);
      end
      saved_at_last: cover (check_q && !used[check_phys_q] && !died && check_phys_q != '0);
      relayed: cover (check_q && used[check_phys_q]);
      used_again: cover (used_q && map && map_op_i == rename_table_pkg::OpNew && map_phys == '0);
      waits_for_a_register: cover (map_valid_i && !map_ready && organised_q && rows_q == '0 &&
                                   !setup_valid_i);
      refused: cover (setup_error && setup_valid_i);
    end
  end

endmodule
