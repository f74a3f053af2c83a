// Pins, cycle model and operations of the pair of outer-product tensor cores.
#pragma once

#include <deque>

#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"
#include "sc_models/tensor_core/feop_array.h"

namespace tessera::pins {

/// Description of rtl/feop's feop_array for the templates of this folder.
struct FeopArrayBlock {
    using Inputs = FeopArrayInputs;
    using Outputs = FeopArrayOutputs;
    using Core = SteppedCore<FeopArray>;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> valid_i{"valid_i"};
        Out<bool> ready_o{"ready_o"};
        In<bool> op_i{"op_i"};
        In<bool> predicate_i{"predicate_i"};
        In<sc_dt::sc_bv<128>> a_i{"a_i"};
        In<sc_dt::sc_bv<256>> b_i{"b_i"};
        In<sc_dt::sc_bv<96>> meta_i{"meta_i"};
        Out<bool> valid_o{"valid_o"};
        In<bool> ready_i{"ready_i"};
        Out<bool> op_o{"op_o"};
        Out<sc_dt::sc_bv<4096>> product_o{"product_o"};
        Out<sc_dt::sc_bv<1024>> bits_o{"bits_o"};
        Out<sc_dt::sc_bv<96>> meta_o{"meta_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.valid, pins.valid_i...);
        f(in.op, pins.op_i...);
        f(in.predicate, pins.predicate_i...);
        f(in.a, pins.a_i...);
        f(in.b, pins.b_i...);
        f(in.meta, pins.meta_i...);
        f(in.ready, pins.ready_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.ready, pins.ready_o...);
        f(out.valid, pins.valid_o...);
        f(out.op, pins.op_o...);
        f(out.product, pins.product_o...);
        f(out.bits, pins.bits_o...);
        f(out.meta, pins.meta_o...);
    }

    /// An OHMMA or a BOHMMA. With predicate 0 it takes a slot and has no result.
    struct Operation {
        std::uint64_t tag = 0;
        FeopArrayOp op = FeopArrayOp::kOhmma;
        bool predicate = true;
        std::array<HalfBits, kOhmmaRows> a{};
        std::array<HalfBits, kOhmmaColumns> b{};
        std::array<std::uint32_t, kFeopMetaWords> meta{};
    };
    struct Result {
        std::uint64_t tag = 0;
        FeopArrayOp op = FeopArrayOp::kOhmma;
        std::array<std::uint32_t, kFeopMetaWords> meta{};
        std::array<std::uint32_t, kOhmmaProducts> product{};  ///< of an OHMMA, FP32
        std::array<std::uint32_t, kBohmmaSize> bits{};        ///< of a BOHMMA
    };

    /// Clears data without its valid, which the RTL does not define.
    static void clear_undefined(Outputs& out) {
        if (out.valid == 0) {
            out.op = FeopArrayOp::kOhmma;
            out.meta.fill(0);
        }
        if (out.valid == 0 || out.op != FeopArrayOp::kOhmma) out.product.fill(0);
        if (out.valid == 0 || out.op != FeopArrayOp::kBohmma) out.bits.fill(0);
    }

    static void withdraw(Inputs& in) { in.valid = 0; }
    static void offer(const Operation& operation, Inputs& in) {
        in.valid = 1;
        in.op = operation.op;
        in.predicate = operation.predicate ? 1 : 0;
        in.a = operation.a;
        in.b = operation.b;
        in.meta = operation.meta;
    }
    static void set_ready(Inputs& in, bool ready) { in.ready = ready ? 1 : 0; }
    static bool accepted(const Operation& /*operation*/, const Outputs& out) {
        return out.ready != 0;
    }
    static bool answered(const Operation& operation) { return operation.predicate; }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        if (waiting.empty() || out.valid == 0 || in.ready == 0) return;
        emit(Result{waiting.front().tag, out.op, out.meta, out.product, out.bits});
        waiting.pop_front();
    }
};

extern template class PinRtl<FeopArrayBlock>;

using FeopArrayPins = PinModule<FeopArrayBlock>;
using FeopArrayModel = PinModel<FeopArrayBlock>;
using FeopArrayRtl = PinRtl<FeopArrayBlock>;
using FeopArraySignals = PinSignals<FeopArrayBlock>;
using FeopArrayTransactor = Transactor<FeopArrayBlock>;

}  // namespace tessera::pins
