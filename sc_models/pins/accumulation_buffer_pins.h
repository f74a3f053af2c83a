// Pins, cycle model and operations of the accumulation buffer.
#pragma once

#include <algorithm>
#include <deque>

#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"
#include "sc_models/tensor_core/accumulation_buffer.h"
#include "sc_models/tensor_core/tensor_devices.h"

namespace tessera::pins {

/// Description of rtl/accumulation_buffer for the templates of this folder. Words are undefined
/// until they are preloaded.
struct AccumulationBufferBlock {
    using Inputs = AccumulationBuffer::Inputs;
    using Outputs = AccumulationBuffer::Outputs;
    using Core = SteppedCore<DefaultAccumulationBuffer>;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> op_valid_i{"op_valid_i"};
        Out<bool> op_ready_o{"op_ready_o"};
        In<bool> op_dense_i{"op_dense_i"};
        In<bool> op_first_i{"op_first_i"};
        In<bool> op_last_i{"op_last_i"};
        In<sc_dt::sc_uint<3>> op_word_i{"op_word_i"};
        In<sc_dt::sc_uint<8>> op_row_valid_i{"op_row_valid_i"};
        In<sc_dt::sc_uint<40>> op_row_i{"op_row_i"};
        In<sc_dt::sc_uint<16>> op_column_valid_i{"op_column_valid_i"};
        In<sc_dt::sc_bv<80>> op_column_i{"op_column_i"};
        In<sc_dt::sc_bv<4096>> op_product_i{"op_product_i"};
        In<sc_dt::sc_bv<4096>> op_c_i{"op_c_i"};
        In<bool> preload_valid_i{"preload_valid_i"};
        Out<bool> preload_ready_o{"preload_ready_o"};
        In<sc_dt::sc_uint<3>> preload_word_i{"preload_word_i"};
        In<sc_dt::sc_bv<4096>> preload_data_i{"preload_data_i"};
        In<bool> drain_valid_i{"drain_valid_i"};
        Out<bool> drain_ready_o{"drain_ready_o"};
        In<bool> drain_clear_i{"drain_clear_i"};
        Out<bool> row_valid_o{"row_valid_o"};
        In<bool> row_ready_i{"row_ready_i"};
        Out<sc_dt::sc_uint<3>> row_word_o{"row_word_o"};
        Out<sc_dt::sc_bv<4096>> row_data_o{"row_data_o"};
        Out<bool> result_valid_o{"result_valid_o"};
        In<bool> result_ready_i{"result_ready_i"};
        Out<sc_dt::sc_uint<3>> result_word_o{"result_word_o"};
        Out<sc_dt::sc_bv<4096>> result_data_o{"result_data_o"};
        Out<bool> idle_o{"idle_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.op_valid, pins.op_valid_i...);
        f(in.op_dense, pins.op_dense_i...);
        f(in.op_first, pins.op_first_i...);
        f(in.op_last, pins.op_last_i...);
        f(in.op_word, pins.op_word_i...);
        f(in.op_row_valid, pins.op_row_valid_i...);
        f(in.op_row, pins.op_row_i...);
        f(in.op_column_valid, pins.op_column_valid_i...);
        f(in.op_column, pins.op_column_i...);
        f(in.op_product, pins.op_product_i...);
        f(in.op_c, pins.op_c_i...);
        f(in.preload_valid, pins.preload_valid_i...);
        f(in.preload_word, pins.preload_word_i...);
        f(in.preload_data, pins.preload_data_i...);
        f(in.drain_valid, pins.drain_valid_i...);
        f(in.drain_clear, pins.drain_clear_i...);
        f(in.row_ready, pins.row_ready_i...);
        f(in.result_ready, pins.result_ready_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.op_ready, pins.op_ready_o...);
        f(out.preload_ready, pins.preload_ready_o...);
        f(out.drain_ready, pins.drain_ready_o...);
        f(out.row_valid, pins.row_valid_o...);
        f(out.row_word, pins.row_word_o...);
        f(out.row_data, pins.row_data_o...);
        f(out.result_valid, pins.result_valid_o...);
        f(out.result_word, pins.result_word_o...);
        f(out.result_data, pins.result_data_o...);
        f(out.idle, pins.idle_o...);
    }

    /// An OHMMA, a preload of one word of all banks, or a drain. Members as in
    /// AccumulationBuffer::Inputs.
    struct Operation {
        enum class Kind : std::uint8_t { kSparse, kDense, kPreload, kDrain };
        Kind kind = Kind::kSparse;
        std::uint64_t tag = 0;
        std::uint32_t row_valid = 0, column_valid = 0;      ///< sparse
        std::array<std::uint32_t, kOhmmaRows> row{};        ///< sparse
        std::array<std::uint32_t, kOhmmaColumns> column{};  ///< sparse
        bool first = false, last = false;                   ///< dense
        std::uint32_t word = 0;                             ///< dense and preload
        std::array<std::uint32_t, kOhmmaProducts> data{};   ///< products or preloaded words
        std::array<std::uint32_t, kOhmmaProducts> c{};      ///< dense and first
        bool clear = false;                                 ///< drain
    };
    /// One word of all banks: the sums of a dense OHMMA with `last`, or a row of a drain.
    struct Result {
        Operation::Kind kind = Operation::Kind::kDense;
        std::uint64_t tag = 0;
        std::uint32_t word = 0;
        std::array<std::uint32_t, kOhmmaProducts> data{};  ///< by bank, FP32
    };

    /// Clears data without its valid, which the RTL does not define.
    static void clear_undefined(Outputs& out) {
        if (out.row_valid == 0) {
            out.row_word = 0;
            out.row_data.fill(0);
        }
        if (out.result_valid == 0) {
            out.result_word = 0;
            out.result_data.fill(0);
        }
    }

    static void withdraw(Inputs& in) { in.op_valid = in.preload_valid = in.drain_valid = 0; }
    static void offer(const Operation& operation, Inputs& in) {
        using Kind = Operation::Kind;
        in.preload_valid = operation.kind == Kind::kPreload ? 1 : 0;
        in.drain_valid = operation.kind == Kind::kDrain ? 1 : 0;
        in.op_valid = in.preload_valid == 0 && in.drain_valid == 0 ? 1 : 0;
        if (in.drain_valid != 0) {
            in.drain_clear = operation.clear ? 1 : 0;
        } else if (in.preload_valid != 0) {
            in.preload_word = operation.word;
            in.preload_data = operation.data;
        } else {
            in.op_dense = operation.kind == Kind::kDense ? 1 : 0;
            in.op_first = operation.first ? 1 : 0;
            in.op_last = operation.last ? 1 : 0;
            in.op_word = operation.word;
            in.op_row_valid = operation.row_valid;
            in.op_column_valid = operation.column_valid;
            in.op_row = operation.row;
            in.op_column = operation.column;
            in.op_product = operation.data;
            in.op_c = operation.c;
        }
    }
    static void set_ready(Inputs& in, bool ready) {
        in.row_ready = in.result_ready = ready ? 1 : 0;
    }
    static bool accepted(const Operation& operation, const Outputs& out) {
        if (operation.kind == Operation::Kind::kPreload) return out.preload_ready != 0;
        if (operation.kind == Operation::Kind::kDrain) return out.drain_ready != 0;
        return out.op_ready != 0;
    }
    static bool answered(const Operation& operation) {
        return operation.kind == Operation::Kind::kDrain ||
               (operation.kind == Operation::Kind::kDense && operation.last);
    }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        const auto oldest = [&waiting](Operation::Kind kind) {
            return std::find_if(waiting.begin(), waiting.end(),
                                [kind](const Operation& op) { return op.kind == kind; });
        };
        const auto dense = oldest(Operation::Kind::kDense);
        if (out.result_valid != 0 && in.result_ready != 0 && dense != waiting.end()) {
            emit(Result{dense->kind, dense->tag, out.result_word, out.result_data});
            waiting.erase(dense);
        }
        const auto drain = oldest(Operation::Kind::kDrain);
        if (out.row_valid != 0 && in.row_ready != 0 && drain != waiting.end()) {
            emit(Result{drain->kind, drain->tag, out.row_word, out.row_data});
            constexpr std::uint32_t kLastWord = 7;
            if (out.row_word == kLastWord) waiting.erase(drain);
        }
    }
};

extern template class PinRtl<AccumulationBufferBlock>;

using AccumulationBufferPins = PinModule<AccumulationBufferBlock>;
using AccumulationBufferModel = PinModel<AccumulationBufferBlock>;
using AccumulationBufferRtl = PinRtl<AccumulationBufferBlock>;
using AccumulationBufferSignals = PinSignals<AccumulationBufferBlock>;
using AccumulationBufferTransactor = Transactor<AccumulationBufferBlock>;

}  // namespace tessera::pins
