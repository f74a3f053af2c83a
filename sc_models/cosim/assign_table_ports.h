// Ports of the Verilated assign table. For sources that see Verilated headers.
#pragma once

#include "sc_models/cosim/assign_table_rtl.h"
#include "sc_models/cosim/flat_ports.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of the
/// assign table: the machine's set of parameters, or the second one.
template <class Top>
struct AssignTablePorts {
    using Rtl = AssignTableRtl;
    Rtl::Parameters parameters;

    static void idle(Top& top) {
        top.setup_valid_i = 0;
        top.in_valid_i = 0;
        top.out_ready_i = 1;
    }
    static void drive(const Rtl::Inputs& in, Top& top) {
        top.setup_valid_i = in.setup_valid ? 1 : 0;
        set_port(top.setup_entries_i, in.setup_entries);
        top.in_valid_i = in.in_valid ? 1 : 0;
        set_port(top.op_i, static_cast<std::uint64_t>(in.op));
        set_port(top.input_i, in.pair.input);
        set_port(top.weights_i, in.pair.weights);
        set_port(top.sm_i, in.sm);
        top.out_ready_i = in.out_ready ? 1 : 0;
    }
    static void read(const Top& top, Rtl::Outputs& out) {
        out.setup_ready = top.setup_ready_o;
        out.setup_error = top.setup_error_o;
        out.in_ready = top.in_ready_o;
        out.out_valid = top.out_valid_o;
        out.done = top.done_o;
        out.replaced = top.replaced_o;
        out.sm = top.sm_o;
        out.count = top.count_o;
        out.size = top.size_o;
    }
};

}  // namespace tessera
