// Sources of fp in compile order, relative to this file; the top module is fp_bench_top.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
fp_pkg.sv
fp_bench_pkg.sv
fp16_mul.sv
fp32_add_stage1.sv
fp32_add_stage2.sv
fp32_add.sv
fp_bench_top.sv
