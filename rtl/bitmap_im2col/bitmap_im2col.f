// Sources of bitmap_im2col in compile order, relative to this file; the top module is bitmap_im2col.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
bitmap_im2col_pkg.sv
bitmap_population.sv
bitmap_im2col.sv
