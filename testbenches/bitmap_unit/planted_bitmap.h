// Errors at the pins of a bitmap unit, planted between it and its testbench.
#pragma once

#include <memory>
#include <utility>

#include "testbenches/bitmap_unit/bitmap_driver.h"

namespace tessera::testbench {

/// Bitmap unit with the error that the session plants.
class PlantedBitmap final : public BitmapDriver::Block {
public:
    PlantedBitmap(const Session& session, std::unique_ptr<BitmapDriver::Block> block)
        : session_(session), block_(std::move(block)) {}

    BitmapUnit::Outputs step(const BitmapUnit::Inputs& pins, Cycle now) override {
        BitmapUnit::Inputs in = pins;
        if (session_.plants("stuck_column")) {
            for (std::uint32_t& bitmap : in.b_bitmap) bitmap &= 0x7fffffffU;
        }
        // A register that offers each first OHMMA of a tile one cycle late.
        const bool hides = session_.plants("late_ohmma") && !shown_;
        if (hides) in.ohmma_ready = 0;
        BitmapUnit::Outputs out = block_->step(in, now);
        if (session_.plants("wrong_offset")) out.ohmma.a_offset &= ~16U;
        if (session_.plants("lost_ohmma") && out.ohmma_valid != 0 && in.ohmma_ready != 0 &&
            ++ohmmas_ % kLostEvery == 0) {
            out.ohmma_valid = 0;
        }
        if (hides) {
            shown_ = out.ohmma_valid != 0;
            out.ohmma_valid = 0;
        } else if (out.ohmma_valid != 0 && in.ohmma_ready != 0) {
            shown_ = out.ohmma.last == 0;
        }
        return out;
    }

private:
    static constexpr std::uint64_t kLostEvery = 64;
    const Session& session_;
    std::unique_ptr<BitmapDriver::Block> block_;
    bool shown_ = false;
    std::uint64_t ohmmas_ = 0;
};

}  // namespace tessera::testbench
