// Ports of the Verilated load history buffer. For sources that see Verilated headers.
#pragma once

#include "sc_models/cosim/flat_ports.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of
/// the load history buffer: the machine's set of parameters, or the second one.
template <class Top>
struct LoadHistoryBufferPorts {
    using Rtl = LoadHistoryBufferRtl;
    Rtl::Parameters parameters;

    static void idle(Top& top) {
        top.setup_valid_i = 0;
        top.in_valid_i = 0;
        top.out_ready_i = 1;
    }
    static void drive(const Rtl::Inputs& in, Top& top) {
        top.setup_valid_i = in.setup_valid ? 1 : 0;
        top.setup_keep_i = in.setup_keep ? 1 : 0;
        top.setup_log_sets_i = in.setup_log_sets;
        top.setup_log_ways_i = in.setup_log_ways;
        top.setup_shift_i = in.setup_shift;
        top.setup_fold_i = in.setup_fold ? 1 : 0;
        top.in_valid_i = in.in_valid ? 1 : 0;
        set_port(top.op_i, static_cast<std::uint64_t>(in.op));
        set_port(top.element_i, in.key.element());
        set_port(top.batch_i, in.key.batch());
        set_port(top.owner_i, in.key.high);
        set_port(top.phys_i, in.phys);
        top.out_ready_i = in.out_ready ? 1 : 0;
    }
    static void read(const Top& top, Rtl::Outputs& out) {
        out.setup_ready = top.setup_ready_o;
        out.setup_error = top.setup_error_o;
        out.in_ready = top.in_ready_o;
        out.out_valid = top.out_valid_o;
        out.found = top.found_o;
        out.same_key = top.same_key_o;
        out.phys = top.phys_o;
    }
};

}  // namespace tessera
