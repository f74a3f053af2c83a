// Driver of the load history buffer behind its pins.
#pragma once

#include <memory>

#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "testbenches/harness/clocked_block.h"
#include "testbenches/harness/clocked_driver.h"
#include "testbenches/harness/stall_check.h"
#include "testbenches/load_history_buffer/history_driver.h"

namespace tessera::testbench {

/// RTL with its largest organisation; program() chooses another one.
struct LargestBuffer : LoadHistoryBufferRtl {
    explicit LargestBuffer(std::uint32_t seed)
        : LoadHistoryBufferRtl(kMaxEntries, kMaxWays, false, seed) {}
};

/// Drives the pins of the load history buffer cycle by cycle, with stalls at its output.
class ClockedHistoryDriver final : public HistoryDriver {
public:
    using Block = ClockedBlock<LoadHistoryBufferRtl::Inputs, LoadHistoryBufferRtl::Outputs>;
    ClockedHistoryDriver(Session& session, std::unique_ptr<Block> block);
    /// Powers of two of sets and ways, up to the RTL's limits.
    [[nodiscard]] bool supports(const HistoryOrganisation& organisation) const override;
    void program(const HistoryOrganisation& organisation) override;
    [[nodiscard]] OperationDriver<HistoryOperation, HistoryResult>& operations() override {
        return operations_;
    }

private:
    using Rtl = LoadHistoryBufferRtl;
    using Driver = ClockedDriver<HistoryOperation, HistoryResult>;
    [[nodiscard]] Driver::Events step(const HistoryOperation* offered, Cycle now);

    Session& session_;
    const std::unique_ptr<Block> block_;
    StallCheck stalls_;
    Driver operations_;
};

}  // namespace tessera::testbench
