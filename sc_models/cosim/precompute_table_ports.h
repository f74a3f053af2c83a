// Ports of the Verilated precompute table. For sources that see Verilated headers.
#pragma once

#include "sc_models/cosim/flat_ports.h"
#include "sc_models/cosim/precompute_table_rtl.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of
/// the precompute table: the machine's set of parameters, or the second one.
template <class Top>
struct PrecomputeTablePorts {
    using Rtl = PrecomputeTableRtl;
    Rtl::Parameters parameters;

    static void idle(Top& top) {
        top.setup_valid_i = 0;
        top.in_valid_i = 0;
        top.out_ready_i = 1;
    }
    void drive(const Rtl::Inputs& in, Top& top) const {
        top.setup_valid_i = in.setup_valid ? 1 : 0;
        set_port(top.setup_entries_i, in.setup_entries);
        top.in_valid_i = in.in_valid ? 1 : 0;
        set_port(top.op_i, static_cast<std::uint64_t>(in.op));
        set_port(top.input_i, in.key.input);
        set_port(top.weights_i, in.key.weights);
        set_port(top.geometry_i, in.key.geometry);
        set_port(top.slot_i, in.slot);
        top.after_i = in.after ? 1 : 0;
        set_port(top.generation_i, in.generation);
        set_port(top.count_i, in.count);
        pack(in.results, parameters.lanes, parameters.result_bits, top.results_i);
        top.out_ready_i = in.out_ready ? 1 : 0;
    }
    void read(const Top& top, Rtl::Outputs& out) const {
        out.setup_ready = top.setup_ready_o;
        out.setup_error = top.setup_error_o;
        out.in_ready = top.in_ready_o;
        out.out_valid = top.out_valid_o;
        out.done = top.done_o;
        out.present = top.present_o;
        out.replaced = top.replaced_o;
        out.complete = top.complete_o;
        out.slot = top.slot_o;
        out.generation = top.generation_o;
        out.input = top.input_o;
        out.weights = top.weights_o;
        out.geometry = top.geometry_o;
        out.count = top.count_o;
        unpack(top.results_o, parameters.lanes, parameters.result_bits, out.results);
        out.size = top.size_o;
        out.waiting = top.waiting_o;
    }
};

}  // namespace tessera
