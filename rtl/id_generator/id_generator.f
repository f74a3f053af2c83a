// Sources of id_generator in compile order, relative to this file; the top module is id_generator.
// Written by tools/rtl_ip from CMakeLists.txt; do not edit.
id_generator_pkg.sv
sequential_divider.sv
reciprocal_divider.sv
delay_line.sv
id_control.sv
zero_walk.sv
packet_rules.sv
packet_programmer.sv
id_generator.sv
