// Pins, cycle model and operations of the bitmap im2col.
#pragma once

#include <deque>

#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"
#include "sc_models/tensor_core/bitmap_im2col.h"

namespace tessera::pins {

/// Description of rtl/bitmap_im2col for the templates of this folder.
struct BitmapIm2colBlock {
    using Inputs = BitmapIm2col::Inputs;
    using Outputs = BitmapIm2col::Outputs;
    using Core = SteppedCore<BitmapIm2col>;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> row_valid_i{"row_valid_i"};
        Out<bool> row_ready_o{"row_ready_o"};
        In<sc_dt::sc_uint<64>> row_bitmap_i{"row_bitmap_i"};
        In<sc_dt::sc_uint<7>> row_length_i{"row_length_i"};
        In<sc_dt::sc_uint<7>> row_filter_i{"row_filter_i"};
        In<bool> row_stride2_i{"row_stride2_i"};
        In<sc_dt::sc_uint<32>> row_base_i{"row_base_i"};
        Out<bool> column_valid_o{"column_valid_o"};
        In<bool> column_ready_i{"column_ready_i"};
        Out<sc_dt::sc_uint<64>> column_bitmap_o{"column_bitmap_o"};
        Out<sc_dt::sc_uint<64>> column_window_o{"column_window_o"};
        Out<sc_dt::sc_uint<32>> column_address_o{"column_address_o"};
        Out<sc_dt::sc_uint<7>> column_length_o{"column_length_o"};
        Out<sc_dt::sc_uint<7>> column_count_o{"column_count_o"};
        Out<bool> column_first_o{"column_first_o"};
        Out<bool> column_last_o{"column_last_o"};
        Out<bool> column_error_o{"column_error_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.row_valid, pins.row_valid_i...);
        f(in.row.bitmap, pins.row_bitmap_i...);
        f(in.row.length, pins.row_length_i...);
        f(in.row.filter_width, pins.row_filter_i...);
        f(in.row.stride2, pins.row_stride2_i...);
        f(in.row.base, pins.row_base_i...);
        f(in.column_ready, pins.column_ready_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.row_ready, pins.row_ready_o...);
        f(out.column_valid, pins.column_valid_o...);
        f(out.column.bitmap, pins.column_bitmap_o...);
        f(out.column.window, pins.column_window_o...);
        f(out.column.address, pins.column_address_o...);
        f(out.column.length, pins.column_length_o...);
        f(out.column.count, pins.column_count_o...);
        f(out.column.first, pins.column_first_o...);
        f(out.column.last, pins.column_last_o...);
        f(out.column.error, pins.column_error_o...);
    }

    struct Operation {
        std::uint64_t tag = 0;
        BitmapIm2col::Row row;
    };
    /// A column of a row.
    struct Result {
        std::uint64_t tag = 0;
        BitmapIm2col::Column column;
    };

    static void clear_undefined(Outputs& out) {
        if (out.column_valid == 0) out.column = {};
    }

    static void withdraw(Inputs& in) { in.row_valid = 0; }
    static void offer(const Operation& operation, Inputs& in) {
        in.row_valid = 1;
        in.row = operation.row;
    }
    static void set_ready(Inputs& in, bool ready) { in.column_ready = ready ? 1 : 0; }
    static bool accepted(const Operation& /*operation*/, const Outputs& out) {
        return out.row_ready != 0;
    }
    static bool answered(const Operation& /*operation*/) { return true; }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        if (waiting.empty() || out.column_valid == 0 || in.column_ready == 0) return;
        emit(Result{waiting.front().tag, out.column});
        if (out.column.last != 0) waiting.pop_front();
    }
};

extern template class PinRtl<BitmapIm2colBlock>;

using BitmapIm2colPins = PinModule<BitmapIm2colBlock>;
using BitmapIm2colModel = PinModel<BitmapIm2colBlock>;
using BitmapIm2colRtl = PinRtl<BitmapIm2colBlock>;
using BitmapIm2colSignals = PinSignals<BitmapIm2colBlock>;
using BitmapIm2colTransactor = Transactor<BitmapIm2colBlock>;

}  // namespace tessera::pins
