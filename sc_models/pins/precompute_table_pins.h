// Pins, cycle model and operations of the precompute table.
#pragma once

#include <deque>

#include "sc_models/pins/clocked_precompute_table.h"
#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"

namespace tessera::pins {

/// Description of rtl/precompute_table for the templates of this folder.
struct PrecomputeTableBlock {
    using Inputs = ClockedPrecomputeTable::Inputs;
    using Outputs = ClockedPrecomputeTable::Outputs;
    using Core = ClockedPrecomputeTable;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> setup_valid_i{"setup_valid_i"};
        Out<bool> setup_ready_o{"setup_ready_o"};
        In<sc_dt::sc_uint<10>> setup_entries_i{"setup_entries_i"};
        Out<bool> setup_error_o{"setup_error_o"};
        In<bool> in_valid_i{"in_valid_i"};
        Out<bool> in_ready_o{"in_ready_o"};
        In<sc_dt::sc_uint<3>> op_i{"op_i"};
        In<sc_dt::sc_uint<40>> input_i{"input_i"};
        In<sc_dt::sc_uint<40>> weights_i{"weights_i"};
        In<sc_dt::sc_uint<8>> geometry_i{"geometry_i"};
        In<sc_dt::sc_uint<9>> slot_i{"slot_i"};
        In<bool> after_i{"after_i"};
        In<sc_dt::sc_uint<4>> generation_i{"generation_i"};
        In<sc_dt::sc_uint<10>> count_i{"count_i"};
        In<sc_dt::sc_bv<1024>> results_i{"results_i"};
        Out<bool> out_valid_o{"out_valid_o"};
        In<bool> out_ready_i{"out_ready_i"};
        Out<bool> done_o{"done_o"};
        Out<bool> present_o{"present_o"};
        Out<bool> replaced_o{"replaced_o"};
        Out<bool> complete_o{"complete_o"};
        Out<sc_dt::sc_uint<9>> slot_o{"slot_o"};
        Out<sc_dt::sc_uint<4>> generation_o{"generation_o"};
        Out<sc_dt::sc_uint<40>> input_o{"input_o"};
        Out<sc_dt::sc_uint<40>> weights_o{"weights_o"};
        Out<sc_dt::sc_uint<8>> geometry_o{"geometry_o"};
        Out<sc_dt::sc_uint<10>> count_o{"count_o"};
        Out<sc_dt::sc_bv<1024>> results_o{"results_o"};
        Out<sc_dt::sc_uint<10>> size_o{"size_o"};
        Out<bool> waiting_o{"waiting_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.setup_valid, pins.setup_valid_i...);
        f(in.setup_entries, pins.setup_entries_i...);
        f(in.in_valid, pins.in_valid_i...);
        f(in.op, pins.op_i...);
        f(in.key.input, pins.input_i...);
        f(in.key.weights, pins.weights_i...);
        f(in.key.geometry, pins.geometry_i...);
        f(in.slot, pins.slot_i...);
        f(in.after, pins.after_i...);
        f(in.generation, pins.generation_i...);
        f(in.count, pins.count_i...);
        f(in.results, pins.results_i...);
        f(in.out_ready, pins.out_ready_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.setup_ready, pins.setup_ready_o...);
        f(out.setup_error, pins.setup_error_o...);
        f(out.in_ready, pins.in_ready_o...);
        f(out.out_valid, pins.out_valid_o...);
        f(out.done, pins.done_o...);
        f(out.present, pins.present_o...);
        f(out.replaced, pins.replaced_o...);
        f(out.complete, pins.complete_o...);
        f(out.slot, pins.slot_o...);
        f(out.generation, pins.generation_o...);
        f(out.input, pins.input_o...);
        f(out.weights, pins.weights_o...);
        f(out.geometry, pins.geometry_o...);
        f(out.count, pins.count_o...);
        f(out.results, pins.results_o...);
        f(out.size, pins.size_o...);
        f(out.waiting, pins.waiting_o...);
    }

    /// A set-up, or an operation with the fields that it uses.
    struct Operation {
        std::uint64_t tag = 0;
        std::uint32_t entries = 0;  ///< not 0: a set-up
        tessera::PrecomputeTableRtl::Op op = tessera::PrecomputeTableRtl::Op::kLookup;
        PrecomputeKey key;
        std::uint32_t slot = 0;
        bool after = false;
        std::uint32_t generation = 0, count = 0;
        tessera::PrecomputeTableRtl::Results results{};
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
        in.key = operation.key;
        in.slot = operation.slot;
        in.after = operation.after;
        in.generation = operation.generation;
        in.count = operation.count;
        in.results = operation.results;
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

extern template class PinRtl<PrecomputeTableBlock>;

using PrecomputeTablePins = PinModule<PrecomputeTableBlock>;
using PrecomputeTableModel = PinModel<PrecomputeTableBlock>;
using PrecomputeTableRtl = PinRtl<PrecomputeTableBlock>;
using PrecomputeTableSignals = PinSignals<PrecomputeTableBlock>;
using PrecomputeTableTransactor = Transactor<PrecomputeTableBlock>;

}  // namespace tessera::pins
