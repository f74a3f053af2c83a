// Ports of the Verilated sparse tensor core. For sources that see Verilated headers.
#pragma once

#include "sc_models/cosim/flat_ports.h"
#include "sc_models/cosim/spwmma_core_rtl.h"
#include "sc_models/cosim/summary_ports.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of the
/// sparse tensor core: the machine's set of parameters, or the second one.
template <class Top>
struct SpwmmaCorePorts {
    using Rtl = SpwmmaCoreRtl;
    Rtl::Parameters parameters;
    SummaryPorts<Top> summary = {};

    static void idle(Top& top) {
        top.tile_valid_i = 0;
        top.run_i = 0;
        top.preload_valid_i = 0;
        top.drain_valid_i = 0;
    }
    void drive(const Rtl::Inputs& in, Top& top) const {
        drive_tile(top, in);
        drive_buffer(top, in);
    }
    void read(const Top& top, Rtl::Outputs& out) {
        read_front(top, out);
        read_buffer(top, out);
    }
    void drive_tile(Top& top, const Rtl::Inputs& in) const {
        top.tile_valid_i = in.tile_valid != 0;
        top.tile_tag_i = in.tile_tag & (parameters.tags() - 1);
        if (in.tile_valid != 0) {
            copy_port(top.a_bitmap_i, in.a_bitmap);
            copy_port(top.b_bitmap_i, in.b_bitmap);
        }
        copy_port(top.a_even_i, in.a_even);
        copy_port(top.a_odd_i, in.a_odd);
        copy_port(top.b_even_i, in.b_even);
        copy_port(top.b_odd_i, in.b_odd);
    }
    static void drive_buffer(Top& top, const Rtl::Inputs& in) {
        top.run_i = in.run != 0;
        top.preload_valid_i = in.preload_valid != 0;
        if (in.preload_valid != 0) {
            top.preload_word_i = in.preload_word;
            copy_port(top.preload_data_i, in.preload_data);
        }
        top.drain_valid_i = in.drain_valid != 0;
        top.drain_clear_i = in.drain_clear != 0;
        top.row_ready_i = in.row_ready != 0;
    }
    void read_front(const Top& top, Rtl::Outputs& out) {
        out.tile_ready = top.tile_ready_o;
        out.summary_valid = top.summary_valid_o;
        if (out.summary_valid != 0) out.summary = summary.read(top);
        out.tile_done = top.tile_done_o;
        out.read = top.read_o;
        out.read_tag = top.read_tag_o;
        out.a_even_word = top.a_even_word_o;
        out.a_odd_word = top.a_odd_word_o;
        out.b_even_word = top.b_even_word_o;
        out.b_odd_word = top.b_odd_word_o;
        out.front_idle = top.front_idle_o;
    }
    static void read_buffer(const Top& top, Rtl::Outputs& out) {
        out.ohmma_valid = top.ohmma_valid_o;
        out.ohmma_ready = top.ohmma_ready_o;
        out.ohmma_tag = top.ohmma_tag_o;
        out.ohmma_k = top.ohmma_k_o;
        out.ohmma_row_valid = top.ohmma_row_valid_o;
        out.ohmma_column_valid = top.ohmma_column_valid_o;
        out.preload_ready = top.preload_ready_o;
        out.drain_ready = top.drain_ready_o;
        out.row_valid = top.row_valid_o;
        out.row_word = top.row_word_o;
        if (out.row_valid != 0) copy_port(out.row_data, top.row_data_o);
        out.idle = top.idle_o;
    }
};

}  // namespace tessera
