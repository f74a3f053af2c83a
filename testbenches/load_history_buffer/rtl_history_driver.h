// Driver of the load history buffer in RTL.
#pragma once

#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "testbenches/harness/clocked_driver.h"
#include "testbenches/harness/stall_check.h"
#include "testbenches/load_history_buffer/history_driver.h"

namespace tessera::testbench {

/// Drives the pins of rtl/load_history_buffer cycle by cycle, with stalls at its output.
class RtlHistoryDriver final : public HistoryDriver {
public:
    explicit RtlHistoryDriver(Session& session);
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
    Rtl rtl_;
    StallCheck stalls_;
    Driver operations_;
};

}  // namespace tessera::testbench
