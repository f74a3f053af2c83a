// Sources of rename_table in compile order, relative to this file; the top module is rename_table.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
../load_history_buffer/lhb_memory.sv
rename_table_pkg.sv
rename_counts.sv
rename_map.sv
rename_free_list.sv
rename_table.sv
