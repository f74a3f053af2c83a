// SystemC module of a co-simulation bench.
#pragma once

#include <exception>
#include <systemc>

#include "sc_models/common/clock.h"
#include "testbenches/cosim/bench.h"

namespace tessera {

/// Runs the bench cycle by cycle in one process, until it finishes, a comparison fails or the user
/// interrupts.
class BenchModule : public sc_core::sc_module {
public:
    /// `cycles_at_a_time` cycles run in one activation: more than one if nothing reads SystemC's
    /// time in between.
    BenchModule(sc_core::sc_module_name name, CosimBench& bench, Scoreboard& scoreboard,
                const ClockDomain& clock, std::uint32_t cycles_at_a_time);

    [[nodiscard]] Cycle cycles() const { return bench_.clock_cycles(); }
    [[nodiscard]] bool interrupted() const { return interrupted_; }
    /// After the run: rethrows the bench's exception unchanged (SystemC would wrap it).
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    void run();
    /// Runs a clock cycle; returns whether there are more.
    bool run_cycle();

    CosimBench& bench_;
    Scoreboard& scoreboard_;
    const ClockDomain& clock_;
    const std::uint32_t cycles_at_a_time_;
    Cycle step_ = 0;
    bool interrupted_ = false;
    std::exception_ptr error_;
};

}  // namespace tessera
