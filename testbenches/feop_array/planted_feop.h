// Errors at the pins of a multiplier array, planted between it and its testbench.
#pragma once

#include <memory>
#include <utility>

#include "testbenches/feop_array/feop_driver.h"

namespace tessera::testbench {

/// Array with the error that the session plants.
class PlantedFeop final : public FeopDriver::Block {
public:
    PlantedFeop(const Session& session, std::unique_ptr<FeopDriver::Block> block)
        : session_(session), block_(std::move(block)) {}

    FeopArrayOutputs step(const FeopArrayInputs& pins, Cycle now) override {
        FeopArrayInputs in = pins;
        if (session_.plants("flushed_subnormals")) {
            for (HalfBits& a : in.a) a = flushed(in.op, a);
            for (HalfBits& b : in.b) b = flushed(in.op, b);
        }
        if (session_.plants("ignored_predicate")) in.predicate = 1;
        const bool hides = session_.plants("late_result") && !shown_;
        if (hides) in.ready = 0;
        FeopArrayOutputs out = block_->step(in, now);
        if (session_.plants("stuck_sign")) out.product[kOhmmaProducts - 1] &= 0x7fffffffU;
        if (session_.plants("stuck_bit")) out.bits[kBohmmaSize - 1] |= 1U;
        if (hides) {
            shown_ = out.valid != 0;
            out.valid = 0;
        } else if (out.valid != 0 && in.ready != 0) {
            shown_ = false;
        }
        return out;
    }

private:
    /// Subnormal halves as zero, which a cheaper multiplier would do.
    [[nodiscard]] static HalfBits flushed(FeopArrayOp op, HalfBits half) {
        const bool subnormal = (half & 0x7c00U) == 0;
        return static_cast<HalfBits>(op == FeopArrayOp::kOhmma && subnormal ? half & 0x8000U
                                                                            : half);
    }

    const Session& session_;
    std::unique_ptr<FeopDriver::Block> block_;
    bool shown_ = false;
};

}  // namespace tessera::testbench
