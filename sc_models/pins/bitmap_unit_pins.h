// Pins, cycle model and operations of the bitmap unit.
#pragma once

#include <deque>

#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"
#include "sc_models/tensor_core/bitmap_unit.h"

namespace tessera::pins {

/// Description of rtl/bitmap_unit for the templates of this folder.
struct BitmapUnitBlock {
    using Inputs = BitmapUnit::Inputs;
    using Outputs = BitmapUnit::Outputs;
    using Core = SteppedCore<BitmapUnit>;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> tile_valid_i{"tile_valid_i"};
        Out<bool> tile_ready_o{"tile_ready_o"};
        In<sc_dt::sc_bv<512>> a_bitmap_i{"a_bitmap_i"};
        In<sc_dt::sc_bv<512>> b_bitmap_i{"b_bitmap_i"};
        Out<bool> summary_valid_o{"summary_valid_o"};
        Out<sc_dt::sc_bv<96>> a_count_o{"a_count_o"};
        Out<sc_dt::sc_bv<96>> b_count_o{"b_count_o"};
        Out<sc_dt::sc_bv<144>> a_offset_o{"a_offset_o"};
        Out<sc_dt::sc_bv<144>> b_offset_o{"b_offset_o"};
        Out<sc_dt::sc_uint<48>> row_groups_o{"row_groups_o"};
        Out<sc_dt::sc_uint<32>> column_groups_o{"column_groups_o"};
        Out<sc_dt::sc_bv<128>> predicates_o{"predicates_o"};
        Out<bool> tile_done_o{"tile_done_o"};
        Out<bool> ohmma_valid_o{"ohmma_valid_o"};
        In<bool> ohmma_ready_i{"ohmma_ready_i"};
        Out<sc_dt::sc_uint<4>> ohmma_k_o{"ohmma_k_o"};
        Out<sc_dt::sc_uint<2>> ohmma_i_o{"ohmma_i_o"};
        Out<bool> ohmma_j_o{"ohmma_j_o"};
        Out<sc_dt::sc_uint<8>> ohmma_row_valid_o{"ohmma_row_valid_o"};
        Out<sc_dt::sc_uint<40>> ohmma_row_o{"ohmma_row_o"};
        Out<sc_dt::sc_uint<16>> ohmma_column_valid_o{"ohmma_column_valid_o"};
        Out<sc_dt::sc_bv<80>> ohmma_column_o{"ohmma_column_o"};
        Out<sc_dt::sc_uint<9>> ohmma_a_offset_o{"ohmma_a_offset_o"};
        Out<sc_dt::sc_uint<9>> ohmma_b_offset_o{"ohmma_b_offset_o"};
        Out<bool> ohmma_first_o{"ohmma_first_o"};
        Out<bool> ohmma_last_o{"ohmma_last_o"};
        Out<bool> idle_o{"idle_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.tile_valid, pins.tile_valid_i...);
        f(in.a_bitmap, pins.a_bitmap_i...);
        f(in.b_bitmap, pins.b_bitmap_i...);
        f(in.ohmma_ready, pins.ohmma_ready_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.tile_ready, pins.tile_ready_o...);
        f(out.summary_valid, pins.summary_valid_o...);
        f(out.summary.a_count, pins.a_count_o...);
        f(out.summary.b_count, pins.b_count_o...);
        f(out.summary.a_offset, pins.a_offset_o...);
        f(out.summary.b_offset, pins.b_offset_o...);
        f(out.summary.row_groups, pins.row_groups_o...);
        f(out.summary.column_groups, pins.column_groups_o...);
        f(out.summary.predicates, pins.predicates_o...);
        f(out.tile_done, pins.tile_done_o...);
        f(out.ohmma_valid, pins.ohmma_valid_o...);
        f(out.ohmma.k, pins.ohmma_k_o...);
        f(out.ohmma.i, pins.ohmma_i_o...);
        f(out.ohmma.j, pins.ohmma_j_o...);
        f(out.ohmma.row_valid, pins.ohmma_row_valid_o...);
        f(out.ohmma.row, pins.ohmma_row_o...);
        f(out.ohmma.column_valid, pins.ohmma_column_valid_o...);
        f(out.ohmma.column, pins.ohmma_column_o...);
        f(out.ohmma.a_offset, pins.ohmma_a_offset_o...);
        f(out.ohmma.b_offset, pins.ohmma_b_offset_o...);
        f(out.ohmma.first, pins.ohmma_first_o...);
        f(out.ohmma.last, pins.ohmma_last_o...);
        f(out.idle, pins.idle_o...);
    }

    /// A tile of 32x32x16.
    struct Operation {
        std::uint64_t tag = 0;
        std::array<std::uint32_t, kTileDepth> a_bitmap{};  ///< bit r: A[r][k] is not zero
        std::array<std::uint32_t, kTileDepth> b_bitmap{};  ///< bit c: B[k][c] is not zero
    };
    /// An OHMMA of the tile; for a tile without any, one result with `empty`.
    struct Result {
        std::uint64_t tag = 0;
        bool empty = false;
        BitmapUnit::Ohmma ohmma;
    };

    /// Clears data without its valid, which the RTL does not define.
    static void clear_undefined(Outputs& out) {
        if (out.summary_valid == 0) out.summary = {};
        if (out.ohmma_valid == 0) out.ohmma = {};
    }

    static void withdraw(Inputs& in) { in.tile_valid = 0; }
    static void offer(const Operation& operation, Inputs& in) {
        in.tile_valid = 1;
        in.a_bitmap = operation.a_bitmap;
        in.b_bitmap = operation.b_bitmap;
    }
    static void set_ready(Inputs& in, bool ready) { in.ohmma_ready = ready ? 1 : 0; }
    static bool accepted(const Operation& /*operation*/, const Outputs& out) {
        return out.tile_ready != 0;
    }
    static bool answered(const Operation& /*operation*/) { return true; }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        // Tiles without OHMMAs that are before the OHMMA at the output have ended.
        const bool taken = out.ohmma_valid != 0 && in.ohmma_ready != 0;
        while (!waiting.empty() && is_empty(waiting.front()) && (taken || out.idle != 0)) {
            emit(Result{waiting.front().tag, true, {}});
            waiting.pop_front();
        }
        if (!taken || waiting.empty()) return;
        emit(Result{waiting.front().tag, false, out.ohmma});
        if (out.ohmma.last != 0) waiting.pop_front();
    }

private:
    static bool is_empty(const Operation& tile) {
        for (std::uint32_t k = 0; k < kTileDepth; ++k) {
            if (tile.a_bitmap[k] != 0 && tile.b_bitmap[k] != 0) return false;
        }
        return true;
    }
};

extern template class PinRtl<BitmapUnitBlock>;

using BitmapUnitPins = PinModule<BitmapUnitBlock>;
using BitmapUnitModel = PinModel<BitmapUnitBlock>;
using BitmapUnitRtl = PinRtl<BitmapUnitBlock>;
using BitmapUnitSignals = PinSignals<BitmapUnitBlock>;
using BitmapUnitTransactor = Transactor<BitmapUnitBlock>;

}  // namespace tessera::pins
