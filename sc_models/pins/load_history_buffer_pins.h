// Pins, cycle model and operations of the load history buffer.
#pragma once

#include <deque>

#include "sc_models/pins/clocked_load_history_buffer.h"
#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"

namespace tessera::pins {

/// Description of rtl/load_history_buffer for the templates of this folder.
struct LoadHistoryBufferBlock {
    using Inputs = ClockedLoadHistoryBuffer::Inputs;
    using Outputs = ClockedLoadHistoryBuffer::Outputs;
    using Core = ClockedLoadHistoryBuffer;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> setup_valid_i{"setup_valid_i"};
        Out<bool> setup_ready_o{"setup_ready_o"};
        In<bool> setup_keep_i{"setup_keep_i"};
        In<sc_dt::sc_uint<4>> setup_log_sets_i{"setup_log_sets_i"};
        In<sc_dt::sc_uint<3>> setup_log_ways_i{"setup_log_ways_i"};
        In<sc_dt::sc_uint<5>> setup_shift_i{"setup_shift_i"};
        In<bool> setup_fold_i{"setup_fold_i"};
        Out<bool> setup_error_o{"setup_error_o"};
        In<bool> in_valid_i{"in_valid_i"};
        Out<bool> in_ready_o{"in_ready_o"};
        In<sc_dt::sc_uint<2>> op_i{"op_i"};
        In<sc_dt::sc_uint<48>> element_i{"element_i"};
        In<sc_dt::sc_uint<16>> batch_i{"batch_i"};
        In<sc_dt::sc_uint<64>> owner_i{"owner_i"};
        In<sc_dt::sc_uint<14>> phys_i{"phys_i"};
        Out<bool> out_valid_o{"out_valid_o"};
        In<bool> out_ready_i{"out_ready_i"};
        Out<bool> found_o{"found_o"};
        Out<bool> same_key_o{"same_key_o"};
        Out<sc_dt::sc_uint<14>> phys_o{"phys_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        using Word = std::remove_reference_t<decltype((in.key.low))>;
        constexpr std::uint32_t kElementBits = 48;
        f(in.setup_valid, pins.setup_valid_i...);
        f(in.setup_keep, pins.setup_keep_i...);
        f(in.setup_log_sets, pins.setup_log_sets_i...);
        f(in.setup_log_ways, pins.setup_log_ways_i...);
        f(in.setup_shift, pins.setup_shift_i...);
        f(in.setup_fold, pins.setup_fold_i...);
        f(in.in_valid, pins.in_valid_i...);
        f(in.op, pins.op_i...);
        f(BitField<Word>{in.key.low, 0, kElementBits}, pins.element_i...);
        f(BitField<Word>{in.key.low, kElementBits, 64 - kElementBits}, pins.batch_i...);
        f(in.key.high, pins.owner_i...);
        f(in.phys, pins.phys_i...);
        f(in.out_ready, pins.out_ready_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.setup_ready, pins.setup_ready_o...);
        f(out.setup_error, pins.setup_error_o...);
        f(out.in_ready, pins.in_ready_o...);
        f(out.out_valid, pins.out_valid_o...);
        f(out.found, pins.found_o...);
        f(out.same_key, pins.same_key_o...);
        f(out.phys, pins.phys_o...);
    }

    /// A set-up (`keep`: only empties the buffer), or an operation on an entry.
    struct Operation {
        enum class Kind : std::uint8_t { kSetUp, kLookup, kInsert, kRelease };
        Kind kind = Kind::kLookup;
        std::uint64_t tag = 0;
        bool keep = false, fold = false;                     ///< set-up
        std::uint8_t log_sets = 0, log_ways = 0, shift = 0;  ///< set-up
        LhbKey key;                                          ///< look-up and insertion
        std::uint32_t phys = 0;                              ///< insertion and release
    };
    /// The result of an operation on an entry; a set-up has none.
    struct Result {
        Operation::Kind kind = Operation::Kind::kLookup;
        std::uint64_t tag = 0;
        bool found = false, same_key = false;
        std::uint32_t phys = 0;
    };

    /// Clears data without its valid, which the RTL does not define.
    static void clear_undefined(Outputs& out) {
        if (out.out_valid == 0) out.found = out.same_key = out.phys = 0;
    }

    static void withdraw(Inputs& in) { in.setup_valid = in.in_valid = false; }
    static void offer(const Operation& operation, Inputs& in) {
        in.setup_valid = operation.kind == Operation::Kind::kSetUp;
        in.in_valid = !in.setup_valid;
        if (in.setup_valid) {
            in.setup_keep = operation.keep;
            in.setup_fold = operation.fold;
            in.setup_log_sets = operation.log_sets;
            in.setup_log_ways = operation.log_ways;
            in.setup_shift = operation.shift;
            return;
        }
        in.op = operation.kind == Operation::Kind::kLookup
                    ? tessera::LoadHistoryBufferRtl::Op::kLookup
                : operation.kind == Operation::Kind::kInsert
                    ? tessera::LoadHistoryBufferRtl::Op::kInsert
                    : tessera::LoadHistoryBufferRtl::Op::kRelease;
        in.key = operation.key;
        in.phys = operation.phys;
    }
    static void set_ready(Inputs& in, bool ready) { in.out_ready = ready; }
    static bool accepted(const Operation& operation, const Outputs& out) {
        return (operation.kind == Operation::Kind::kSetUp ? out.setup_ready : out.in_ready) != 0;
    }
    static bool answered(const Operation& operation) {
        return operation.kind != Operation::Kind::kSetUp;
    }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        if (waiting.empty() || out.out_valid == 0 || !in.out_ready) return;
        const Operation& oldest = waiting.front();
        emit(Result{oldest.kind, oldest.tag, out.found != 0, out.same_key != 0, out.phys});
        waiting.pop_front();
    }
};

extern template class PinRtl<LoadHistoryBufferBlock>;

using LoadHistoryBufferPins = PinModule<LoadHistoryBufferBlock>;
using LoadHistoryBufferModel = PinModel<LoadHistoryBufferBlock>;
using LoadHistoryBufferRtl = PinRtl<LoadHistoryBufferBlock>;
using LoadHistoryBufferSignals = PinSignals<LoadHistoryBufferBlock>;
using LoadHistoryBufferTransactor = Transactor<LoadHistoryBufferBlock>;

}  // namespace tessera::pins
