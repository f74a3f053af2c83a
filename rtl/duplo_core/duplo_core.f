// Sources of duplo_core in compile order, relative to this file; the top module is duplo_core.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
../id_generator/id_generator_pkg.sv
../id_generator/delay_line.sv
../id_generator/sequential_divider.sv
../id_generator/reciprocal_divider.sv
../id_generator/packet_rules.sv
../id_generator/packet_programmer.sv
../id_generator/zero_walk.sv
../id_generator/id_control.sv
../id_generator/id_generator.sv
../load_history_buffer/load_history_buffer_pkg.sv
../load_history_buffer/lhb_memory.sv
../load_history_buffer/lhb_set_index.sv
../load_history_buffer/lhb_recency.sv
../load_history_buffer/load_history_buffer.sv
../rename_table/rename_table_pkg.sv
../rename_table/rename_counts.sv
../rename_table/rename_map.sv
../rename_table/rename_free_list.sv
../rename_table/rename_table.sv
duplo_core_pkg.sv
duplo_core.sv
