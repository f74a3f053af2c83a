// Ports of the Verilated pair of outer-product tensor cores. For sources that see Verilated
// headers.
#pragma once

#include <cstring>

#include "sc_models/cosim/feop_array_rtl.h"
#include "sc_models/cosim/flat_ports.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of the
/// pair of outer-product tensor cores: the machine's set of parameters, or the second one.
template <class Top>
struct FeopArrayPorts {
    using Rtl = FeopArrayRtl;
    Rtl::Parameters parameters;

    static void idle(Top& /*top*/) {}
    static void drive(const Rtl::Inputs& in, Top& top) {
        static_assert(sizeof top.meta_i <= sizeof in.meta);
        top.valid_i = in.valid != 0;
        top.op_i = in.op == FeopArrayOp::kBohmma;
        top.predicate_i = in.predicate != 0;
        copy_port(top.a_i, in.a);
        copy_port(top.b_i, in.b);
        std::memcpy(&top.meta_i, in.meta.data(), sizeof top.meta_i);
        top.ready_i = in.ready != 0;
    }
    static void read(const Top& top, Rtl::Outputs& out) {
        out.ready = top.ready_o;
        out.valid = top.valid_o;
        out.op = top.op_o != 0 ? FeopArrayOp::kBohmma : FeopArrayOp::kOhmma;
        std::memcpy(out.meta.data(), &top.meta_o, sizeof top.meta_o);
        copy_port(out.product, top.product_o);
        copy_port(out.bits, top.bits_o);
    }
};

}  // namespace tessera
