// Pins, cycle model and operations of the assign table.
#pragma once

#include <deque>

#include "sc_models/pins/clocked_assign_table.h"
#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"

namespace tessera::pins {

/// Description of rtl/assign_table for the templates of this folder.
struct AssignTableBlock {
    using Inputs = ClockedAssignTable::Inputs;
    using Outputs = ClockedAssignTable::Outputs;
    using Core = ClockedAssignTable;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> setup_valid_i{"setup_valid_i"};
        Out<bool> setup_ready_o{"setup_ready_o"};
        In<sc_dt::sc_uint<11>> setup_entries_i{"setup_entries_i"};
        Out<bool> setup_error_o{"setup_error_o"};
        In<bool> in_valid_i{"in_valid_i"};
        Out<bool> in_ready_o{"in_ready_o"};
        In<sc_dt::sc_uint<2>> op_i{"op_i"};
        In<sc_dt::sc_uint<33>> input_i{"input_i"};
        In<sc_dt::sc_uint<33>> weights_i{"weights_i"};
        In<sc_dt::sc_uint<3>> sm_i{"sm_i"};
        Out<bool> out_valid_o{"out_valid_o"};
        In<bool> out_ready_i{"out_ready_i"};
        Out<bool> done_o{"done_o"};
        Out<bool> replaced_o{"replaced_o"};
        Out<sc_dt::sc_uint<3>> sm_o{"sm_o"};
        Out<sc_dt::sc_uint<11>> count_o{"count_o"};
        Out<sc_dt::sc_uint<11>> size_o{"size_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.setup_valid, pins.setup_valid_i...);
        f(in.setup_entries, pins.setup_entries_i...);
        f(in.in_valid, pins.in_valid_i...);
        f(in.op, pins.op_i...);
        f(in.pair.input, pins.input_i...);
        f(in.pair.weights, pins.weights_i...);
        f(in.sm, pins.sm_i...);
        f(in.out_ready, pins.out_ready_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.setup_ready, pins.setup_ready_o...);
        f(out.setup_error, pins.setup_error_o...);
        f(out.in_ready, pins.in_ready_o...);
        f(out.out_valid, pins.out_valid_o...);
        f(out.done, pins.done_o...);
        f(out.replaced, pins.replaced_o...);
        f(out.sm, pins.sm_o...);
        f(out.count, pins.count_o...);
        f(out.size, pins.size_o...);
    }

    /// A set-up, or an operation with the fields that it uses.
    struct Operation {
        std::uint64_t tag = 0;
        std::uint32_t entries = 0;  ///< not 0: a set-up
        tessera::AssignTableRtl::Op op = tessera::AssignTableRtl::Op::kLookup;
        BlockPair pair;
        std::uint32_t sm = 0;
    };
    /// The answer to an operation; a set-up has none.
    struct Result {
        std::uint64_t tag = 0;
        Outputs answer;
    };

    /// All outputs are defined in every cycle.
    static void clear_undefined(Outputs& /*out*/) {}

    static void withdraw(Inputs& in) { in.setup_valid = in.in_valid = false; }
    static void offer(const Operation& operation, Inputs& in) {
        in.setup_valid = operation.entries != 0;
        in.in_valid = !in.setup_valid;
        in.setup_entries = operation.entries;
        in.op = operation.op;
        in.pair = operation.pair;
        in.sm = operation.sm;
    }
    static void set_ready(Inputs& in, bool ready) { in.out_ready = ready; }
    static bool accepted(const Operation& operation, const Outputs& out) {
        return (operation.entries != 0 ? out.setup_ready : out.in_ready) != 0;
    }
    static bool answered(const Operation& operation) { return operation.entries == 0; }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        if (waiting.empty() || out.out_valid == 0 || !in.out_ready) return;
        emit(Result{waiting.front().tag, out});
        waiting.pop_front();
    }
};

extern template class PinRtl<AssignTableBlock>;

using AssignTablePins = PinModule<AssignTableBlock>;
using AssignTableModel = PinModel<AssignTableBlock>;
using AssignTableRtl = PinRtl<AssignTableBlock>;
using AssignTableSignals = PinSignals<AssignTableBlock>;
using AssignTableTransactor = Transactor<AssignTableBlock>;

}  // namespace tessera::pins
