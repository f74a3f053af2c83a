// Random legal stimuli at the pins of blocks of the tensor cores.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "sc_models/pins/accumulation_buffer_pins.h"
#include "sc_models/pins/bitmap_im2col_pins.h"
#include "sc_models/pins/bitmap_unit_pins.h"
#include "sc_models/pins/feop_array_pins.h"
#include "sc_models/pins/spwmma_core_pins.h"
#include "tests/cosim/random_bits.h"

namespace tessera::test {

class FeopArrayStimulus {
public:
    using Block = pins::FeopArrayBlock;
    explicit FeopArrayStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) { in.valid = 0; }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        in.ready = random_.one_in(3) ? 0 : 1;
        if (in.valid != 0 && out.ready == 0) return;
        in.valid = random_.one_in(4) ? 0 : 1;
        in.op = random_.one_in(4) ? FeopArrayOp::kBohmma : FeopArrayOp::kOhmma;
        in.predicate = random_.one_in(4) ? 0 : 1;
        random_.fill(in.a);
        random_.fill(in.b);
        random_.fill(in.meta);
    }

private:
    RandomBits random_;
};

class AccumulationBufferStimulus {
public:
    using Block = pins::AccumulationBufferBlock;
    explicit AccumulationBufferStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) {
        in.op_valid = in.preload_valid = in.drain_valid = 0;
        preloaded_ = 0;
    }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (out.op_ready != 0) in.op_valid = 0;
        if (out.drain_ready != 0) in.drain_valid = 0;
        if (in.preload_valid != 0 && out.preload_ready != 0) {
            in.preload_valid = 0;
            ++preloaded_;
        }
        in.row_ready = random_.one_in(3) ? 0 : 1;
        in.result_ready = random_.one_in(3) ? 0 : 1;
        // Words are undefined after a reset, until all of them have been written.
        const bool defined = preloaded_ >= kWords;
        if (in.preload_valid == 0 && (!defined || random_.one_in(100))) {
            in.preload_valid = 1;
            in.preload_word = preloaded_ % kWords;
            random_.fill(in.preload_data);
        }
        if (!defined) return;
        if (in.op_valid == 0 && !random_.one_in(4)) offer(in);
        if (in.drain_valid == 0 && random_.one_in(60)) {
            in.drain_valid = 1;
            in.drain_clear = random_.below(2);
        }
    }

private:
    static constexpr std::uint32_t kWords = 8;

    void offer(Block::Inputs& in) {
        in.op_valid = 1;
        in.op_dense = random_.one_in(3) ? 1 : 0;
        in.op_first = random_.below(2);
        in.op_last = random_.below(2);
        in.op_word = random_.below(kWords);
        in.op_row_valid = random_.below(1U << kOhmmaRows);
        in.op_column_valid = random_.below(1U << kOhmmaColumns);
        draw_distinct(in.op_row);
        draw_distinct(in.op_column);
        random_.fill(in.op_product);
        random_.fill(in.op_c);
    }
    template <std::size_t kCount>
    void draw_distinct(std::array<std::uint32_t, kCount>& indices) {
        std::array<std::uint32_t, kTileSize> all{};
        std::iota(all.begin(), all.end(), 0U);
        std::shuffle(all.begin(), all.end(), random_.engine());
        std::copy_n(all.begin(), kCount, indices.begin());
    }

    RandomBits random_;
    std::uint32_t preloaded_ = 0;
};

class BitmapUnitStimulus {
public:
    using Block = pins::BitmapUnitBlock;
    explicit BitmapUnitStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) { in.tile_valid = 0; }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        in.ohmma_ready = random_.one_in(3) ? 0 : 1;
        if (in.tile_valid != 0 && out.tile_ready == 0) return;
        in.tile_valid = random_.one_in(3) ? 0 : 1;
        random_.fill(in.a_bitmap);
        random_.fill(in.b_bitmap);
        const std::uint32_t kept = random_.one_in(5) ? 0 : random_.below(1U << kTileDepth);
        for (std::uint32_t k = 0; k < kTileDepth; ++k) {
            if ((kept >> k & 1U) == 0) in.a_bitmap[k] = 0;
        }
    }

private:
    RandomBits random_;
};

/// Rows of any length; some do not fit.
class BitmapIm2colStimulus {
public:
    using Block = pins::BitmapIm2colBlock;
    explicit BitmapIm2colStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) { in = {}; }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (out.row_ready != 0) in.row_valid = 0;
        in.column_ready = random_.one_in(3) ? 0 : 1;
        if (in.row_valid != 0 || random_.one_in(4)) return;
        in.row_valid = 1;
        in.row.bitmap = random_.bits();
        in.row.length = 1 + random_.below(kMapRowBits);
        in.row.filter_width = 1 + random_.below(std::min(in.row.length, 9U));
        if (random_.one_in(16)) in.row.filter_width = random_.below(128);
        in.row.stride2 = random_.below(2);
        in.row.base = static_cast<std::uint32_t>(random_.bits());
    }

private:
    RandomBits random_;
};

/// Tiles, preloads and drains, with cycles in which the buffer's clock may stop.
class SpwmmaCoreStimulus {
public:
    using Block = pins::SpwmmaCoreBlock;
    explicit SpwmmaCoreStimulus(std::uint32_t seed) : random_(seed) {}

    void reset(Block::Inputs& in) {
        in.tile_valid = in.preload_valid = in.drain_valid = 0;
        preloaded_ = 0;
    }
    void next(Block::Inputs& in, const Block::Outputs& out) {
        if (out.read != 0) give_values(in);
        if (out.drain_ready != 0) in.drain_valid = 0;
        if (in.preload_valid != 0 && out.preload_ready != 0) {
            in.preload_valid = 0;
            ++preloaded_;
        }
        // Sums are undefined after a reset, until all of them have been written.
        const bool defined = preloaded_ >= kWords;
        in.run = defined && random_.one_in(3) ? 0 : 1;
        in.row_ready = random_.one_in(3) ? 0 : 1;
        if (in.preload_valid == 0 && (!defined || random_.one_in(100))) {
            in.preload_valid = 1;
            in.preload_word = preloaded_ % kWords;
            random_.fill(in.preload_data);
        }
        if (!defined) return;
        if (in.drain_valid == 0 && random_.one_in(60)) {
            in.drain_valid = 1;
            in.drain_clear = random_.below(2);
        }
        if (in.tile_valid == 0 || out.tile_ready != 0) offer(in);
    }

private:
    static constexpr std::uint32_t kWords = 8;

    void offer(Block::Inputs& in) {
        in.tile_valid = random_.one_in(4) ? 0 : 1;
        in.tile_tag = random_.below(1U << SpwmmaCorePins::kTagBits);
        random_.fill(in.a_bitmap);
        random_.fill(in.b_bitmap);
        const std::uint32_t kept = random_.one_in(3) ? 0 : random_.below(1U << kTileDepth);
        for (std::uint32_t k = 0; k < kTileDepth; ++k) {
            if ((kept >> k & 1U) == 0) in.a_bitmap[k] = 0;
        }
    }
    /// Any values; they stay until the next read.
    void give_values(Block::Inputs& in) {
        random_.fill(in.a_even);
        random_.fill(in.a_odd);
        random_.fill(in.b_even);
        random_.fill(in.b_odd);
    }

    RandomBits random_;
    std::uint32_t preloaded_ = 0;
};

}  // namespace tessera::test
