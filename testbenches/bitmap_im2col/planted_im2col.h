// Errors at the pins of a bitmap im2col, planted between it and its testbench.
#pragma once

#include <memory>
#include <utility>

#include "testbenches/bitmap_im2col/im2col_driver.h"

namespace tessera::testbench {

/// Bitmap im2col with the error that the session plants.
class PlantedIm2col final : public Im2colDriver::Block {
public:
    PlantedIm2col(const Session& session, std::unique_ptr<Im2colDriver::Block> block)
        : session_(session), block_(std::move(block)) {}

    BitmapIm2col::Outputs step(const BitmapIm2col::Inputs& pins, Cycle now) override {
        BitmapIm2col::Inputs in = pins;
        if (session_.plants("stuck_element")) in.row.bitmap &= ~(std::uint64_t{1} << 63U);
        // A register that offers the first column of each row one cycle late.
        const bool hides = session_.plants("late_column") && !shown_;
        if (hides) in.column_ready = 0;
        BitmapIm2col::Outputs out = block_->step(in, now);
        const bool received = out.column_valid != 0 && in.column_ready != 0;
        if (session_.plants("wrong_address")) out.column.address &= ~16U;
        if (session_.plants("counts_all")) out.column.count = out.column.length;
        if (session_.plants("lost_column") && received && ++columns_ % kLostEvery == 0) {
            out.column_valid = 0;
        }
        if (hides) {
            shown_ = out.column_valid != 0;
            out.column_valid = 0;
        } else if (received) {
            shown_ = out.column.last == 0;
        }
        return out;
    }

private:
    static constexpr std::uint64_t kLostEvery = 64;
    const Session& session_;
    std::unique_ptr<Im2colDriver::Block> block_;
    bool shown_ = false;
    std::uint64_t columns_ = 0;
};

}  // namespace tessera::testbench
