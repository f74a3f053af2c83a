// Pins, cycle model and operations of the rename table.
#pragma once

#include <deque>

#include "sc_models/pins/clocked_rename_table.h"
#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"

namespace tessera::pins {

/// Description of rtl/rename_table for the templates of this folder.
struct RenameTableBlock {
    using Inputs = ClockedRenameTable::Inputs;
    using Outputs = ClockedRenameTable::Outputs;
    using Core = ClockedRenameTable;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> setup_valid_i{"setup_valid_i"};
        Out<bool> setup_ready_o{"setup_ready_o"};
        In<sc_dt::sc_uint<15>> setup_units_i{"setup_units_i"};
        In<sc_dt::sc_uint<15>> setup_registers_i{"setup_registers_i"};
        Out<bool> setup_error_o{"setup_error_o"};
        In<bool> in_valid_i{"in_valid_i"};
        Out<bool> in_ready_o{"in_ready_o"};
        In<sc_dt::sc_uint<14>> unit_i{"unit_i"};
        Out<bool> out_valid_o{"out_valid_o"};
        In<bool> out_ready_i{"out_ready_i"};
        Out<bool> old_valid_o{"old_valid_o"};
        Out<sc_dt::sc_uint<14>> old_o{"old_o"};
        Out<bool> died_o{"died_o"};
        Out<sc_dt::sc_uint<14>> died_phys_o{"died_phys_o"};
        In<bool> map_valid_i{"map_valid_i"};
        Out<bool> map_ready_o{"map_ready_o"};
        In<sc_dt::sc_uint<2>> map_op_i{"map_op_i"};
        In<sc_dt::sc_uint<14>> map_unit_i{"map_unit_i"};
        In<sc_dt::sc_uint<14>> map_phys_i{"map_phys_i"};
        Out<sc_dt::sc_uint<14>> map_phys_o{"map_phys_o"};
        Out<sc_dt::sc_uint<15>> free_o{"free_o"};
        Out<sc_dt::sc_uint<15>> mapped_o{"mapped_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.setup_valid, pins.setup_valid_i...);
        f(in.setup_units, pins.setup_units_i...);
        f(in.setup_registers, pins.setup_registers_i...);
        f(in.in_valid, pins.in_valid_i...);
        f(in.unit, pins.unit_i...);
        f(in.out_ready, pins.out_ready_i...);
        f(in.map_valid, pins.map_valid_i...);
        f(in.map_op, pins.map_op_i...);
        f(in.map_unit, pins.map_unit_i...);
        f(in.map_phys, pins.map_phys_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.setup_ready, pins.setup_ready_o...);
        f(out.setup_error, pins.setup_error_o...);
        f(out.in_ready, pins.in_ready_o...);
        f(out.out_valid, pins.out_valid_o...);
        f(out.old_valid, pins.old_valid_o...);
        f(out.old, pins.old_o...);
        f(out.died, pins.died_o...);
        f(out.died_phys, pins.died_phys_o...);
        f(out.map_ready, pins.map_ready_o...);
        f(out.map_phys, pins.map_phys_o...);
        f(out.free, pins.free_o...);
        f(out.mapped, pins.mapped_o...);
    }

    /// A set-up, the end of a unit's mapping, or its new mapping.
    struct Operation {
        enum class Kind : std::uint8_t { kSetUp, kEnd, kUnmapped, kNew, kShare };
        Kind kind = Kind::kEnd;
        std::uint64_t tag = 0;
        std::uint32_t units = 0, registers = 0;  ///< set-up
        std::uint32_t unit = 0;                  ///< end and mapping
        std::uint32_t phys = 0;                  ///< share
    };
    /// The old register of a unit whose mapping ended; other operations have no result.
    struct Result {
        std::uint64_t tag = 0;
        bool mapped = false;  ///< there was one
        std::uint32_t phys = 0;
    };

    /// All outputs are defined in every cycle.
    static void clear_undefined(Outputs& /*out*/) {}

    static void withdraw(Inputs& in) { in.setup_valid = in.in_valid = in.map_valid = false; }
    static void offer(const Operation& operation, Inputs& in) {
        using Kind = Operation::Kind;
        using Op = tessera::RenameTableRtl::Op;
        in.setup_valid = operation.kind == Kind::kSetUp;
        in.in_valid = operation.kind == Kind::kEnd;
        in.map_valid = !in.setup_valid && !in.in_valid;
        in.setup_units = operation.units;
        in.setup_registers = operation.registers;
        in.unit = in.map_unit = operation.unit;
        in.map_phys = operation.phys;
        in.map_op = operation.kind == Kind::kNew     ? Op::kNew
                    : operation.kind == Kind::kShare ? Op::kShare
                                                     : Op::kUnmapped;
    }
    static void set_ready(Inputs& in, bool ready) { in.out_ready = ready; }
    static bool accepted(const Operation& operation, const Outputs& out) {
        using Kind = Operation::Kind;
        if (operation.kind == Kind::kSetUp) return out.setup_ready != 0;
        return (operation.kind == Kind::kEnd ? out.in_ready : out.map_ready) != 0;
    }
    static bool answered(const Operation& operation) {
        return operation.kind == Operation::Kind::kEnd;
    }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        if (waiting.empty() || out.out_valid == 0 || !in.out_ready) return;
        emit(Result{waiting.front().tag, out.old_valid != 0, out.old});
        waiting.pop_front();
    }
};

extern template class PinRtl<RenameTableBlock>;

using RenameTablePins = PinModule<RenameTableBlock>;
using RenameTableModel = PinModel<RenameTableBlock>;
using RenameTableRtl = PinRtl<RenameTableBlock>;
using RenameTableSignals = PinSignals<RenameTableBlock>;
using RenameTableTransactor = Transactor<RenameTableBlock>;

}  // namespace tessera::pins
