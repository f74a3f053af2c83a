// Ports of the Verilated bitmap unit. For sources that see Verilated headers.
#pragma once

#include "sc_models/cosim/bitmap_unit_rtl.h"
#include "sc_models/cosim/flat_ports.h"
#include "sc_models/cosim/summary_ports.h"

namespace tessera {

/// Moves inputs and outputs of the wrapper to and from the pins of a Verilated class of the
/// bitmap unit: the machine's set of parameters, or the second one.
template <class Top>
struct BitmapUnitPorts {
    using Rtl = BitmapUnitRtl;
    Rtl::Parameters parameters;
    SummaryPorts<Top> summary = {};

    static void idle(Top& top) { top.tile_valid_i = 0; }
    void drive(const Rtl::Inputs& in, Top& top) const {
        constexpr std::uint32_t kBits = kTileSize;
        top.tile_valid_i = in.tile_valid != 0;
        if (in.tile_valid != 0) {
            pack(in.a_bitmap, parameters.depth, kBits, top.a_bitmap_i);
            pack(in.b_bitmap, parameters.depth, kBits, top.b_bitmap_i);
        }
        top.ohmma_ready_i = in.ohmma_ready != 0;
    }
    void read(const Top& top, Rtl::Outputs& out) {
        out.tile_ready = top.tile_ready_o;
        out.summary_valid = top.summary_valid_o;
        if (out.summary_valid != 0) out.summary = summary.read(top);
        out.tile_done = top.tile_done_o;
        out.ohmma_valid = top.ohmma_valid_o;
        if (out.ohmma_valid != 0) read_ohmma(top, out.ohmma);
        out.idle = top.idle_o;
    }
    static void read_ohmma(const Top& top, BitmapUnit::Ohmma& ohmma) {
        ohmma.k = top.ohmma_k_o;
        ohmma.i = top.ohmma_i_o;
        ohmma.j = top.ohmma_j_o;
        unpack<5>(top.ohmma_row_o, ohmma.row);
        ohmma.row_valid = top.ohmma_row_valid_o;
        unpack<5>(top.ohmma_column_o, ohmma.column);
        ohmma.column_valid = top.ohmma_column_valid_o;
        ohmma.a_offset = top.ohmma_a_offset_o;
        ohmma.b_offset = top.ohmma_b_offset_o;
        ohmma.first = top.ohmma_first_o;
        ohmma.last = top.ohmma_last_o;
    }
};

}  // namespace tessera
