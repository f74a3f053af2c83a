// Driver of a multiplier array: operations go in, products and bits come out.
#pragma once

#include <deque>
#include <memory>

#include "testbenches/feop_array/naive_products.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/clocked_driver.h"

namespace tessera::testbench {

/// Output of the array for an operation.
struct FeopResult {
    bool present = false;  ///< false: predicated off
    FeopArrayOutputs out;
    Cycle cycles = 0;  ///< from the operation to its result
    Cycle stalls = 0;  ///< cycles of these in which a result waited
};

/// Drives the pins cycle by cycle. Receives results with random stalls. The first word of `meta` is
/// the number of the operation.
class FeopDriver {
public:
    using Block = ClockedBlock<FeopArrayInputs, FeopArrayOutputs>;
    using Operations = ClockedDriver<FeopArrayInputs, FeopResult>;

    FeopDriver(Session& session, std::unique_ptr<Block> block);
    [[nodiscard]] Operations& operations() { return operations_; }

private:
    struct UnderWay {
        bool predicate = false;
        Cycle begin = 0, stalls_before = 0;
        FeopResult result;
        bool complete = false;
    };
    [[nodiscard]] Operations::Events step(const FeopArrayInputs* offered, Cycle now);
    void take_result(const FeopArrayOutputs& out, Cycle now);
    void record(const FeopArrayInputs& in, const FeopArrayOutputs& out, Cycle now);

    Session& session_;
    std::unique_ptr<Block> block_;
    StallingReceiver receiver_;
    std::deque<UnderWay> under_way_;
    Cycle stalls_ = 0;
    const Coverage::Bin stall_, input_waits_, bubble_closes_;
    WaveRecorder* const wave_;
    WaveRecorder::Signal valid_ = 0, op_ = 0, predicate_ = 0, ready_ = 0, result_ = 0,
                         result_op_ = 0, result_ready_ = 0, product_ = 0, a_ = 0, b_ = 0;
    Operations operations_;
};

}  // namespace tessera::testbench
