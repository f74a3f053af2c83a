// Errors at the pins of an accumulation buffer, planted between it and its testbench.
#pragma once

#include <memory>
#include <utility>

#include "testbenches/accumulation_buffer/buffer_driver.h"

namespace tessera::testbench {

/// Buffer with the error that the session plants.
class PlantedBuffer final : public BufferDriver::Block {
public:
    PlantedBuffer(const Session& session, std::unique_ptr<BufferDriver::Block> block)
        : session_(session), block_(std::move(block)) {}

    AccumulationBuffer::Outputs step(const AccumulationBuffer::Inputs& pins, Cycle now) override {
        AccumulationBuffer::Inputs in = pins;
        if (session_.plants("lost_clear")) in.drain_clear = 0;
        if (session_.plants("lost_first")) in.op_first = 0;
        const bool loses = session_.plants("lost_ohmma") && in.op_valid != 0 && in.op_dense == 0 &&
                           sparse_ % kLostEvery == 0;
        if (loses) in.op_row_valid = 0;
        AccumulationBuffer::Outputs out = block_->step(in, now);
        if (in.op_valid != 0 && in.op_dense == 0 && out.op_ready != 0) ++sparse_;
        if (session_.plants("stuck_bank")) out.row_data[kBanks - 1] &= ~1U;
        if (session_.plants("late_idle")) out.idle &= std::exchange(was_idle_, out.idle);
        return out;
    }

private:
    static constexpr std::uint64_t kLostEvery = 64;
    const Session& session_;
    std::unique_ptr<BufferDriver::Block> block_;
    std::uint64_t sparse_ = 1;
    std::uint32_t was_idle_ = 1;
};

}  // namespace tessera::testbench
