// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Rename table: maps units of fragments to shared registers. A register counts its units and returns
// to the free list with the last of them. In every cycle one unit ends its mapping and one gets a
// new one. See README.md for timing and for what the caller has to keep.
module rename_table #(
  parameter int unsigned UnitBits /*verilator public*/ = 14,
  parameter int unsigned PhysBits /*verilator public*/ = 14
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Unmaps all units and frees all registers; waits until no unit is under way.
  input  logic                setup_valid_i,
  output logic                setup_ready_o,
  input  logic [UnitBits:0]   setup_units_i,
  input  logic [PhysBits:0]   setup_registers_i,
  output logic                setup_error_o,  // none of one, or more than there are

  // A unit whose mapping ends.
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [UnitBits-1:0] unit_i,

  // Its register; the mapping ends when it is taken.
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic                old_valid_o,  // there was one
  output logic [PhysBits-1:0] old_o,        // else 0

  // In the cycle after: no unit has this register any more.
  output logic                died_o,
  output logic [PhysBits-1:0] died_phys_o,  // else 0

  // The unit's new mapping. OpNew waits for a free register.
  input  logic                map_valid_i,
  output logic                map_ready_o,
  input  logic [1:0]          map_op_i,  // op_e
  input  logic [UnitBits-1:0] map_unit_i,
  input  logic [PhysBits-1:0] map_phys_i,  // of OpShare
  output logic [PhysBits-1:0] map_phys_o,  // the unit's register, 0 of OpUnmapped

  output logic [PhysBits:0]   free_o,   // registers
  output logic [UnitBits:0]   mapped_o  // units
);

  if (UnitBits < 2 || UnitBits > 20) begin : gen_check_unit_bits
    $error("rename_table: UnitBits must be 2 to 20");
  end

  if (PhysBits < 1 || PhysBits > 20) begin : gen_check_phys_bits
    $error("rename_table: PhysBits must be 1 to 20");
  end

  if (rename_table_pkg::OldLatency != 2) begin : gen_check_old_latency
    $error("rename_table: OldLatency of the package must be 2");
  end

  // For the C++ side only.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned Latency /*verilator public*/ = rename_table_pkg::OldLatency;
  // verilator lint_on UNUSEDPARAM
  localparam int unsigned LaneBits  = (UnitBits > 6) ? 6 : UnitBits - 1;
  localparam int unsigned RowBits   = UnitBits - LaneBits;
  localparam int unsigned CountBits = UnitBits + 1;

  // 1. Set-up; clearing walks over the rows of valid bits in use.
  logic               ready_d, ready_q;  // there is an organisation
  logic               error_d, error_q;
  logic               walk_d, walk_q;
  logic [RowBits-1:0] walk_row_d, walk_row_q, last_row_d, last_row_q;
  logic               setup, fits, idle;

  logic read_valid_d, read_valid_q, head_valid_d, head_valid_q, check_valid_d, check_valid_q;
  logic count_valid_d, count_valid_q;
  logic advance, take, map;

  assign fits          = setup_units_i != '0 && setup_units_i <= {1'b1, {UnitBits{1'b0}}} &&
                         setup_registers_i != '0 && setup_registers_i <= {1'b1, {PhysBits{1'b0}}};
  assign idle          = !read_valid_q && !head_valid_q && !check_valid_q && !count_valid_q;
  assign setup_ready_o = !walk_q && idle;
  assign setup         = setup_valid_i && setup_ready_o;
  assign setup_error_o = error_q;
  assign advance       = out_ready_i || !head_valid_q;
  assign in_ready_o    = advance && ready_q && !walk_q && !setup_valid_i;
  assign take          = in_valid_i && in_ready_o;
  assign map_ready_o   = ready_q && !walk_q && !setup_valid_i &&
                         (map_op_i != rename_table_pkg::OpNew || free_o != '0);
  assign map           = map_valid_i && map_ready_o;

  always_comb begin
    ready_d    = ready_q;
    error_d    = error_q;
    walk_d     = walk_q;
    walk_row_d = walk_row_q;
    last_row_d = last_row_q;
    if (setup) begin
      ready_d    = fits;
      error_d    = !fits;
      walk_d     = fits;
      last_row_d = RowBits'((setup_units_i - 1'b1) >> LaneBits);
    end else if (walk_q) begin
      walk_row_d = walk_row_q + 1'b1;
      if (walk_row_q == last_row_q) begin
        walk_row_d = '0;
        walk_d     = 1'b0;
      end
    end
  end

  // 2. The register of a unit is read, then its count of endings.
  logic                mapped_unit;
  logic [PhysBits-1:0] mapped_phys, map_phys;
  logic                maps, map_new, map_share;

  rename_map #(
    .UnitBits(UnitBits),
    .PhysBits(PhysBits),
    .LaneBits(LaneBits)
  ) u_map (
    .clk_i,
    .clear_i      (walk_q),
    .clear_row_i  (walk_row_q),
    .write_i      (map),
    .write_unit_i (map_unit_i),
    .write_valid_i(maps),
    .write_phys_i (map_phys),
    .read_i       (take),
    .read_unit_i  (unit_i),
    .read_valid_o (mapped_unit),
    .read_phys_o  (mapped_phys)
  );

  logic                head_mapped_d, head_mapped_q, drop;
  logic [PhysBits-1:0] head_phys_d, head_phys_q;

  assign out_valid_o = head_valid_q;
  assign old_valid_o = head_valid_q && head_mapped_q;
  assign old_o       = old_valid_o ? head_phys_q : '0;
  assign drop        = old_valid_o && out_ready_i;

  // 3. Counts. A register has as many units as it got more beginnings than endings. Neither count
  // needs a first value: the first use of a register makes the beginnings one more than the endings.
  logic [CountBits-1:0] ends, ends_of_new, begins, begins_before, ends_after;
  logic [CountBits-1:0] check_ends_d, check_ends_q, units;
  logic [PhysBits-1:0]  check_phys_d, check_phys_q, count_phys_d, count_phys_q;
  logic                 count_new_d, count_new_q;

  assign ends_after = ends + 1'b1;
  rename_counts #(
    .Width      (CountBits),
    .AddressBits(PhysBits)
  ) u_ends (
    .clk_i,
    .write_i         (drop),
    .write_address_i (head_phys_q),
    .write_data_i    (ends_after),
    .first_address_i (advance ? mapped_phys : head_phys_q),
    .first_data_o    (ends),
    .second_address_i(map_phys),
    .second_data_o   (ends_of_new)
  );
  rename_counts #(
    .Width      (CountBits),
    .AddressBits(PhysBits)
  ) u_begins (
    .clk_i,
    .write_i         (count_valid_q),
    .write_address_i (count_phys_q),
    .write_data_i    ((count_new_q ? ends_of_new : begins_before) + 1'b1),
    .first_address_i (head_phys_q),
    .first_data_o    (begins),
    .second_address_i(map_phys),
    .second_data_o   (begins_before)
  );

  // 4. A cycle after an ending: mappings of this cycle and the one before are not in memory yet.
  assign units = begins + CountBits'(count_valid_q && count_phys_q == check_phys_q) +
                 CountBits'(map_share && map_phys_i == check_phys_q) - check_ends_q;
  assign died_o      = check_valid_q && units == '0;
  assign died_phys_o = died_o ? check_phys_q : '0;

  // 5. New mappings.
  logic [PhysBits-1:0] front;
  assign map_new    = map && map_op_i == rename_table_pkg::OpNew;
  assign map_share  = map && map_op_i == rename_table_pkg::OpShare;
  assign maps       = map_new || map_share;
  assign map_phys   = map_new ? front : map_phys_i;
  assign map_phys_o = maps ? map_phys : '0;

  rename_free_list #(
    .PhysBits(PhysBits)
  ) u_free_list (
    .clk_i,
    .rst_ni,
    .clear_i    (setup && fits),
    .registers_i(setup_registers_i),
    .push_i     (died_o),
    .push_phys_i(check_phys_q),
    .pop_i      (map_new),
    .front_o    (front),
    .count_o    (free_o)
  );

  logic [UnitBits:0] mapped_d, mapped_q;
  assign mapped_o = mapped_q;
  always_comb begin
    mapped_d = mapped_q;
    if (maps && !drop) mapped_d = mapped_q + 1'b1;
    if (drop && !maps) mapped_d = mapped_q - 1'b1;
    if (setup && fits) mapped_d = '0;
  end

  // 6. Registers.
  always_comb begin
    read_valid_d  = read_valid_q;
    head_valid_d  = head_valid_q;
    head_mapped_d = head_mapped_q;
    head_phys_d   = head_phys_q;
    if (advance) begin
      read_valid_d  = take;
      head_valid_d  = read_valid_q;
      head_mapped_d = mapped_unit;
      head_phys_d   = mapped_phys;
    end
    check_valid_d = drop;
    check_phys_d  = head_phys_q;
    check_ends_d  = ends_after;
    count_valid_d = maps;
    count_new_d   = map_new;
    count_phys_d  = map_phys;
  end

  always_ff @(posedge clk_i) begin
    head_mapped_q <= head_mapped_d;
    head_phys_q   <= head_phys_d;
    check_phys_q  <= check_phys_d;
    check_ends_q  <= check_ends_d;
    count_new_q   <= count_new_d;
    count_phys_q  <= count_phys_d;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q       <= 1'b0;
      error_q       <= 1'b0;
      walk_q        <= 1'b0;
      walk_row_q    <= '0;
      last_row_q    <= '0;
      read_valid_q  <= 1'b0;
      head_valid_q  <= 1'b0;
      check_valid_q <= 1'b0;
      count_valid_q <= 1'b0;
      mapped_q      <= '0;
    end else begin
      ready_q       <= ready_d;
      error_q       <= error_d;
      walk_q        <= walk_d;
      walk_row_q    <= walk_row_d;
      last_row_q    <= last_row_d;
      read_valid_q  <= read_valid_d;
      head_valid_q  <= head_valid_d;
      check_valid_q <= check_valid_d;
      count_valid_q <= count_valid_d;
      mapped_q      <= mapped_d;
    end
  end

endmodule
