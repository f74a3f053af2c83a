// Sources of spwmma_core in compile order, relative to this file; the top module is spwmma_core.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
../fp/fp_pkg.sv
../fp/fp16_mul.sv
../fp/fp32_add_stage1.sv
../fp/fp32_add_stage2.sv
../feop/feop_pkg.sv
../feop/feop.sv
../feop/feop_array_pkg.sv
../feop/feop_array_control.sv
../feop/feop_array.sv
../accumulation_buffer/accumulation_buffer_pkg.sv
../accumulation_buffer/accumulation_expander.sv
../accumulation_buffer/accumulation_swizzle.sv
../accumulation_buffer/accumulation_router.sv
../accumulation_buffer/accumulation_fifo.sv
../accumulation_buffer/accumulation_bank.sv
../accumulation_buffer/accumulation_control.sv
../accumulation_buffer/accumulation_buffer.sv
../bitmap_unit/bitmap_unit_pkg.sv
../bitmap_unit/bitmap_count.sv
../bitmap_unit/bitmap_condense.sv
../bitmap_unit/bitmap_unit.sv
clock_gate.sv
operand_fetch.sv
spwmma_core.sv
