// Drivers of blocks that take operations in order and return one result for each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <systemc>

#include "sc_models/common/clock.h"
#include "testbenches/harness/run_until_idle.h"

namespace tessera::testbench {

/// Driver of a block. Stimulus and reference use this interface only, so that they do not depend on
/// what implements the block: its functional core or its pins.
template <class Operation, class Result>
class OperationDriver {
public:
    OperationDriver() = default;
    virtual ~OperationDriver() = default;
    OperationDriver(const OperationDriver&) = delete;
    OperationDriver& operator=(const OperationDriver&) = delete;

    /// Adds an operation. It begins at cycle `at` or later, and after all operations before it.
    virtual void issue(const Operation& operation, Cycle at) = 0;
    /// Simulates until no event is left.
    virtual void drain() = 0;

    /// Called as the block takes an operation.
    std::function<void(const Operation&, Cycle begin)> on_begin;
    /// Called for each result, in the order of issue, with the cycles of operation and result.
    std::function<void(const Operation&, const Result&, Cycle begin, Cycle end)> on_result;
};

/// Driver of a functional core: a process calls it for one operation a cycle; results take no time.
template <class Operation, class Result>
class CoreDriver : public sc_core::sc_module, public OperationDriver<Operation, Result> {
public:
    /// Executes an operation on the core.
    using Perform = std::function<Result(const Operation&)>;

    CoreDriver(const sc_core::sc_module_name& name, const ClockDomain& clock, Perform perform)
        : sc_module(name), clock_(clock), perform_(std::move(perform)) {
        SC_THREAD(run);
    }
    SC_HAS_PROCESS(CoreDriver);

    void issue(const Operation& operation, Cycle at) override {
        planned_.push_back({operation, at});
        issued_.notify(sc_core::SC_ZERO_TIME);
    }
    void drain() override { run_until_idle(); }

private:
    struct Planned {
        Operation operation;
        Cycle at;
    };
    void run() {
        for (;;) {
            while (planned_.empty()) wait(issued_);
            const Planned planned = planned_.front();
            planned_.pop_front();
            const Cycle begin = std::max(planned.at, open_);
            const sc_core::sc_time at = clock_.span(begin);
            if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
            open_ = begin + 1;
            if (this->on_begin) this->on_begin(planned.operation, begin);
            const Result result = perform_(planned.operation);
            if (this->on_result) this->on_result(planned.operation, result, begin, begin);
        }
    }

    const ClockDomain clock_;
    const Perform perform_;
    std::deque<Planned> planned_;
    sc_core::sc_event issued_;
    Cycle open_ = 0;  ///< cycle of the next operation, at the earliest
};

}  // namespace tessera::testbench
