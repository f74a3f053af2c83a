// Driver of an accumulation buffer: OHMMAs, preloads and drains go in, sums come out.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sc_models/tensor_core/accumulation_buffer.h"
#include "testbenches/accumulation_buffer/naive_buffer.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/clocked_driver.h"

namespace tessera::testbench {

/// Sums that the buffer returns for an operation.
struct BufferResult {
    std::vector<std::uint32_t> words;    ///< of a drain, or of a dense OHMMA that is the last
    std::vector<NaiveBuffer::Row> sums;  ///< one for each of `words`
    bool alone = false;                  ///< the buffer was empty, and nothing followed
    Cycle busy = 0;                      ///< alone: cycles until the buffer was idle again
};

/// Drives the pins cycle by cycle, one operation at a time. Receives sums with random stalls.
class BufferDriver {
public:
    using Block = ClockedBlock<AccumulationBuffer::Inputs, AccumulationBuffer::Outputs>;
    using Operations = ClockedDriver<BufferOperation, BufferResult>;

    BufferDriver(Session& session, std::unique_ptr<Block> block);
    [[nodiscard]] Operations& operations() { return operations_; }

private:
    struct UnderWay {
        BufferOperation::Kind kind = BufferOperation::Kind::kSparse;
        std::uint32_t expected = 0;  ///< rows of sums
        bool waits_for_idle = false;
        Cycle begin = 0;
        BufferResult result;
    };
    [[nodiscard]] Operations::Events step(const BufferOperation* offered, Cycle now);
    [[nodiscard]] static AccumulationBuffer::Inputs pins(const BufferOperation& operation);
    [[nodiscard]] static bool taken(const AccumulationBuffer::Inputs& in,
                                    const AccumulationBuffer::Outputs& out);
    void take_sums(bool drained, std::uint32_t word, const NaiveBuffer::Row& sums);
    void watch_idle(bool idle, Cycle now);
    void record(const AccumulationBuffer::Inputs& in, const AccumulationBuffer::Outputs& out,
                Cycle now);

    Session& session_;
    std::unique_ptr<Block> block_;
    StallingReceiver receiver_;
    std::deque<UnderWay> under_way_;
    const Coverage::Bin op_waits_, preload_waits_, row_waits_, result_waits_, drain_waits_;
    WaveRecorder* const wave_;
    WaveRecorder::Signal op_valid_ = 0, op_ready_ = 0, dense_ = 0, rows_ = 0, columns_ = 0,
                         preload_ = 0, drain_ = 0, row_valid_ = 0, row_word_ = 0, result_ = 0,
                         idle_ = 0;
    Operations operations_;
};

}  // namespace tessera::testbench
