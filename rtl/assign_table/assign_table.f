// Sources of assign_table in compile order, relative to this file; the top module is assign_table.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
assign_table_pkg.sv
assign_entries.sv
assign_table.sv
