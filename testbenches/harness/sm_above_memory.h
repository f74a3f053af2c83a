// Streaming multiprocessor above a memory of fixed latency, at either level of timing.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/gpu/machine_parts.h"
#include "sc_models/sm/streaming_multiprocessor.h"
#include "testbenches/harness/checked_links.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/session.h"
#include "testbenches/harness/sm_plan.h"

namespace tessera::testbench {

/// One SM with the memory in place of the crossbar, and a protocol checker on the link between
/// them.
class SmAboveMemory {
public:
    /// `config`, `listener` and the objects of `observers` must outlive it.
    SmAboveMemory(const Session& session, const Config& config, CtaListener& listener,
                  Cycle latency, const Observers& observers)
        : clock_(session.clock),
          ticker_("ticker", session.clock),
          memory_("memory", 1, session.clock, latency),
          parts_(config, statistics_) {
        SmContext context{session.clock, listener, parts_, statistics_, observers};
        context.binder = &links_;
        if (session.approximately_timed()) context.ticker = &ticker_;
        sm_ = std::make_unique<StreamingMultiprocessor>("sm0", SmId(0), plan_of(config), context);
        links_.bind(sm_->to_memory(), memory_.sockets[0]);
    }

    [[nodiscard]] StreamingMultiprocessor& sm() { return *sm_; }
    [[nodiscard]] MemoryTarget& memory() { return memory_; }
    [[nodiscard]] MachineParts& parts() { return parts_; }
    [[nodiscard]] StatGroup& statistics() { return statistics_; }

    /// Returns the first cycle at which the next kernel may start.
    [[nodiscard]] Cycle next_start() const { return std::max(clock_.now(), end_); }
    /// Accounts for the cycles of a kernel that began at `start` and has ended; returns their
    /// number.
    Cycle account_since(Cycle start) {
        end_ = std::max(sm_->last_activity(), start);
        cycles_ += end_ - start;
        sm_->account_until(end_);
        return end_ - start;
    }
    /// Returns the end of the last kernel.
    [[nodiscard]] Cycle end() const { return end_; }
    /// Returns the cycles of all kernels so far.
    [[nodiscard]] Cycle cycles() const { return cycles_; }
    /// Appends a line for each rule of conservation or of the protocol that is violated.
    void check(std::vector<std::string>& violations) const {
        sm_->check(cycles_, violations);
        links_.check(violations);
    }

private:
    const ClockDomain clock_;
    CheckedLinks links_;
    CycleTicker ticker_;
    StatGroup statistics_{"sm"};
    MemoryTarget memory_;
    MachineParts parts_;
    std::unique_ptr<StreamingMultiprocessor> sm_;
    Cycle end_ = 0, cycles_ = 0;
};

}  // namespace tessera::testbench
