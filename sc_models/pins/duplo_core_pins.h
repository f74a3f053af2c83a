// Pins, cycle model and operations of the detection unit.
#pragma once

#include <deque>

#include "sc_models/pins/clocked_duplo_core.h"
#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"

namespace tessera::pins {

/// Description of rtl/duplo_core for the templates of this folder.
struct DuploCoreBlock {
    using Inputs = ClockedDuploCore::Inputs;
    using Outputs = ClockedDuploCore::Outputs;
    using Core = ClockedDuploCore;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> setup_valid_i{"setup_valid_i"};
        Out<bool> setup_ready_o{"setup_ready_o"};
        In<sc_dt::sc_bv<256>> setup_packet_i{"setup_packet_i"};
        In<sc_dt::sc_uint<8>> setup_kernel_tag_i{"setup_kernel_tag_i"};
        In<sc_dt::sc_uint<4>> setup_log_sets_i{"setup_log_sets_i"};
        In<sc_dt::sc_uint<3>> setup_log_ways_i{"setup_log_ways_i"};
        In<sc_dt::sc_uint<5>> setup_shift_i{"setup_shift_i"};
        In<bool> setup_fold_i{"setup_fold_i"};
        In<sc_dt::sc_uint<15>> setup_units_i{"setup_units_i"};
        In<sc_dt::sc_uint<15>> setup_registers_i{"setup_registers_i"};
        Out<bool> setup_error_o{"setup_error_o"};
        In<bool> clear_valid_i{"clear_valid_i"};
        Out<bool> clear_ready_o{"clear_ready_o"};
        In<bool> in_valid_i{"in_valid_i"};
        Out<bool> in_ready_o{"in_ready_o"};
        In<sc_dt::sc_uint<2>> op_i{"op_i"};
        In<sc_dt::sc_uint<64>> address_i{"address_i"};
        In<sc_dt::sc_uint<14>> unit_i{"unit_i"};
        In<sc_dt::sc_uint<24>> domain_i{"domain_i"};
        Out<bool> out_valid_o{"out_valid_o"};
        Out<sc_dt::sc_uint<3>> kind_o{"kind_o"};
        Out<sc_dt::sc_uint<4>> bypass_o{"bypass_o"};
        Out<sc_dt::sc_uint<14>> unit_o{"unit_o"};
        Out<sc_dt::sc_uint<14>> phys_o{"phys_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.setup_valid, pins.setup_valid_i...);
        f(in.setup.packet, pins.setup_packet_i...);
        f(in.setup.kernel_tag, pins.setup_kernel_tag_i...);
        f(in.setup.log_sets, pins.setup_log_sets_i...);
        f(in.setup.log_ways, pins.setup_log_ways_i...);
        f(in.setup.shift, pins.setup_shift_i...);
        f(in.setup.fold, pins.setup_fold_i...);
        f(in.setup.units, pins.setup_units_i...);
        f(in.setup.registers, pins.setup_registers_i...);
        f(in.clear_valid, pins.clear_valid_i...);
        f(in.in_valid, pins.in_valid_i...);
        f(in.op, pins.op_i...);
        f(in.address, pins.address_i...);
        f(in.unit, pins.unit_i...);
        f(in.domain, pins.domain_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.setup_ready, pins.setup_ready_o...);
        f(out.setup_error, pins.setup_error_o...);
        f(out.clear_ready, pins.clear_ready_o...);
        f(out.in_ready, pins.in_ready_o...);
        f(out.out_valid, pins.out_valid_o...);
        f(out.kind, pins.kind_o...);
        f(out.bypass, pins.bypass_o...);
        f(out.unit, pins.unit_o...);
        f(out.phys, pins.phys_o...);
    }

    /// A set-up, a clear of the load history buffer, or a unit. The same unit comes again only
    /// behind 15 others.
    struct Operation {
        enum class Kind : std::uint8_t { kSetUp, kClear, kUnit };
        Kind kind = Kind::kUnit;
        std::uint64_t tag = 0;
        tessera::DuploCoreRtl::Setup setup;
        PipeUnit::Op op = PipeUnit::Op::kLoad;
        Address address = 0;  ///< bytes
        std::uint32_t unit = 0, domain = 0;
    };
    /// Whether a set-up was refused, or the answer for a unit. A clear has no result.
    struct Result {
        Operation::Kind kind = Operation::Kind::kUnit;
        std::uint64_t tag = 0;
        bool refused = false;
        tessera::DuploCoreRtl::Kind answer = tessera::DuploCoreRtl::Kind::kEnded;
        std::uint32_t bypass = 0, unit = 0, phys = 0;
    };

    /// Clears data without its valid, which the RTL does not define.
    static void clear_undefined(Outputs& out) {
        if (out.out_valid != 0) return;
        out.kind = out.bypass = out.unit = out.phys = 0;
    }

    static void withdraw(Inputs& in) { in.setup_valid = in.clear_valid = in.in_valid = false; }
    static void offer(const Operation& operation, Inputs& in) {
        in.setup_valid = operation.kind == Operation::Kind::kSetUp;
        in.clear_valid = operation.kind == Operation::Kind::kClear;
        in.in_valid = operation.kind == Operation::Kind::kUnit;
        if (in.setup_valid) in.setup = operation.setup;
        in.op = operation.op;
        in.address = operation.address;
        in.unit = operation.unit;
        in.domain = operation.domain;
    }
    static void set_ready(Inputs& /*in*/, bool /*ready*/) {}  // an answer does not wait
    static bool accepted(const Operation& operation, const Outputs& out) {
        using Kind = Operation::Kind;
        if (operation.kind == Kind::kSetUp) return out.setup_ready != 0;
        return (operation.kind == Kind::kClear ? out.clear_ready : out.in_ready) != 0;
    }
    static bool answered(const Operation& operation) {
        return operation.kind != Operation::Kind::kClear;
    }
    template <class Emit>
    static void collect(const Inputs& /*in*/, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        if (waiting.empty()) return;
        const Operation& oldest = waiting.front();
        const bool is_unit = oldest.kind == Operation::Kind::kUnit;
        if ((is_unit ? out.out_valid : out.setup_ready) == 0) return;
        Result result;
        result.kind = oldest.kind;
        result.tag = oldest.tag;
        if (is_unit) {
            result.answer = static_cast<tessera::DuploCoreRtl::Kind>(out.kind);
            result.bypass = out.bypass;
            result.unit = out.unit;
            result.phys = out.phys;
        } else {
            result.refused = out.setup_error != 0;
        }
        emit(result);
        waiting.pop_front();
    }
};

extern template class PinRtl<DuploCoreBlock>;

using DuploCorePins = PinModule<DuploCoreBlock>;
using DuploCoreModel = PinModel<DuploCoreBlock>;
using DuploCoreRtl = PinRtl<DuploCoreBlock>;
using DuploCoreSignals = PinSignals<DuploCoreBlock>;
using DuploCoreTransactor = Transactor<DuploCoreBlock>;

}  // namespace tessera::pins
