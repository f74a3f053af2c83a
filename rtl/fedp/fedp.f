// Sources of fedp in compile order, relative to this file; the top module is fedp.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
../fp/fp_pkg.sv
fedp_pkg.sv
fedp.sv
