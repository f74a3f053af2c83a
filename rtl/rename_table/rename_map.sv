// Copyright the Tessera authors.
// SPDX-License-Identifier: Apache-2.0
//
// Which register each unit has. A word per unit, whose valid bits lie in rows of their own, so that
// clearing them takes a cycle a row. What was read is there in the next cycle and stays until the
// next read; a unit is not read while it is written.
module rename_map #(
  parameter int unsigned UnitBits = 14,
  parameter int unsigned PhysBits = 14,
  parameter int unsigned LaneBits = 6,  // of a unit's place in its row of valid bits
  parameter int unsigned RowBits  = UnitBits - LaneBits
) (
  input  logic                clk_i,

  input  logic                clear_i,  // all units of a row lose their registers
  input  logic [RowBits-1:0]  clear_row_i,

  input  logic                write_i,
  input  logic [UnitBits-1:0] write_unit_i,
  input  logic                write_valid_i,
  input  logic [PhysBits-1:0] write_phys_i,

  input  logic                read_i,
  input  logic [UnitBits-1:0] read_unit_i,
  output logic                read_valid_o,
  output logic [PhysBits-1:0] read_phys_o
);

  if (UnitBits < 2 || UnitBits > 20) begin : gen_check_unit_bits
    $error("rename_map: UnitBits must be 2 to 20");
  end

  if (PhysBits < 1 || PhysBits > 20) begin : gen_check_phys_bits
    $error("rename_map: PhysBits must be 1 to 20");
  end

  if (LaneBits < 1 || LaneBits >= UnitBits || RowBits != UnitBits - LaneBits) begin : gen_check_lane_bits
    $error("rename_map: LaneBits must be 1 to UnitBits - 1, RowBits the rest");
  end

  localparam int unsigned Lanes = 2 ** LaneBits;

  logic [PhysBits-1:0] registers [2 ** UnitBits];
  logic [Lanes-1:0]    valid_rows [2 ** RowBits];
  logic [PhysBits-1:0] phys_q;
  logic [Lanes-1:0]    valid_row_q;
  logic [LaneBits-1:0] lane_q;

  // The row of valid bits that is written; a memory with an enable for each bit.
  logic [RowBits-1:0] row;
  logic [Lanes-1:0]   lane, row_data;
  assign row      = clear_i ? clear_row_i : write_unit_i[UnitBits-1:LaneBits];
  assign lane     = Lanes'(1'b1) << write_unit_i[LaneBits-1:0];
  assign row_data = clear_i ? '0 : write_valid_i ? valid_rows[row] | lane : valid_rows[row] & ~lane;

  always_ff @(posedge clk_i) begin
    if (clear_i || write_i) valid_rows[row] <= row_data;
    if (write_i && write_valid_i) registers[write_unit_i] <= write_phys_i;
    if (read_i) begin
      valid_row_q <= valid_rows[read_unit_i[UnitBits-1:LaneBits]];
      phys_q      <= registers[read_unit_i];
      lane_q      <= read_unit_i[LaneBits-1:0];
    end
  end

  assign read_valid_o = valid_row_q[lane_q];
  assign read_phys_o  = phys_q;

endmodule
