// Sources of feop in compile order, relative to this file; the top module is feop.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
../fp/fp_pkg.sv
../fp/fp16_mul.sv
../fp/fp32_add_stage1.sv
../fp/fp32_add_stage2.sv
feop_pkg.sv
feop.sv
