// Ports of the Verilated duplo core. For sources that see Verilated headers.
#pragma once

#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/cosim/flat_ports.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of the
/// detection unit: the machine's set of parameters, or the second one.
template <class Top>
struct DuploCorePorts {
    using Rtl = DuploCoreRtl;
    Rtl::Parameters parameters;

    static void idle(Top& top) {
        top.setup_valid_i = 0;
        top.clear_valid_i = 0;
        top.in_valid_i = 0;
    }
    static void drive(const Rtl::Inputs& in, Top& top) {
        top.setup_valid_i = in.setup_valid ? 1 : 0;
        const Rtl::Setup& setup = in.setup;
        for (std::size_t word = 0; word < ConvolutionPacket::kBytes / 4; ++word) {
            std::uint32_t value = 0;
            for (std::size_t byte = 4; byte-- > 0;)
                value = value << 8 | setup.packet[4 * word + byte];
            top.setup_packet_i[word] = value;
        }
        top.setup_kernel_tag_i = setup.kernel_tag;
        top.setup_log_sets_i = setup.log_sets;
        top.setup_log_ways_i = setup.log_ways;
        top.setup_shift_i = setup.shift;
        top.setup_fold_i = setup.fold ? 1 : 0;
        set_port(top.setup_units_i, setup.units);
        set_port(top.setup_registers_i, setup.registers);
        top.clear_valid_i = in.clear_valid ? 1 : 0;
        top.in_valid_i = in.in_valid ? 1 : 0;
        set_port(top.op_i, static_cast<std::uint64_t>(in.op));
        set_port(top.address_i, in.address);
        set_port(top.unit_i, in.unit);
        set_port(top.domain_i, in.domain);
    }
    static void read(const Top& top, Rtl::Outputs& out) {
        out.setup_ready = top.setup_ready_o;
        out.setup_error = top.setup_error_o;
        out.clear_ready = top.clear_ready_o;
        out.in_ready = top.in_ready_o;
        out.out_valid = top.out_valid_o;
        out.kind = top.kind_o;
        out.bypass = top.bypass_o;
        out.unit = top.unit_o;
        out.phys = top.phys_o;
    }
};

}  // namespace tessera
