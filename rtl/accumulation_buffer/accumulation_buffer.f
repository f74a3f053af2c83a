// Sources of accumulation_buffer in compile order, relative to this file; the top module is accumulation_buffer.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
../fp/fp_pkg.sv
../fp/fp32_add_stage1.sv
../fp/fp32_add_stage2.sv
accumulation_buffer_pkg.sv
accumulation_expander.sv
accumulation_swizzle.sv
accumulation_router.sv
accumulation_fifo.sv
accumulation_bank.sv
accumulation_control.sv
accumulation_buffer.sv
