// Driver of clocked blocks: operations go into pins, results come out of them, cycle by cycle.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <systemc>

#include "testbenches/harness/operation_driver.h"
#include "testbenches/harness/run_until_idle.h"

namespace tessera::testbench {

/// Driver of a block that is stepped one clock cycle at a time. It offers the next operation until
/// the block takes it, and keeps the clock running while results are under way.
template <class Operation, class Result>
class ClockedDriver : public sc_core::sc_module, public OperationDriver<Operation, Result> {
public:
    /// Events of one clock cycle.
    struct Events {
        bool taken = false;                 ///< the block took the offered operation
        std::optional<Result> result = {};  ///< of the oldest operation under way
    };
    /// Runs the block for one cycle with an operation at its input; null: none is offered.
    using Step = std::function<Events(const Operation* offered, Cycle now)>;

    ClockedDriver(const sc_core::sc_module_name& name, const ClockDomain& clock, Step step)
        : sc_module(name), clock_(clock), step_(std::move(step)) {
        SC_THREAD(run);
    }
    SC_HAS_PROCESS(ClockedDriver);

    void issue(const Operation& operation, Cycle at) override {
        planned_.push_back({operation, at});
        issued_.notify(sc_core::SC_ZERO_TIME);
    }
    /// Operations of a block that is stuck for kMaxCycles remain without a result.
    void drain() override { run_until_idle(); }
    /// Passes one cycle, for steps that are no operations.
    void pass_cycle() {
        sc_core::sc_start(clock_.span(clock_.now() + 1) - sc_core::sc_time_stamp());
        next_ = clock_.now();
    }

private:
    static constexpr Cycle kMaxCycles = 10'000;
    struct Planned {
        Operation operation;
        Cycle at;
    };
    struct UnderWay {
        Operation operation;
        Cycle begin;
    };

    void run() {
        for (;;) {
            while (planned_.empty() && under_way_.empty()) wait(issued_);
            Cycle now = std::max(clock_.now(), next_);
            if (under_way_.empty()) now = std::max(now, planned_.front().at);
            const sc_core::sc_time at = clock_.span(now);
            if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
            next_ = now + 1;
            step(now);
        }
    }
    void step(Cycle now) {
        const bool offers = !planned_.empty() && planned_.front().at <= now;
        const Events events = step_(offers ? &planned_.front().operation : nullptr, now);
        if (events.taken) {
            under_way_.push_back({planned_.front().operation, now});
            planned_.pop_front();
            if (this->on_begin) this->on_begin(under_way_.back().operation, now);
        }
        if (events.result && !under_way_.empty()) {
            const UnderWay oldest = under_way_.front();
            under_way_.pop_front();
            if (this->on_result) {
                this->on_result(oldest.operation, *events.result, oldest.begin, now);
            }
        }
        if (events.taken || events.result) moved_ = now;
        if (now < moved_ + kMaxCycles) return;
        moved_ = now;
        planned_.clear();
        under_way_.clear();
    }

    const ClockDomain clock_;
    const Step step_;
    std::deque<Planned> planned_;
    std::deque<UnderWay> under_way_;
    sc_core::sc_event issued_;
    Cycle next_ = 0;   ///< cycle of the next step, at the earliest
    Cycle moved_ = 0;  ///< last cycle with an operation or result
};

}  // namespace tessera::testbench
