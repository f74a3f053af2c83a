// Sources of bitmap_unit in compile order, relative to this file; the top module is bitmap_unit.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
bitmap_unit_pkg.sv
bitmap_count.sv
bitmap_condense.sv
bitmap_unit.sv
