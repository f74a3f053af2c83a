// Sources of precompute_table in compile order, relative to this file; the top module is precompute_table.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
../load_history_buffer/lhb_memory.sv
precompute_table_pkg.sv
precompute_keys.sv
precompute_order.sv
precompute_free_slots.sv
precompute_table.sv
