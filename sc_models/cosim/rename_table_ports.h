// Ports of the Verilated rename table. For sources that see Verilated headers.
#pragma once

#include "sc_models/cosim/flat_ports.h"
#include "sc_models/cosim/rename_table_rtl.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of the
/// rename table: the machine's set of parameters, or the second one.
template <class Top>
struct RenameTablePorts {
    using Rtl = RenameTableRtl;
    Rtl::Parameters parameters;

    static void idle(Top& top) {
        top.setup_valid_i = 0;
        top.in_valid_i = 0;
        top.out_ready_i = 1;
        top.map_valid_i = 0;
    }
    static void drive(const Rtl::Inputs& in, Top& top) {
        top.setup_valid_i = in.setup_valid ? 1 : 0;
        set_port(top.setup_units_i, in.setup_units);
        set_port(top.setup_registers_i, in.setup_registers);
        top.in_valid_i = in.in_valid ? 1 : 0;
        set_port(top.unit_i, in.unit);
        top.out_ready_i = in.out_ready ? 1 : 0;
        top.map_valid_i = in.map_valid ? 1 : 0;
        set_port(top.map_op_i, static_cast<std::uint64_t>(in.map_op));
        set_port(top.map_unit_i, in.map_unit);
        set_port(top.map_phys_i, in.map_phys);
    }
    static void read(const Top& top, Rtl::Outputs& out) {
        out.setup_ready = top.setup_ready_o;
        out.setup_error = top.setup_error_o;
        out.in_ready = top.in_ready_o;
        out.out_valid = top.out_valid_o;
        out.old_valid = top.old_valid_o;
        out.old = top.old_o;
        out.died = top.died_o;
        out.died_phys = top.died_phys_o;
        out.map_ready = top.map_ready_o;
        out.map_phys = top.map_phys_o;
        out.free = top.free_o;
        out.mapped = top.mapped_o;
    }
};

}  // namespace tessera
