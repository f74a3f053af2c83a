// Pins, cycle model and operations of the sparse tensor core.
#pragma once

#include <algorithm>
#include <array>
#include <deque>

#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"
#include "sc_models/tensor_core/spwmma_core.h"

namespace tessera::pins {

/// Description of rtl/spwmma_core for the templates of this folder. Sums are undefined until they
/// are preloaded.
struct SpwmmaCoreBlock {
    using Inputs = tessera::SpwmmaCorePins::Inputs;
    using Outputs = tessera::SpwmmaCorePins::Outputs;
    using Core = SteppedCore<SpwmmaCore>;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> tile_valid_i{"tile_valid_i"};
        Out<bool> tile_ready_o{"tile_ready_o"};
        In<sc_dt::sc_uint<4>> tile_tag_i{"tile_tag_i"};
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
        Out<bool> read_o{"read_o"};
        Out<sc_dt::sc_uint<4>> read_tag_o{"read_tag_o"};
        Out<sc_dt::sc_uint<5>> a_even_word_o{"a_even_word_o"};
        Out<sc_dt::sc_uint<5>> a_odd_word_o{"a_odd_word_o"};
        Out<sc_dt::sc_uint<4>> b_even_word_o{"b_even_word_o"};
        Out<sc_dt::sc_uint<4>> b_odd_word_o{"b_odd_word_o"};
        In<sc_dt::sc_bv<128>> a_even_i{"a_even_i"};
        In<sc_dt::sc_bv<128>> a_odd_i{"a_odd_i"};
        In<sc_dt::sc_bv<256>> b_even_i{"b_even_i"};
        In<sc_dt::sc_bv<256>> b_odd_i{"b_odd_i"};
        Out<bool> ohmma_valid_o{"ohmma_valid_o"};
        Out<bool> ohmma_ready_o{"ohmma_ready_o"};
        Out<sc_dt::sc_uint<4>> ohmma_tag_o{"ohmma_tag_o"};
        Out<sc_dt::sc_uint<4>> ohmma_k_o{"ohmma_k_o"};
        Out<sc_dt::sc_uint<8>> ohmma_row_valid_o{"ohmma_row_valid_o"};
        Out<sc_dt::sc_uint<16>> ohmma_column_valid_o{"ohmma_column_valid_o"};
        Out<bool> front_idle_o{"front_idle_o"};
        In<bool> run_i{"run_i"};
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
        Out<bool> idle_o{"idle_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.tile_valid, pins.tile_valid_i...);
        f(in.tile_tag, pins.tile_tag_i...);
        f(in.a_bitmap, pins.a_bitmap_i...);
        f(in.b_bitmap, pins.b_bitmap_i...);
        f(in.a_even, pins.a_even_i...);
        f(in.a_odd, pins.a_odd_i...);
        f(in.b_even, pins.b_even_i...);
        f(in.b_odd, pins.b_odd_i...);
        f(in.run, pins.run_i...);
        f(in.preload_valid, pins.preload_valid_i...);
        f(in.preload_word, pins.preload_word_i...);
        f(in.preload_data, pins.preload_data_i...);
        f(in.drain_valid, pins.drain_valid_i...);
        f(in.drain_clear, pins.drain_clear_i...);
        f(in.row_ready, pins.row_ready_i...);
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
        f(out.read, pins.read_o...);
        f(out.read_tag, pins.read_tag_o...);
        f(out.a_even_word, pins.a_even_word_o...);
        f(out.a_odd_word, pins.a_odd_word_o...);
        f(out.b_even_word, pins.b_even_word_o...);
        f(out.b_odd_word, pins.b_odd_word_o...);
        f(out.ohmma_valid, pins.ohmma_valid_o...);
        f(out.ohmma_ready, pins.ohmma_ready_o...);
        f(out.ohmma_tag, pins.ohmma_tag_o...);
        f(out.ohmma_k, pins.ohmma_k_o...);
        f(out.ohmma_row_valid, pins.ohmma_row_valid_o...);
        f(out.ohmma_column_valid, pins.ohmma_column_valid_o...);
        f(out.front_idle, pins.front_idle_o...);
        f(out.preload_ready, pins.preload_ready_o...);
        f(out.drain_ready, pins.drain_ready_o...);
        f(out.row_valid, pins.row_valid_o...);
        f(out.row_word, pins.row_word_o...);
        f(out.row_data, pins.row_data_o...);
        f(out.idle, pins.idle_o...);
    }

    /// Values of the set bits of a tile's bitmaps, packed, k and then line ascending.
    using Values = std::array<HalfBits, kTileSize * kTileDepth>;

    /// A tile with its values, a preload of one word of all banks, or a drain. A tile's tag on the
    /// pins is the lowest four bits of `tag`. Tiles that are inside must differ there, which
    /// ascending tags do.
    struct Operation {
        enum class Kind : std::uint8_t { kTile, kPreload, kDrain };
        Kind kind = Kind::kTile;
        std::uint64_t tag = 0;
        std::array<std::uint32_t, kTileDepth> a_bitmap{}, b_bitmap{};  ///< tile
        Values a{}, b{};                                               ///< tile
        std::uint32_t ohmmas = 0;  ///< of the tile that the buffer has taken; the transactor's
        std::uint32_t word = 0;    ///< preload
        std::array<std::uint32_t, kOhmmaProducts> data{};  ///< preload
        bool clear = false;                                ///< drain
    };
    /// A tile whose OHMMAs are all at the buffer, or a row of a drain: one word of all banks.
    struct Result {
        Operation::Kind kind = Operation::Kind::kTile;
        std::uint64_t tag = 0;
        std::uint32_t ohmmas = 0;                          ///< of a tile
        std::uint32_t word = 0;                            ///< of a row
        std::array<std::uint32_t, kOhmmaProducts> data{};  ///< of a row, FP32 by bank
    };

    /// Clears data without its valid, which the RTL does not define.
    static void clear_undefined(Outputs& out) {
        if (out.summary_valid == 0) out.summary = {};
        if (out.read == 0) {
            out.read_tag = out.a_even_word = out.a_odd_word = out.b_even_word = out.b_odd_word = 0;
        }
        if (out.ohmma_valid == 0) {
            out.ohmma_tag = out.ohmma_k = out.ohmma_row_valid = out.ohmma_column_valid = 0;
        }
        if (out.row_valid == 0) {
            out.row_word = 0;
            out.row_data.fill(0);
        }
    }

    static void withdraw(Inputs& in) { in.tile_valid = in.preload_valid = in.drain_valid = 0; }
    static void offer(const Operation& operation, Inputs& in) {
        switch (operation.kind) {
            case Operation::Kind::kTile:
                in.tile_valid = 1;
                in.tile_tag = pin_tag(operation);
                in.a_bitmap = operation.a_bitmap;
                in.b_bitmap = operation.b_bitmap;
                break;
            case Operation::Kind::kPreload:
                in.preload_valid = 1;
                in.preload_word = operation.word;
                in.preload_data = operation.data;
                break;
            case Operation::Kind::kDrain:
                in.drain_valid = 1;
                in.drain_clear = operation.clear ? 1 : 0;
                break;
        }
    }
    /// The buffer's clock runs all the time.
    static void set_ready(Inputs& in, bool ready) {
        in.run = 1;
        in.row_ready = ready ? 1 : 0;
    }
    static bool accepted(const Operation& operation, const Outputs& out) {
        if (operation.kind == Operation::Kind::kPreload) return out.preload_ready != 0;
        if (operation.kind == Operation::Kind::kDrain) return out.drain_ready != 0;
        return out.tile_ready != 0;
    }
    static bool answered(const Operation& operation) {
        return operation.kind != Operation::Kind::kPreload;
    }
    /// Puts the words that the block reads on its pins, from the next cycle on.
    static void give_values(const Outputs& out, const std::deque<Operation>& waiting, Inputs& in) {
        if (out.read == 0) return;
        const auto tile =
            std::find_if(waiting.begin(), waiting.end(), [&out](const Operation& operation) {
                return operation.kind == Operation::Kind::kTile &&
                       pin_tag(operation) == out.read_tag;
            });
        if (tile == waiting.end()) return;
        const auto put = [](const Values& values, std::uint32_t word, auto& pins) {
            std::copy_n(values.begin() + word * pins.size(), pins.size(), pins.begin());
        };
        put(tile->a, 2 * out.a_even_word, in.a_even);
        put(tile->a, 2 * out.a_odd_word + 1, in.a_odd);
        put(tile->b, 2 * out.b_even_word, in.b_even);
        put(tile->b, 2 * out.b_odd_word + 1, in.b_odd);
    }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        collect_tiles(out, waiting, emit);
        const auto drain = oldest(waiting, Operation::Kind::kDrain);
        if (out.row_valid == 0 || in.row_ready == 0 || drain == waiting.end()) return;
        emit(Result{drain->kind, drain->tag, 0, out.row_word, out.row_data});
        constexpr std::uint32_t kLastWord = kTileElements / kOhmmaProducts - 1;
        if (out.row_word == kLastWord) waiting.erase(drain);
    }

private:
    static std::uint32_t pin_tag(const Operation& operation) {
        return operation.tag & ((1U << tessera::SpwmmaCorePins::kTagBits) - 1);
    }
    static auto oldest(std::deque<Operation>& waiting, Operation::Kind kind) {
        return std::find_if(waiting.begin(), waiting.end(),
                            [kind](const Operation& operation) { return operation.kind == kind; });
    }
    /// Number of OHMMAs that the tile needs.
    static std::uint32_t needed(const Operation& tile) {
        std::uint32_t count = 0;
        for (const std::uint32_t bits :
             BitmapUnit::summarise(tile.a_bitmap, tile.b_bitmap).predicates) {
            count += static_cast<std::uint32_t>(__builtin_popcount(bits));
        }
        return count;
    }
    template <class Emit>
    static void collect_tiles(const Outputs& out, std::deque<Operation>& waiting, Emit&& emit) {
        const auto end_oldest = [&](auto tile) {
            emit(Result{tile->kind, tile->tag, tile->ohmmas, 0, {}});
            waiting.erase(tile);
        };
        // Tiles without OHMMAs that are before the OHMMA at the buffer have ended.
        const bool taken = out.ohmma_ready != 0;
        auto tile = oldest(waiting, Operation::Kind::kTile);
        while (tile != waiting.end() && (taken || out.front_idle != 0) && needed(*tile) == 0) {
            end_oldest(tile);
            tile = oldest(waiting, Operation::Kind::kTile);
        }
        if (!taken || tile == waiting.end()) return;
        if (++tile->ohmmas == needed(*tile)) end_oldest(tile);
    }
};

extern template class PinRtl<SpwmmaCoreBlock>;

using SpwmmaCorePins = PinModule<SpwmmaCoreBlock>;
using SpwmmaCoreModel = PinModel<SpwmmaCoreBlock>;
using SpwmmaCoreRtl = PinRtl<SpwmmaCoreBlock>;
using SpwmmaCoreSignals = PinSignals<SpwmmaCoreBlock>;
using SpwmmaCoreTransactor = Transactor<SpwmmaCoreBlock>;

}  // namespace tessera::pins
