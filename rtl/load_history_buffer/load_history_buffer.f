// Sources of load_history_buffer in compile order, relative to this file; the top module is load_history_buffer.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
load_history_buffer_pkg.sv
lhb_memory.sv
lhb_set_index.sv
lhb_recency.sv
load_history_buffer.sv
