// Sources of feop_array in compile order, relative to this file; the top module is feop_array.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
../fp/fp_pkg.sv
../fp/fp16_mul.sv
../fp/fp32_add_stage1.sv
../fp/fp32_add_stage2.sv
feop_pkg.sv
feop.sv
feop_array_pkg.sv
feop_array_control.sv
feop_array.sv
