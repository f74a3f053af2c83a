// Ports of the Verilated bitmap im2col. For sources that see Verilated headers.
#pragma once

#include "sc_models/cosim/bitmap_im2col_rtl.h"
#include "sc_models/cosim/flat_ports.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of the
/// bitmap im2col: the machine's set of parameters, or the second one.
template <class Top>
struct BitmapIm2colPorts {
    using Rtl = BitmapIm2colRtl;
    Rtl::Parameters parameters;

    static void idle(Top& top) { top.row_valid_i = 0; }
    static void drive(const Rtl::Inputs& in, Top& top) {
        top.row_valid_i = in.row_valid != 0;
        set_port(top.row_bitmap_i, in.row.bitmap);
        set_port(top.row_length_i, in.row.length);
        set_port(top.row_filter_i, in.row.filter_width);
        top.row_stride2_i = in.row.stride2 != 0;
        set_port(top.row_base_i, in.row.base);
        top.column_ready_i = in.column_ready != 0;
    }
    static void read(const Top& top, Rtl::Outputs& out) {
        out.row_ready = top.row_ready_o;
        out.column_valid = top.column_valid_o;
        out.column.bitmap = top.column_bitmap_o;
        out.column.window = top.column_window_o;
        out.column.address = top.column_address_o;
        out.column.length = top.column_length_o;
        out.column.count = top.column_count_o;
        out.column.first = top.column_first_o;
        out.column.last = top.column_last_o;
        out.column.error = top.column_error_o;
    }
};

}  // namespace tessera
